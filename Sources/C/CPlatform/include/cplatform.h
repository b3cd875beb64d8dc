#ifndef OVATION_CPLATFORM_H
#define OVATION_CPLATFORM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// A lock that a sound thread may wait for: whoever holds it runs with the priority of who waits. Its place in memory must not change.

void ovation_lock_init(pthread_mutex_t *lock);
void ovation_lock_destroy(pthread_mutex_t *lock);

static inline void ovation_lock(pthread_mutex_t *lock) { pthread_mutex_lock(lock); }
static inline void ovation_unlock(pthread_mutex_t *lock) { pthread_mutex_unlock(lock); }

// Words that several threads read and write, by the compiler's own operations. Each memory order has a function of its own, so that it is
// a constant also where nothing is inlined.

static inline uint64_t ovation_load_relaxed(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static inline uint64_t ovation_load_acquire(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline uint64_t ovation_load_seq(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

static inline void ovation_store_relaxed(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }
static inline void ovation_store_release(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
static inline void ovation_store_seq(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_SEQ_CST); }

static inline uint64_t ovation_add_relaxed(uint64_t *word, uint64_t value) { return __atomic_fetch_add(word, value, __ATOMIC_RELAXED); }
static inline uint64_t ovation_add_acq_rel(uint64_t *word, uint64_t value) { return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL); }
static inline uint64_t ovation_add_seq(uint64_t *word, uint64_t value) { return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST); }

static inline uint64_t ovation_exchange_relaxed(uint64_t *word, uint64_t value) { return __atomic_exchange_n(word, value, __ATOMIC_RELAXED); }
static inline uint64_t ovation_exchange_acq_rel(uint64_t *word, uint64_t value) { return __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL); }
static inline uint64_t ovation_exchange_seq(uint64_t *word, uint64_t value) { return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST); }

#endif
