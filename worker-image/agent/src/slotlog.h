/*
 * What a slot's process prints while it works at no task, and how it began and ended: the last lines, with their times,
 * in the file `task-N.log` of the volume for outputs. The supervisor puts them into the record of runs.
 */
#ifndef QUIVER_SLOTLOG_H
#define QUIVER_SLOTLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "quiver/layout.h"

struct slot_log {
    int dir;
    unsigned slot;
    bool changed;            /* since the file was written */
    size_t fill;
    char text[QV_LOG_BYTES]; /* whole lines */
};

/* The file's name in the volume. */
void slot_log_name(unsigned slot, char *to, size_t size);

/* Begins with what an earlier runner of the slot has left. */
void slot_log_open(struct slot_log *log, int dir, unsigned slot);

/*
 * Adds a line, which has no newline: the time, a word on where it comes from, the text as it is. The oldest lines make
 * room. A text that is longer than half the log loses its end.
 */
void slot_log_add(struct slot_log *log, const char *word, const char *text, size_t length);

/* Writes the file if there is something new. A failure is no one's business: the container's log has the lines too. */
void slot_log_write(struct slot_log *log);

#endif
