#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted in this build: on glibc, and not under a sanitizer, which has an allocator of its own.
bool allocation_count_is_available(void);

/// How often this thread has asked for memory so far.
uint64_t allocation_count(void);

/// How many pieces of memory this thread has asked for and not given back. What another thread gives back for it stays counted.
int64_t allocation_balance(void);

#endif
