/* A slot's three files in the volume `out`: its output, and the tails of stdout and stderr. */
#ifndef QUIVER_FILES_H
#define QUIVER_FILES_H

#include <sys/types.h>

#include "quiver/slots.h"

enum { FILE_OUT, FILE_STDOUT, FILE_STDERR, SLOT_FILES };

struct slot_files {
    int dir;
    unsigned slot;
    uint64_t out_capacity;
    int fd[SLOT_FILES];
    ino_t inode[SLOT_FILES];
};

/* The file's name in the volume. */
void files_name(unsigned slot, unsigned which, char *to, size_t size);

/* Removes a name in a folder and all below it; never follows a link. */
void files_remove(int dir, const char *name);

/* Makes the files anew, allocated in full; the output is empty. Whatever stood in their place is removed. */
int files_create(struct slot_files *files, struct qv_error *error);

/* Opens files that another process made. What cannot be opened is left for files_clean to make anew. */
void files_open(struct slot_files *files);

/* After a task: files that it touched are made anew. Costs three stats when it did not. */
int files_clean(struct slot_files *files, struct qv_error *error);

/* The output's size, or OUTPUT_INVALID or OUTPUT_TOO_LARGE with words. */
enum qv_reason files_output(const struct slot_files *files, uint64_t limit, uint64_t *bytes, struct qv_error *error);

/* Closes the descriptors. */
void files_close(struct slot_files *files);

#endif
