/* Cuts files into chunks of a job. */
#ifndef QUIVER_SPLIT_H
#define QUIVER_SPLIT_H

/*
 * Writes a JSON object a line, or a blank one where there is none, to the file `output`: the chunks of `size` lines, bytes, files or
 * rowGroups that the files at `path` have, which may be a file, a folder or a pattern. Returns the exit code.
 */
int split_files(const char *unit, const char *size, const char *path, const char *output);

#endif
