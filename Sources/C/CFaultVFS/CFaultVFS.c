#include "CFaultVFS.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct fault_disk {
    char *directory;
    size_t directory_length;
    bool recording;
    pthread_mutex_t lock;
    // All below: under `lock`.
    fault_record *records;
    size_t count;
    size_t capacity;
    uint64_t syncs;
    int64_t growth_left;
    bool failing_syncs;
    // Names of the files whose first contents are in the record.
    char **known;
    size_t known_count;
    fault_disk *next;
};

typedef struct fault_file {
    sqlite3_file base;
    // NULL for a file that nobody watches.
    fault_disk *disk;
    char *name;
    // SQLite flushes the directory with the first fsync of a new WAL or journal (unixSync in os_unix.c).
    bool directory_pending;
    sqlite3_file *real;
} fault_file;

static pthread_mutex_t disks_lock = PTHREAD_MUTEX_INITIALIZER;
static fault_disk *disks;
static sqlite3_vfs *real_vfs;
static sqlite3_vfs vfs;

// MARK: - The record

static const char *name_within(const fault_disk *disk, const char *path) {
    if (strncmp(path, disk->directory, disk->directory_length) != 0) return NULL;
    if (path[disk->directory_length] != '/') return NULL;
    const char *name = path + disk->directory_length + 1;
    return *name != 0 && strchr(name, '/') == NULL ? name : NULL;
}

static fault_disk *disk_of(const char *path, const char **name) {
    fault_disk *found = NULL;
    if (path == NULL) return NULL;
    pthread_mutex_lock(&disks_lock);
    for (fault_disk *disk = disks; disk != NULL && found == NULL; disk = disk->next) {
        *name = name_within(disk, path);
        if (*name != NULL) found = disk;
    }
    pthread_mutex_unlock(&disks_lock);
    return found;
}

/// Appends under the disk's lock. A test without memory has nothing to say, so it stops.
static void append(fault_disk *disk, fault_record record) {
    if (!disk->recording) return;
    if (disk->count == disk->capacity) {
        disk->capacity = disk->capacity == 0 ? 1024 : disk->capacity * 2;
        disk->records = realloc(disk->records, disk->capacity * sizeof(fault_record));
        if (disk->records == NULL) abort();
    }
    record.name = strdup(record.name);
    if (record.name == NULL) abort();
    if (record.length > 0) {
        uint8_t *copy = malloc(record.length);
        if (copy == NULL) abort();
        memcpy(copy, record.data, record.length);
        record.data = copy;
    } else {
        record.data = NULL;
    }
    disk->records[disk->count] = record;
    disk->count += 1;
}

static void forget(fault_disk *disk, const char *name) {
    for (size_t i = 0; i < disk->known_count; i++) {
        if (strcmp(disk->known[i], name) != 0) continue;
        free(disk->known[i]);
        disk->known[i] = disk->known[disk->known_count - 1];
        disk->known_count -= 1;
        return;
    }
}

/// Whether the file is met for the first time; from then on it is known.
static bool meet(fault_disk *disk, const char *name) {
    for (size_t i = 0; i < disk->known_count; i++) {
        if (strcmp(disk->known[i], name) == 0) return false;
    }
    disk->known = realloc(disk->known, (disk->known_count + 1) * sizeof(char *));
    if (disk->known == NULL) abort();
    disk->known[disk->known_count] = strdup(name);
    disk->known_count += 1;
    return true;
}

// MARK: - Files

static sqlite3_file *real_of(sqlite3_file *file) { return ((fault_file *)file)->real; }

static int file_close(sqlite3_file *file) {
    fault_file *self = (fault_file *)file;
    int rc = self->real->pMethods->xClose(self->real);
    free(self->name);
    self->name = NULL;
    return rc;
}

static int file_read(sqlite3_file *file, void *into, int count, sqlite3_int64 offset) {
    return real_of(file)->pMethods->xRead(real_of(file), into, count, offset);
}

static int file_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 offset) {
    fault_file *self = (fault_file *)file;
    fault_disk *disk = self->disk;
    if (disk == NULL) return self->real->pMethods->xWrite(self->real, from, count, offset);
    pthread_mutex_lock(&disk->lock);
    int rc = SQLITE_OK;
    if (disk->growth_left >= 0) {
        sqlite3_int64 size = 0;
        rc = self->real->pMethods->xFileSize(self->real, &size);
        sqlite3_int64 growth = offset + count - size;
        if (rc == SQLITE_OK && growth > disk->growth_left) rc = SQLITE_FULL;
        if (rc == SQLITE_OK && growth > 0) disk->growth_left -= growth;
    }
    if (rc == SQLITE_OK) rc = self->real->pMethods->xWrite(self->real, from, count, offset);
    if (rc == SQLITE_OK) {
        append(disk, (fault_record){
            .kind = FAULT_WRITE, .name = self->name, .offset = offset, .data = from, .length = (size_t)count});
    }
    pthread_mutex_unlock(&disk->lock);
    return rc;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    fault_file *self = (fault_file *)file;
    fault_disk *disk = self->disk;
    if (disk == NULL) return self->real->pMethods->xTruncate(self->real, size);
    pthread_mutex_lock(&disk->lock);
    int rc = self->real->pMethods->xTruncate(self->real, size);
    if (rc == SQLITE_OK) append(disk, (fault_record){.kind = FAULT_TRUNCATE, .name = self->name, .offset = size});
    pthread_mutex_unlock(&disk->lock);
    return rc;
}

static int file_sync(sqlite3_file *file, int flags) {
    fault_file *self = (fault_file *)file;
    fault_disk *disk = self->disk;
    if (disk == NULL) return self->real->pMethods->xSync(self->real, flags);
    pthread_mutex_lock(&disk->lock);
    int rc = disk->failing_syncs ? SQLITE_IOERR_FSYNC : self->real->pMethods->xSync(self->real, flags);
    if (rc == SQLITE_OK) {
        disk->syncs += 1;
        append(disk, (fault_record){.kind = FAULT_SYNC, .name = self->name, .directory = self->directory_pending});
        self->directory_pending = false;
    }
    pthread_mutex_unlock(&disk->lock);
    return rc;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
static int file_lock(sqlite3_file *file, int level) { return real_of(file)->pMethods->xLock(real_of(file), level); }
static int file_unlock(sqlite3_file *file, int level) { return real_of(file)->pMethods->xUnlock(real_of(file), level); }
static int file_check_lock(sqlite3_file *file, int *reserved) {
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), reserved);
}
static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}
static int file_sector_size(sqlite3_file *file) { return real_of(file)->pMethods->xSectorSize(real_of(file)); }
static int file_characteristics(sqlite3_file *file) {
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}
static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, memory);
}
static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}
static void file_shm_barrier(sqlite3_file *file) { real_of(file)->pMethods->xShmBarrier(real_of(file)); }
static int file_shm_unmap(sqlite3_file *file, int delete) {
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete);
}

// Version 2: shared memory for the WAL index, but no xFetch, so that no write goes past xWrite through a memory map.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// MARK: - The VFS

/// Notes a file with what it holds already.
static void note_open(fault_file *self, bool existed) {
    fault_disk *disk = self->disk;
    uint8_t *held = NULL;
    sqlite3_int64 size = 0;
    if (existed && self->real->pMethods->xFileSize(self->real, &size) == SQLITE_OK && size > 0) {
        held = malloc((size_t)size);
        if (held == NULL || self->real->pMethods->xRead(self->real, held, (int)size, 0) != SQLITE_OK) size = 0;
    }
    // `directory`: an entry that was there before the disk was attached is durable.
    append(disk, (fault_record){
        .kind = FAULT_OPEN, .name = self->name, .data = held, .length = (size_t)size, .directory = existed});
    free(held);
}

static int vfs_open(sqlite3_vfs *unused, sqlite3_filename path, sqlite3_file *file, int flags, int *flags_out) {
    (void)unused;
    fault_file *self = (fault_file *)file;
    memset(self, 0, sizeof(*self));
    self->real = (sqlite3_file *)(self + 1);
    const char *name = NULL;
    fault_disk *disk = disk_of(path, &name);
    int existed = 0;
    if (disk != NULL) real_vfs->xAccess(real_vfs, path, SQLITE_ACCESS_EXISTS, &existed);
    int rc = real_vfs->xOpen(real_vfs, path, self->real, flags, flags_out);
    if (rc != SQLITE_OK || self->real->pMethods == NULL) return rc;
    if (disk != NULL) {
        self->disk = disk;
        self->name = strdup(name);
        if (self->name == NULL) abort();
        int journals = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL;
        self->directory_pending = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & journals) != 0;
        pthread_mutex_lock(&disk->lock);
        if (meet(disk, name)) note_open(self, existed != 0);
        pthread_mutex_unlock(&disk->lock);
    }
    self->base.pMethods = &methods;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *unused, const char *path, int sync_directory) {
    (void)unused;
    const char *name = NULL;
    fault_disk *disk = disk_of(path, &name);
    if (disk == NULL) return real_vfs->xDelete(real_vfs, path, sync_directory);
    pthread_mutex_lock(&disk->lock);
    int rc = real_vfs->xDelete(real_vfs, path, sync_directory);
    if (rc == SQLITE_OK) {
        forget(disk, name);
        append(disk, (fault_record){.kind = FAULT_DELETE, .name = name, .directory = sync_directory != 0});
    }
    pthread_mutex_unlock(&disk->lock);
    return rc;
}

static int vfs_access(sqlite3_vfs *unused, const char *path, int flags, int *result) {
    (void)unused;
    return real_vfs->xAccess(real_vfs, path, flags, result);
}
static int vfs_full_pathname(sqlite3_vfs *unused, const char *path, int count, char *out) {
    (void)unused;
    return real_vfs->xFullPathname(real_vfs, path, count, out);
}
static int vfs_randomness(sqlite3_vfs *unused, int count, char *out) {
    (void)unused;
    return real_vfs->xRandomness(real_vfs, count, out);
}
static int vfs_sleep(sqlite3_vfs *unused, int microseconds) {
    (void)unused;
    return real_vfs->xSleep(real_vfs, microseconds);
}
static int vfs_current_time(sqlite3_vfs *unused, double *now) {
    (void)unused;
    return real_vfs->xCurrentTime(real_vfs, now);
}
static int vfs_last_error(sqlite3_vfs *unused, int count, char *out) {
    (void)unused;
    return real_vfs->xGetLastError(real_vfs, count, out);
}

int fault_vfs_install(void) {
    pthread_mutex_lock(&disks_lock);
    int rc = SQLITE_OK;
    if (real_vfs == NULL) {
        sqlite3_vfs *found = sqlite3_vfs_find(NULL);
        if (found == NULL) {
            rc = SQLITE_ERROR;
        } else {
            vfs = (sqlite3_vfs){
                .iVersion = 1,
                .szOsFile = (int)sizeof(fault_file) + found->szOsFile,
                .mxPathname = found->mxPathname,
                .zName = "ovation-fault",
                .xOpen = vfs_open,
                .xDelete = vfs_delete,
                .xAccess = vfs_access,
                .xFullPathname = vfs_full_pathname,
                .xRandomness = vfs_randomness,
                .xSleep = vfs_sleep,
                .xCurrentTime = vfs_current_time,
                .xGetLastError = vfs_last_error,
            };
            real_vfs = found;
            rc = sqlite3_vfs_register(&vfs, 1);
        }
    }
    pthread_mutex_unlock(&disks_lock);
    return rc;
}

// MARK: - Disks

fault_disk *fault_disk_attach(const char *directory, bool recording) {
    fault_disk *disk = calloc(1, sizeof(fault_disk));
    if (disk == NULL) return NULL;
    disk->directory = strdup(directory);
    if (disk->directory == NULL) {
        free(disk);
        return NULL;
    }
    disk->directory_length = strlen(directory);
    disk->recording = recording;
    disk->growth_left = -1;
    pthread_mutex_init(&disk->lock, NULL);
    pthread_mutex_lock(&disks_lock);
    disk->next = disks;
    disks = disk;
    pthread_mutex_unlock(&disks_lock);
    return disk;
}

void fault_disk_detach(fault_disk *disk) {
    pthread_mutex_lock(&disks_lock);
    for (fault_disk **link = &disks; *link != NULL; link = &(*link)->next) {
        if (*link != disk) continue;
        *link = disk->next;
        break;
    }
    pthread_mutex_unlock(&disks_lock);
    for (size_t i = 0; i < disk->count; i++) {
        free((void *)disk->records[i].name);
        free((void *)disk->records[i].data);
    }
    for (size_t i = 0; i < disk->known_count; i++) free(disk->known[i]);
    free(disk->known);
    free(disk->records);
    free(disk->directory);
    pthread_mutex_destroy(&disk->lock);
    free(disk);
}

void fault_disk_mark(fault_disk *disk, int64_t value) {
    pthread_mutex_lock(&disk->lock);
    append(disk, (fault_record){.kind = FAULT_MARK, .name = "", .offset = value});
    pthread_mutex_unlock(&disk->lock);
}

uint64_t fault_disk_syncs(fault_disk *disk) {
    pthread_mutex_lock(&disk->lock);
    uint64_t syncs = disk->syncs;
    pthread_mutex_unlock(&disk->lock);
    return syncs;
}

void fault_disk_limit_growth(fault_disk *disk, int64_t bytes) {
    pthread_mutex_lock(&disk->lock);
    disk->growth_left = bytes;
    pthread_mutex_unlock(&disk->lock);
}

void fault_disk_fail_syncs(fault_disk *disk, bool failing) {
    pthread_mutex_lock(&disk->lock);
    disk->failing_syncs = failing;
    pthread_mutex_unlock(&disk->lock);
}

size_t fault_disk_count(fault_disk *disk) {
    pthread_mutex_lock(&disk->lock);
    size_t count = disk->count;
    pthread_mutex_unlock(&disk->lock);
    return count;
}

bool fault_disk_record(fault_disk *disk, size_t index, fault_record *record) {
    pthread_mutex_lock(&disk->lock);
    bool found = index < disk->count;
    if (found) *record = disk->records[index];
    pthread_mutex_unlock(&disk->lock);
    return found;
}
