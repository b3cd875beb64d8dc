// An SQLite VFS for tests: it passes every call on to the platform's VFS, and for files inside an attached
// directory (a "disk") it also writes down what reached the disk in which order, counts fsyncs, and can refuse space or
// fsyncs. Cutting that record at any point and dropping what no fsync covered gives the bytes that survive a power loss.
//
// Thread-safe: each disk has one lock, which orders its record.

#ifndef CFAULTVFS_H
#define CFAULTVFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fault_disk fault_disk;

typedef enum fault_kind {
    /// A file was created, or seen for the first time; `data` is what it held already (that part counts as durable).
    FAULT_OPEN = 1,
    FAULT_WRITE = 2,
    /// `offset` is the new length.
    FAULT_TRUNCATE = 3,
    /// fsync of one file; `directory` says whether the directory was flushed with it.
    FAULT_SYNC = 4,
    FAULT_DELETE = 5,
    /// A note of the test's own between two operations; its value is in `offset`.
    FAULT_MARK = 6,
} fault_kind;

typedef struct fault_record {
    fault_kind kind;
    /// The file's name without its directory; empty for a mark.
    const char *name;
    int64_t offset;
    const uint8_t *data;
    size_t length;
    bool directory;
} fault_record;

/// Makes the fault VFS the default of this process (once; later calls do nothing). Returns an SQLite result code.
int fault_vfs_install(void);

/// Starts watching files directly inside `directory` (an absolute path). Install first. NULL without memory.
fault_disk *fault_disk_attach(const char *directory, bool recording);

/// Stops watching and frees the record. Every connection to its files must be closed.
void fault_disk_detach(fault_disk *disk);

void fault_disk_mark(fault_disk *disk, int64_t value);

/// fsyncs of files so far.
uint64_t fault_disk_syncs(fault_disk *disk);

/// How many bytes files may still grow by before SQLITE_FULL; negative: no limit.
void fault_disk_limit_growth(fault_disk *disk, int64_t bytes);

/// While set, every fsync fails, and nothing that it was meant to cover counts as durable.
void fault_disk_fail_syncs(fault_disk *disk, bool failing);

size_t fault_disk_count(fault_disk *disk);

/// The record at `index`; its pointers stay valid until the disk is detached.
bool fault_disk_record(fault_disk *disk, size_t index, fault_record *record);

#endif
