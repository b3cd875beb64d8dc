// Counts the calling thread's allocations, and what it gives back, by standing before the C library's allocator: the linker prefers the
// definitions of the program to those of a shared library, and Swift's runtime ends up here as well.

#include "CAllocationCount.h"

#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif

#if defined(__GLIBC__) && !defined(UNDER_SANITIZER)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

// Of the thread that asks, so that tests may run beside each other.
static __thread uint64_t count;
static __thread int64_t balance;

void free(void *memory) {
    if (memory != NULL) balance--;
    __libc_free(memory);
}

void *malloc(size_t size) {
    count++;
    balance++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    balance++;
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count++;
    if (memory == NULL) balance++;
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    count++;
    balance++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    balance++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    count++;
    void *block = __libc_memalign(alignment, size);
    if (block == NULL) return ENOMEM;
    balance++;
    *memory = block;
    return 0;
}

bool allocation_count_is_available(void) { return true; }
uint64_t allocation_count(void) { return count; }
int64_t allocation_balance(void) { return balance; }

#else

bool allocation_count_is_available(void) { return false; }
uint64_t allocation_count(void) { return 0; }
int64_t allocation_balance(void) { return 0; }

#endif
