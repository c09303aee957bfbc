/* Results of jobs in files of a directory that workers share: their end. */
#ifndef QUIVER_SCRATCH_H
#define QUIVER_SCRATCH_H

/*
 * Removes the directory of a job, /path/job, and all below it, after a mark in /path/.over that late writers look for.
 * Marks go after a day. NULL is an error. Returns the exit code.
 */
int scratch_remove(const char *directory);

#endif
