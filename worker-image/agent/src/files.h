/*
 * A slot's three files in the volume `out`: its output, and the tails of stdout and stderr. While a command runs, its
 * output has a second name, `task-N/output`: the task may write that file or put another one in its place, and whatever
 * else it leaves in the folder is removed behind it.
 */
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

/* The name of the folder in which a command finds its output. */
void files_folder(unsigned slot, char *to, size_t size);

/* Removes a name in a folder and all below it; never follows a link. */
void files_remove(int dir, const char *name);

/* Makes the files anew, allocated in full; the output is empty. Whatever stood in their place is removed. */
int files_create(struct slot_files *files, struct qv_error *error);

/* Opens files that another process made. What cannot be opened is left for files_clean to make anew. */
void files_open(struct slot_files *files);

/* Before the next task: files that the last one touched are made anew, its folder is empty. */
int files_clean(struct slot_files *files, struct qv_error *error);

/* Before a command: its output gets the second name. */
int files_offer(const struct slot_files *files, struct qv_error *error);

/*
 * At a command's end: its output, be it our file or one that the task put in its place, is `task-N.out` and nothing else.
 * Returns its size, or OUTPUT_INVALID or OUTPUT_TOO_LARGE with words.
 */
enum qv_reason files_output(const struct slot_files *files, uint64_t limit, uint64_t *bytes, struct qv_error *error);

/* Closes the descriptors. */
void files_close(struct slot_files *files);

#endif
