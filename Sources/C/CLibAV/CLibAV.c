#include "CLibAV.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__APPLE__)
#define FILE_NAME(folder, name, major, into, capacity) snprintf(into, capacity, "%slib%s.%d.dylib", folder, name, major)
#else
#define FILE_NAME(folder, name, major, into, capacity) snprintf(into, capacity, "%slib%s.so.%d", folder, name, major)
#endif

/// Opens one library. NULL if there is none; its name is in `library` then.
static void *open_library(const char *folder, const char *name, int major, char *library, int capacity) {
    FILE_NAME(folder, name, major, library, (size_t)capacity);
    return dlopen(library, RTLD_NOW | RTLD_LOCAL);
}

/// Whether all libraries were opened and have what is wanted.
static bool fill(clibav_functions *functions, const char *folder, char *library, int capacity) {
#define FIND(symbol) \
    if (!(functions->symbol = (__typeof__(functions->symbol))dlsym(handle, #symbol))) return false;
    void *handle = open_library(folder, "avutil", LIBAVUTIL_VERSION_MAJOR, library, capacity);
    if (!handle) return false;
    CLIBAV_UTIL(FIND)
    handle = open_library(folder, "swresample", LIBSWRESAMPLE_VERSION_MAJOR, library, capacity);
    if (!handle) return false;
    CLIBAV_RESAMPLE(FIND)
    handle = open_library(folder, "avcodec", LIBAVCODEC_VERSION_MAJOR, library, capacity);
    if (!handle) return false;
    CLIBAV_CODEC(FIND)
    handle = open_library(folder, "avformat", LIBAVFORMAT_VERSION_MAJOR, library, capacity);
    if (!handle) return false;
    CLIBAV_FORMAT(FIND)
#undef FIND
    return true;
}

const clibav_functions *clibav_load(const char *folder, char *library, char *package, int capacity) {
    clibav_functions *functions = calloc(1, sizeof *functions);
    // The uppermost of the four; Debian installs the others with it.
    snprintf(package, (size_t)capacity, "libavformat%d", LIBAVFORMAT_VERSION_MAJOR);
    if (functions && fill(functions, folder, library, capacity)) return functions;
    free(functions);
    return NULL;
}

struct clibav_guard {
    _Atomic int64_t deadline;
    _Atomic bool cancelled;
};

static int64_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

clibav_guard *clibav_guard_create(void) {
    clibav_guard *guard = calloc(1, sizeof *guard);
    if (guard) atomic_store(&guard->deadline, INT64_MAX);
    return guard;
}

void clibav_guard_destroy(clibav_guard *guard) { free(guard); }

void clibav_guard_arm(clibav_guard *guard, int64_t nanoseconds) {
    int64_t now = monotonic();
    atomic_store(&guard->deadline, nanoseconds <= 0 || nanoseconds > INT64_MAX - now ? INT64_MAX : now + nanoseconds);
}

void clibav_guard_cancel(clibav_guard *guard) { atomic_store(&guard->cancelled, true); }

bool clibav_guard_is_cancelled(const clibav_guard *guard) { return atomic_load(&((clibav_guard *)guard)->cancelled); }

bool clibav_guard_is_late(const clibav_guard *guard) {
    return monotonic() > atomic_load(&((clibav_guard *)guard)->deadline);
}

static int stops(void *context) {
    const clibav_guard *guard = context;
    return clibav_guard_is_cancelled(guard) || clibav_guard_is_late(guard);
}

AVIOInterruptCB clibav_guard_callback(clibav_guard *guard) {
    return (AVIOInterruptCB){.callback = stops, .opaque = guard};
}

static int read_some(void *opaque, uint8_t *buffer, int size) {
    ssize_t count = read((int)(intptr_t)opaque, buffer, (size_t)size);
    return count > 0 ? (int)count : count == 0 ? AVERROR_EOF : AVERROR(errno);
}

static int64_t seek_to(void *opaque, int64_t offset, int whence) {
    int descriptor = (int)(intptr_t)opaque;
    if (whence & AVSEEK_SIZE) {
        struct stat about;
        return fstat(descriptor, &about) ? AVERROR(errno) : about.st_size;
    }
    off_t place = lseek(descriptor, offset, whence & ~AVSEEK_FORCE);
    return place < 0 ? AVERROR(errno) : place;
}

static int open_nothing(AVFormatContext *format, AVIOContext **source, const char *url, int flags, AVDictionary **options) {
    return AVERROR(EPERM);
}

bool clibav_read_descriptor(const clibav_functions *functions, AVFormatContext *format, int descriptor) {
    const int size = 32768;
    uint8_t *buffer = functions->av_malloc((size_t)size);
    if (!buffer) return false;
    format->pb = functions->avio_alloc_context(buffer, size, 0, (void *)(intptr_t)descriptor, read_some, NULL, seek_to);
    if (!format->pb) {
        functions->av_free(buffer);
        return false;
    }
    format->flags |= AVFMT_FLAG_CUSTOM_IO;
    format->io_open = open_nothing;
    return true;
}

void clibav_close_descriptor(const clibav_functions *functions, AVIOContext **source) {
    if (!*source) return;
    functions->av_free((*source)->buffer);
    functions->avio_context_free(source);
}
