#define _GNU_SOURCE
#include "slotlog.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TIME_ROOM = 64 };

void slot_log_name(unsigned slot, char *to, size_t size) { snprintf(to, size, "task-%u.log", slot); }

/* Never a pipe or a link that a task put there: neither is waited for or followed. */
static int open_file(const struct slot_log *log, int flags) {
    char name[32];
    struct stat status;
    slot_log_name(log->slot, name, sizeof name);
    int fd = openat(log->dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0664);
    if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

void slot_log_open(struct slot_log *log, int dir, unsigned slot) {
    log->dir = dir;
    log->slot = slot;
    log->changed = false;
    log->fill = 0;
    int fd = open_file(log, O_RDONLY);
    if (fd < 0) {
        return;
    }
    ssize_t n = pread(fd, log->text, sizeof log->text, 0);
    close(fd);
    while (n > 0 && log->text[n - 1] != '\n') {
        n--;
    }
    log->fill = n > 0 ? (size_t)n : 0;
}

static void make_room(struct slot_log *log, size_t wanted) {
    size_t gone = 0;
    while (gone < log->fill && log->fill - gone + wanted > sizeof log->text) {
        const char *end = memchr(log->text + gone, '\n', log->fill - gone);
        gone = end == NULL ? log->fill : (size_t)(end - log->text) + 1;
    }
    memmove(log->text, log->text + gone, log->fill - gone);
    log->fill -= gone;
}

void slot_log_add(struct slot_log *log, const char *word, const char *text, size_t length) {
    char head[TIME_ROOM];
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t at = strftime(head, sizeof head, "%Y-%m-%dT%H:%M:%S", &utc);
    int rest = snprintf(head + at, sizeof head - at, ".%03ldZ %s ", now.tv_nsec / 1000000, word);
    size_t begin = at + (size_t)rest < sizeof head ? at + (size_t)rest : sizeof head - 1;
    if (length > sizeof log->text / 2) {
        length = sizeof log->text / 2;
    }
    make_room(log, begin + length + 1);
    char *to = log->text + log->fill;
    memcpy(to, head, begin);
    memcpy(to + begin, text, length);
    to[begin + length] = '\n';
    log->fill += begin + length + 1;
    log->changed = true;
}

void slot_log_write(struct slot_log *log) {
    if (!log->changed) {
        return;
    }
    log->changed = false;
    int fd = open_file(log, O_WRONLY | O_CREAT);
    if (fd < 0) {
        return;
    }
    fchmod(fd, 0664);
    if (pwrite(fd, log->text, log->fill, 0) < 0 || ftruncate(fd, (off_t)log->fill) < 0) {
        log->changed = true; /* a full volume may have room later */
    }
    close(fd);
}
