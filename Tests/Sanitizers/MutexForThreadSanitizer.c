// Tells ThreadSanitizer of the mutexes of Swift's Synchronization module. Loaded before it (LD_PRELOAD) by scripts/sanitize.
//
// Whoever finds a mutex free takes it in code that is compiled into the caller, which the sanitizer sees. Whoever has to wait does so
// in the library, which it does not see: everything that a contended mutex protects would be reported as a race.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// _MutexHandle._lockSlow(UInt32) and _MutexHandle._unlockSlow(), public for the code that is compiled into callers (Swift 6.2, 6.3).
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef __attribute__((swiftcall)) void lock_function(uint32_t thread, __attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) void unlock_function(__attribute__((swift_context)) void *mutex);

lock_function lock_slow __asm__(LOCK);
unlock_function unlock_slow __asm__(UNLOCK);

static lock_function *library_lock;
static unlock_function *library_unlock;

__attribute__((constructor)) static void find_library(void) {
    library_lock = (lock_function *)dlsym(RTLD_NEXT, LOCK);
    library_unlock = (unlock_function *)dlsym(RTLD_NEXT, UNLOCK);
}

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *mutex) {
    library_lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    library_unlock(mutex);
}
