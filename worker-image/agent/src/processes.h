/* The processes that /proc shows. */
#ifndef QUIVER_PROCESSES_H
#define QUIVER_PROCESSES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROCESSES_MOST = 4096 };

struct process {
    pid_t pid, parent;
};

/* Reads at most PROCESSES_MOST of them; returns how many. */
unsigned processes_read(struct process *to);

/* Which of `roots` is all[at] itself, or its nearest ancestor; -1: none. Roots of 0 are passed over. */
int process_root(const struct process *all, unsigned count, unsigned at, const pid_t *roots, unsigned root_count);

/* Bytes of memory that are the process's alone. */
uint64_t process_memory(pid_t pid);

/* Reads a file of /proc and ends it with NUL; the number of bytes, 0 if there is none. */
size_t process_file(const char *path, char *to, size_t size);

#endif
