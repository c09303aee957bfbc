/*
 * All that a stream had, in a file on a disk, within a bound: its beginning stays, the rest of the bound is a ring with
 * its end. The supervisor opens the file before it acknowledges the task; the next task gets another file.
 */
#ifndef QUIVER_WHOLE_H
#define QUIVER_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct whole {
    int dir;            /* the volume; -1: there is none */
    unsigned slot;
    const char *ending; /* of the file's name */
    uint64_t limit;     /* bytes of the file at most; 0: nothing is kept */
    uint64_t total;     /* bytes ever */
    int fd;             /* -1: no file is open */
    bool made;          /* a file was made and not removed */
    bool failed;        /* not all of it could be written, and the file is empty or gone */
};

/* Once for each stream. The file of an earlier runner is removed. */
void whole_open(struct whole *whole, int dir, unsigned slot, const char *ending);

/* A task begins, of which so many bytes are kept at most. The file is made with its first byte. */
void whole_begin(struct whole *whole, uint64_t limit);

/* Adds bytes. On a disk that is full nothing is kept, and the agent's log has it. */
void whole_add(struct whole *whole, const char *bytes, size_t length);

/* The task is over, and nothing is added any more: its file stays until whole_clear. */
void whole_end(struct whole *whole);

/* Removes the file. A reader that has it open goes on. */
void whole_clear(struct whole *whole);

/* Bytes of the beginning that are kept: the first MiB, of a small limit its half. */
static inline uint64_t whole_head(uint64_t limit) { return limit / 2 < 1048576 ? limit / 2 : 1048576; }

#endif
