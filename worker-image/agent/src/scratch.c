#define _GNU_SOURCE
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "runner.h"
#include "say.h"

static const char marks_name[] = ".over";

enum { TRIES = 16, MARK_SECONDS = 24 * 60 * 60 };

/* Those who write meanwhile find the mark, and remove what they wrote; so this ends. */
static bool removed(int dir, const char *job) {
    for (int i = 0; i < TRIES; i++) {
        files_remove(dir, job);
        if (faccessat(dir, job, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT) {
            return true;
        }
    }
    errno = ENOTEMPTY;
    return false;
}

static int mark(int dir, const char *job) {
    if (mkdirat(dir, marks_name, 0777) < 0 && errno != EEXIST) {
        return -1;
    }
    int marks = openat(dir, marks_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int made = marks < 0 ? -1 : openat(marks, job, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (made < 0) {
        int why = errno;
        if (marks >= 0) {
            close(marks);
        }
        errno = why;
        return -1;
    }
    close(made);
    return marks;
}

/* Of jobs that ended long ago: nobody writes for them any more. A writer that died before it looked may have left a file. */
static void forget_old(int dir, int marks) {
    DIR *folder = fdopendir(marks);
    if (folder == NULL) {
        close(marks);
        return;
    }
    struct dirent *entry;
    struct stat status;
    time_t now = time(NULL);
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0
            && fstatat(marks, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0
            && now - status.st_mtime > MARK_SECONDS && removed(dir, entry->d_name)) {
            unlinkat(marks, entry->d_name, 0);
        }
    }
    closedir(folder);
}

int scratch_remove(const char *directory) {
    char path[PATH_MAX];
    const char *slash = directory == NULL ? NULL : strrchr(directory, '/');
    size_t parent = slash == NULL ? 0 : (size_t)(slash - directory);
    const char *job = slash == NULL ? "" : slash + 1;
    if (parent == 0 || parent >= sizeof path || directory[0] != '/' || job[0] == 0 || job[0] == '.') {
        say("%s is no directory of a job: /path/job is needed, in $QUIVER_SCRATCH", directory == NULL ? "nothing" : directory);
        return EXIT_USAGE;
    }
    memcpy(path, directory, parent);
    path[parent] = 0;
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0 && errno == ENOENT) {
        return 0; /* nobody can have written */
    }
    int marks = dir < 0 ? -1 : mark(dir, job);
    bool done = marks >= 0 && removed(dir, job);
    if (!done) {
        say("%s cannot be removed: %s", directory, strerror(errno));
    }
    if (marks >= 0) {
        forget_old(dir, marks);
    }
    if (dir >= 0) {
        close(dir);
    }
    return done ? 0 : EXIT_WORDS;
}
