#include "cplatform.h"

#include <stdlib.h>

void ovation_lock_init(pthread_mutex_t *lock) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  // It fails where there is no memory, or no such protocol: then nothing else would work either.
  if (pthread_mutex_init(lock, &attributes) != 0) abort();
  pthread_mutexattr_destroy(&attributes);
}

void ovation_lock_destroy(pthread_mutex_t *lock) { pthread_mutex_destroy(lock); }
