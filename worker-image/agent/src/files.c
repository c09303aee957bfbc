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
#include "slotlog.h"

static const char *const endings[SLOT_FILES] = {"out", "stdout", "stderr"};

static const char offered[] = "output"; /* the output's second name, in the slot's folder */

void files_name(unsigned slot, unsigned which, char *to, size_t size) {
    snprintf(to, size, "task-%u.%s", slot, endings[which]);
}

void files_folder(unsigned slot, char *to, size_t size) { snprintf(to, size, "task-%u", slot); }

static uint64_t pages(uint64_t bytes) { return (bytes + QV_PAGE - 1) / QV_PAGE * QV_PAGE; }

static uint64_t reserved(const struct slot_files *files, unsigned which) {
    return which == FILE_OUT ? pages(files->out_capacity) : QV_TAIL_BYTES;
}

static bool dots(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

static int open_folder(int dir, const char *name) {
    return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void remove_name(int dir, const char *name, unsigned depth);

/* Removes what a folder has; closes its descriptor. */
static void empty(int fd, unsigned depth) {
    DIR *folder = fdopendir(fd);
    if (folder == NULL) {
        close(fd);
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (!dots(entry->d_name)) {
            remove_name(fd, entry->d_name, depth);
        }
    }
    closedir(folder);
}

/* Removes a name and all below it; never follows a link. */
static void remove_name(int dir, const char *name, unsigned depth) {
    if (unlinkat(dir, name, 0) == 0 || (errno != EISDIR && errno != EPERM) || depth == 0) {
        return;
    }
    int fd = open_folder(dir, name);
    if (fd >= 0) {
        empty(fd, depth - 1);
        unlinkat(dir, name, AT_REMOVEDIR);
    }
}

enum { DEPTH = 64 };

void files_remove(int dir, const char *name) { remove_name(dir, name, DEPTH); }

/*
 * Whether a task's folder has more than its share: the room of one output, for a file that takes the output's place. The
 * output itself does not count. It is known by its inode: a task can give its own files as many names as it likes.
 */
static bool beyond_share(int dir, unsigned slot, uint64_t share) {
    char name[32], output[32];
    struct stat own = {0};
    files_folder(slot, name, sizeof name);
    files_name(slot, FILE_OUT, output, sizeof output);
    fstatat(dir, output, &own, AT_SYMLINK_NOFOLLOW);
    int fd = open_folder(dir, name);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (folder == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return true;
    }
    uint64_t sum = 0;
    struct dirent *entry;
    struct stat status;
    while ((entry = readdir(folder)) != NULL) {
        if (dots(entry->d_name) || fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
            continue;
        }
        sum += S_ISDIR(status.st_mode) ? share + 1 : status.st_ino == own.st_ino ? 0 : (uint64_t)status.st_blocks * 512;
    }
    closedir(folder);
    return sum > share;
}

/* Whether an entry of the volume is a slot's own. `share` is what a task may have in its folder. */
static bool ours(int dir, const char *entry, uint64_t share) {
    unsigned slot;
    char name[32];
    if (sscanf(entry, "task-%u", &slot) != 1 || slot >= QV_MAX_SLOTS) {
        return false;
    }
    files_folder(slot, name, sizeof name);
    if (strcmp(name, entry) == 0) {
        return !beyond_share(dir, slot, share);
    }
    for (unsigned which = 0; which < SLOT_FILES; which++) {
        files_name(slot, which, name, sizeof name);
        if (strcmp(name, entry) == 0) {
            return true;
        }
    }
    input_name(slot, name, sizeof name);
    if (strcmp(name, entry) == 0) {
        return true;
    }
    slot_log_name(slot, name, sizeof name);
    return strcmp(name, entry) == 0;
}

/* What tasks left in the volume beside the slots' own files, and what a running one has beyond its share. */
static void remove_foreign(int dir, uint64_t share) {
    int fd = open_folder(dir, ".");
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (!dots(entry->d_name) && !ours(dir, entry->d_name, share)) {
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
        remove_foreign(files->dir, reserved(files, FILE_OUT));
    }
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
        remove_foreign(files->dir, reserved(files, FILE_OUT));
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

static void clear_folder(const struct slot_files *files) {
    char name[32];
    files_folder(files->slot, name, sizeof name);
    int fd = open_folder(files->dir, name);
    if (fd >= 0) {
        empty(fd, DEPTH);
    } else {
        remove_name(files->dir, name, DEPTH);
    }
}

int files_create(struct slot_files *files, struct qv_error *error) {
    clear_folder(files);
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
    clear_folder(files);
    for (unsigned which = 0; which < SLOT_FILES; which++) {
        if (!intact(files, which) && create(files, which, error) < 0) {
            return -1;
        }
    }
    return 0;
}

int files_offer(const struct slot_files *files, struct qv_error *error) {
    char folder[32], name[32];
    files_folder(files->slot, folder, sizeof folder);
    files_name(files->slot, FILE_OUT, name, sizeof name);
    if (mkdirat(files->dir, folder, 0775) == 0) {
        fchmodat(files->dir, folder, 0775, 0);
    }
    int fd = open_folder(files->dir, folder);
    int done = fd < 0 ? -1 : linkat(files->dir, name, fd, offered, 0);
    int why = errno;
    if (fd >= 0) {
        close(fd);
    }
    return done == 0 ? 0 : qv_fail(error, "%s/%s cannot be made in the volume for outputs: %s", folder, offered, strerror(why));
}

/* The file that a task left as its output stands where the supervisor reads it, with that name alone. */
static int take(const struct slot_files *files, const char *name, struct qv_error *error) {
    char folder[32];
    struct stat status;
    files_folder(files->slot, folder, sizeof folder);
    int fd = open_folder(files->dir, folder);
    if (fd < 0 || fstatat(fd, offered, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        qv_fail(error, "output: the file is gone (%s)", strerror(errno));
    } else if ((status.st_ino == files->inode[FILE_OUT] ? unlinkat(fd, offered, 0)
                                                        : renameat(fd, offered, files->dir, name)) == 0) {
        close(fd);
        return 0;
    } else if (S_ISDIR(status.st_mode)) {
        qv_fail(error, "output: not a plain file");
    } else {
        qv_fail(error, "output: the file cannot be taken: %s", strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

enum qv_reason files_output(const struct slot_files *files, uint64_t limit, uint64_t *bytes, struct qv_error *error) {
    char name[32];
    struct stat status;
    *bytes = 0;
    files_name(files->slot, FILE_OUT, name, sizeof name);
    if (take(files, name, error) < 0) {
        return QV_OUTPUT_INVALID;
    }
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
