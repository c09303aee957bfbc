/* The input of a command as a file of its exact length, under a name in the volume `out` that stays the same. */
#ifndef QUIVER_INPUT_H
#define QUIVER_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "quiver/slots.h"

struct input_file {
    int dir;          /* the volume `out` */
    unsigned slot;
    int fd;           /* a sealed memory file; its number never changes, for the name leads to it */
    bool empty;
};

/* The name of a slot's input in the volume. */
void input_name(unsigned slot, char *to, size_t size);

/* An empty input. 0, or -1 with words. */
int input_open(struct input_file *input, int dir, unsigned slot, struct qv_error *error);

/* Puts these bytes in the place of what was there, and the name where it is missing. 0, or -1 with words. */
int input_put(struct input_file *input, const void *bytes, size_t length, struct qv_error *error);

/* Gives the memory back. */
void input_clear(struct input_file *input);

#endif
