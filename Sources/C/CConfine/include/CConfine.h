#ifndef OVATION_CCONFINE_H
#define OVATION_CCONFINE_H

#include <stddef.h>
#include <stdint.h>

/// Gives up every right of this process but to compute, to read and write the descriptors 0, 1 and 2, and to take memory: no files, no
/// network, no processes, no code that was not loaded before. Whatever else it tries ends it. For good, and for all its threads.
///
/// `memory`: bytes of data; `processor_seconds`: of processor time from the start of the process on.
/// 0, or the number of the step that failed (see CConfine.c): then the process is not confined and must not touch what it was given.
int confine_process(uint64_t memory, uint64_t processor_seconds);

/// A file in memory that holds these bytes, to be read from its beginning, and that no other child inherits. A descriptor, or -1 with errno.
int confine_memory_file(const void *_Nullable bytes, size_t count);

/// A pipe that no other child inherits. 0, or errno.
int confine_pipe(int *_Nonnull ends);

/// Starts a program with `input` as its descriptor 0, `output` as 1, nothing else of ours open, no environment (no secrets, no paths to
/// load from) and no blocked signals. `arguments` ends with NULL; `niceness` is the child's, 0 to 19. 0, or errno.
int confine_spawn(const char *_Nonnull program, char *_Nullable const *_Nonnull arguments, int input, int output, int niceness,
                  int *_Nonnull child);

#endif
