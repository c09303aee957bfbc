#define _GNU_SOURCE
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input.h"
#include "memory.h"

static const char *const endings[SLOT_FILES] = {"out", "stdout", "stderr"};

void files_name(unsigned slot, unsigned which, char *to, size_t size) {
    snprintf(to, size, "task-%u.%s", slot, endings[which]);
}

static uint64_t pages(uint64_t bytes) { return (bytes + QV_PAGE - 1) / QV_PAGE * QV_PAGE; }

static uint64_t reserved(const struct slot_files *files, unsigned which) {
    return which == FILE_OUT ? pages(files->out_capacity) : QV_TAIL_BYTES;
}

/* Removes a name and all below it; never follows a link. */
static void remove_name(int dir, const char *name, unsigned depth) {
    if (unlinkat(dir, name, 0) == 0 || (errno != EISDIR && errno != EPERM) || depth == 0) {
        return;
    }
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (folder == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            remove_name(fd, entry->d_name, depth - 1);
        }
    }
    closedir(folder);
    unlinkat(dir, name, AT_REMOVEDIR);
}

enum { DEPTH = 64 };

void files_remove(int dir, const char *name) { remove_name(dir, name, DEPTH); }

/* What tasks left in the volume beside the slots' own files. */
static void remove_foreign(int dir) {
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        bool ours = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        unsigned slot;
        char ending[8], name[32];
        if (sscanf(entry->d_name, "task-%u.%7s", &slot, ending) == 2 && slot < QV_MAX_SLOTS) {
            for (unsigned which = 0; which < SLOT_FILES; which++) {
                files_name(slot, which, name, sizeof name);
                ours |= strcmp(name, entry->d_name) == 0;
            }
            input_name(slot, name, sizeof name);
            ours |= strcmp(name, entry->d_name) == 0;
        }
        if (!ours) {
            remove_name(dir, entry->d_name, DEPTH);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

static int allocate(int fd, unsigned which, uint64_t bytes) {
    int mode = which == FILE_OUT ? FALLOC_FL_KEEP_SIZE : 0;
    if (fallocate(fd, mode, 0, (off_t)bytes) == 0) {
        return 0;
    }
    if (errno == EOPNOTSUPP) { /* not a tmpfs: no promise about a full volume, and nothing else lost */
        return which == FILE_OUT ? 0 : ftruncate(fd, (off_t)bytes);
    }
    return -1;
}

static int create(struct slot_files *files, unsigned which, struct qv_error *error) {
    char name[32];
    uint64_t bytes = reserved(files, which), room;
    files_name(files->slot, which, name, sizeof name);
    if (files->fd[which] >= 0) {
        close(files->fd[which]);
        files->fd[which] = -1;
    }
    remove_name(files->dir, name, DEPTH);
    /* On tmpfs an allocation beyond the memory limit does not fail, it invites the out-of-memory killer. */
    if (memory_room(NULL, &room) && room < bytes) {
        return qv_fail(error, "%s takes %llu bytes, the container's memory limit leaves %llu: raise the limit or lower"
                       " slots.outputSize", name, (unsigned long long)bytes, (unsigned long long)room);
    }
    int fd = openat(files->dir, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0664);
    if (fd < 0) {
        return qv_fail(error, "%s cannot be made in the volume for outputs: %s", name, strerror(errno));
    }
    fchmod(fd, 0664);
    if (allocate(fd, which, bytes) < 0) {
        remove_foreign(files->dir);
        if (allocate(fd, which, bytes) < 0) {
            int why = errno;
            close(fd);
            remove_name(files->dir, name, DEPTH);
            return qv_fail(error, "%s takes %llu bytes, which the volume for outputs does not have: %s", name,
                           (unsigned long long)bytes, strerror(why));
        }
    }
    struct stat status;
    fstat(fd, &status);
    files->fd[which] = fd;
    files->inode[which] = status.st_ino;
    return 0;
}

int files_create(struct slot_files *files, struct qv_error *error) {
    for (unsigned which = 0; which < SLOT_FILES; which++) {
        files->fd[which] = -1;
    }
    for (unsigned which = 0; which < SLOT_FILES; which++) {
        if (create(files, which, error) < 0) {
            files_close(files);
            return -1;
        }
    }
    return 0;
}

/* Whether the file is still the one that we made, whole, and for the output empty. */
static bool intact(const struct slot_files *files, unsigned which) {
    char name[32];
    struct stat status;
    files_name(files->slot, which, name, sizeof name);
    off_t size = which == FILE_OUT ? 0 : QV_TAIL_BYTES;
    return files->fd[which] >= 0 && fstatat(files->dir, name, &status, AT_SYMLINK_NOFOLLOW) == 0
           && S_ISREG(status.st_mode) && status.st_nlink == 1 && status.st_ino == files->inode[which]
           && status.st_size == size && (uint64_t)status.st_blocks * 512 >= reserved(files, which);
}

void files_open(struct slot_files *files) {
    for (unsigned which = 0; which < SLOT_FILES; which++) {
        char name[32];
        struct stat status;
        files_name(files->slot, which, name, sizeof name);
        files->fd[which] = openat(files->dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (files->fd[which] >= 0 && fstat(files->fd[which], &status) == 0) {
            files->inode[which] = status.st_ino;
        }
    }
}

int files_clean(struct slot_files *files, struct qv_error *error) {
    for (unsigned which = 0; which < SLOT_FILES; which++) {
        if (!intact(files, which) && create(files, which, error) < 0) {
            return -1;
        }
    }
    return 0;
}

enum qv_reason files_output(const struct slot_files *files, uint64_t limit, uint64_t *bytes, struct qv_error *error) {
    char name[32];
    struct stat status;
    *bytes = 0;
    files_name(files->slot, FILE_OUT, name, sizeof name);
    if (fstatat(files->dir, name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        qv_fail(error, "output: the file is gone (%s)", strerror(errno));
        return QV_OUTPUT_INVALID;
    }
    if (!S_ISREG(status.st_mode) || status.st_nlink != 1) {
        qv_fail(error, "output: %s", S_ISREG(status.st_mode) ? "the file has more than one name" : "not a plain file");
        return QV_OUTPUT_INVALID;
    }
    if ((uint64_t)status.st_size > limit) {
        qv_fail(error, "output: %llu bytes were written, the slot takes %llu", (unsigned long long)status.st_size,
                (unsigned long long)limit);
        return QV_OUTPUT_TOO_LARGE;
    }
    *bytes = (uint64_t)status.st_size;
    return QV_REASON_NONE;
}

void files_close(struct slot_files *files) {
    for (unsigned which = 0; which < SLOT_FILES; which++) {
        if (files->fd[which] >= 0) {
            close(files->fd[which]);
            files->fd[which] = -1;
        }
    }
}
