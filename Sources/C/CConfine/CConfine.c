#define _GNU_SOURCE
#include "CConfine.h"

#include <errno.h>

#if defined(__linux__)

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

static int limit(__rlimit_resource_t what, rlim_t value) {
    struct rlimit both = {.rlim_cur = value, .rlim_max = value};
    return setrlimit(what, &both);
}

#ifdef MACHINE

#define NUMBER offsetof(struct seccomp_data, nr)
#define ARGUMENT(n) offsetof(struct seccomp_data, args[n])
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOW_CALL(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), ALLOW
#define REFUSE_CALL(call)                                       \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1),     \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
/// Memory may be taken and its rights changed, but never so that it could be run.
#define ALLOW_WITHOUT_EXEC(call)                                                                     \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), LOAD(ARGUMENT(2)),                       \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0), ALLOW, KILL

static int filter_calls(void) {
    struct sock_filter program[] = {
        LOAD(offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        KILL,
        LOAD(NUMBER),
#if defined(__x86_64__)
        // The other numbering of the same machine (x32).
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        KILL,
#endif
        ALLOW_CALL(read), ALLOW_CALL(write), ALLOW_CALL(readv), ALLOW_CALL(writev), ALLOW_CALL(pread64),
        ALLOW_CALL(lseek), ALLOW_CALL(fstat), ALLOW_CALL(close),
        ALLOW_CALL(brk), ALLOW_CALL(munmap), ALLOW_CALL(mremap), ALLOW_CALL(madvise),
        ALLOW_CALL(futex), ALLOW_CALL(sched_yield), ALLOW_CALL(sched_getaffinity), ALLOW_CALL(restart_syscall),
        ALLOW_CALL(clock_gettime), ALLOW_CALL(clock_nanosleep), ALLOW_CALL(nanosleep), ALLOW_CALL(gettimeofday),
        ALLOW_CALL(getrandom), ALLOW_CALL(getpid), ALLOW_CALL(gettid), ALLOW_CALL(rt_sigaction),
        ALLOW_CALL(rt_sigprocmask), ALLOW_CALL(rt_sigreturn), ALLOW_CALL(sigaltstack), ALLOW_CALL(set_robust_list),
        ALLOW_CALL(exit), ALLOW_CALL(exit_group), ALLOW_CALL(tgkill), ALLOW_CALL(epoll_pwait),
#ifdef __NR_epoll_wait
        ALLOW_CALL(epoll_wait),
#endif
#ifdef __NR_rseq
        ALLOW_CALL(rseq),
#endif
        // What libraries look for at first use: they are told that they may not.
        REFUSE_CALL(openat), REFUSE_CALL(newfstatat), REFUSE_CALL(faccessat), REFUSE_CALL(readlinkat),
        REFUSE_CALL(prlimit64), REFUSE_CALL(uname), REFUSE_CALL(sysinfo), REFUSE_CALL(clone3),
#ifdef __NR_access
        REFUSE_CALL(access), REFUSE_CALL(open), REFUSE_CALL(stat), REFUSE_CALL(lstat), REFUSE_CALL(readlink),
#endif
        ALLOW_WITHOUT_EXEC(mmap),
        ALLOW_WITHOUT_EXEC(mprotect),
        KILL,
    };
    struct sock_fprog code = {.len = sizeof program / sizeof *program, .filter = program};
    // For all threads, if there is one already; within a filter that does not know the newer call, for this one.
    if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &code) == 0) return 0;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &code, 0, 0);
}

int confine_process(uint64_t memory, uint64_t processor_seconds) {
    // Who started it is gone: nobody reads what it says.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) return 1;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) return 2;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 3;
    if (limit(RLIMIT_CORE, 0) || limit(RLIMIT_FSIZE, 0)) return 4;
    if (limit(RLIMIT_CPU, processor_seconds) || limit(RLIMIT_DATA, memory)) return 5;
    if (limit(RLIMIT_NOFILE, 0) || limit(RLIMIT_NPROC, 0)) return 6;
    if (filter_calls()) return 7;
    return 0;
}

#else

int confine_process(uint64_t memory, uint64_t processor_seconds) { return 8; }

#endif

int confine_memory_file(const void *bytes, size_t count) {
    int file = memfd_create("picture", MFD_CLOEXEC);
    if (file < 0) return -1;
    for (size_t written = 0; written < count;) {
        ssize_t now = write(file, (const char *)bytes + written, count - written);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) {
            close(file);
            return -1;
        }
        written += (size_t)now;
    }
    if (lseek(file, 0, SEEK_SET) == 0) return file;
    close(file);
    return -1;
}

int confine_pipe(int *ends) { return pipe2(ends, O_CLOEXEC) ? errno : 0; }

int confine_spawn(const char *program, char *const *arguments, int input, int output, int niceness, int *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int status = posix_spawn_file_actions_init(&actions);
    if (status) return status;
    status = posix_spawnattr_init(&attributes);
    if (!status) {
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        char *const environment[] = {NULL};
        posix_spawn_file_actions_adddup2(&actions, input, 0);
        posix_spawn_file_actions_adddup2(&actions, output, 1);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addclosefrom_np(&actions, 3);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        status = posix_spawn(child, program, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
        // Fails only where somebody has ended it already.
        if (!status && niceness) setpriority(PRIO_PROCESS, (id_t)*child, niceness);
    }
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

#else

int confine_process(uint64_t memory, uint64_t processor_seconds) { return 9; }
int confine_memory_file(const void *bytes, size_t count) {
    errno = ENOSYS;
    return -1;
}
int confine_pipe(int *ends) { return ENOSYS; }
int confine_spawn(const char *program, char *const *arguments, int input, int output, int niceness, int *child) { return ENOSYS; }

#endif
