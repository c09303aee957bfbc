/* The last bytes of a stream: a ring in memory, written to its file when the task is over. */
#ifndef QUIVER_TAIL_H
#define QUIVER_TAIL_H

#include "quiver/layout.h"

struct tail {
    uint64_t total;             /* bytes ever; the next one goes to total % QV_TAIL_BYTES */
    char ring[QV_TAIL_BYTES];
};

/* Adds bytes; those older than the ring is long are forgotten. */
void tail_add(struct tail *tail, const char *bytes, size_t length);

/* Writes the ring to its file, byte for byte at the same place. Returns 0 or -1 with errno. */
int tail_write(const struct tail *tail, int fd);

#endif
