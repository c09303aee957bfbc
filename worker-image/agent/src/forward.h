/*
 * What a task prints, on the container's own stdout or stderr: whole lines with the task's name in front, bounded in
 * length and rate, never waiting. What is not shown is counted and said.
 */
#ifndef QUIVER_FORWARD_H
#define QUIVER_FORWARD_H

#include <stdbool.h>

#include "quiver/layout.h"
#include "slotlog.h"

enum {
    FORWARD_LINE = 1024,          /* longer lines are cut */
    FORWARD_BURST = 256 * 1024,   /* bytes at once */
    FORWARD_RATE = 64 * 1024,     /* bytes a second after that */
    FORWARD_RESUME = 16 * 1024,   /* credit to gather before a silenced stream is heard again */
    FORWARD_DEBT = 16 * 1024,     /* that the words about dropped bytes may take beyond */
    FORWARD_WRITE = 4096,         /* PIPE_BUF: a write of at most this is not mixed with another's */
};

struct forward {
    int fd;
    struct slot_log *log;         /* has these lines as well; NULL: they are a task's */
    const char *word;             /* what the log calls this stream */
    size_t prefix_length;
    char prefix[QV_NAME_BYTES + 3];
    int64_t credit;               /* bytes that may be shown now */
    uint64_t credited;            /* when credit was last refilled, ns */
    uint64_t dropped;             /* bytes not shown and not yet said */
    bool silenced;                /* out of credit, until there is enough to be worth it */
    bool in_line;                 /* the line that began is being dropped or cut */
    size_t fill;
    char line[FORWARD_LINE];
    size_t pending;
    uint64_t pending_payload;     /* bytes of the task that the batch stands for */
    char batch[FORWARD_WRITE];
};

/* Once for each slot and stream. */
void forward_open(struct forward *forward, int fd, uint64_t now);

/* A task begins: its name, of which control characters become '?'. */
void forward_begin(struct forward *forward, const char *name, size_t length);

/* From now on its lines are kept in this log too, under this word; NULL: no longer. */
void forward_log(struct forward *forward, struct slot_log *log, const char *word);

/* Bytes of the task. */
void forward_bytes(struct forward *forward, const char *bytes, size_t length, uint64_t now);

/* The task is over: an unfinished line is shown, what was dropped is said. */
void forward_end(struct forward *forward, uint64_t now);

#endif
