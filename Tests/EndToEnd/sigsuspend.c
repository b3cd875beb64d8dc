// Valgrind before 3.20 changes the mask that `sigsuspend` is given in its place. libdispatch gives a constant, in memory that cannot be
// written. Loaded before the others, this hands over a copy.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, 8);
}
