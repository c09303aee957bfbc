#define _GNU_SOURCE
#include "whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "say.h"

enum { NAME_ROOM = 32 };

static void name_of(const struct whole *whole, char name[NAME_ROOM]) {
    snprintf(name, NAME_ROOM, "task-%u.%s", whole->slot, whole->ending);
}

void whole_open(struct whole *whole, int dir, unsigned slot, const char *ending) {
    *whole = (struct whole){.dir = dir, .slot = slot, .ending = ending, .fd = -1, .made = dir >= 0};
    whole_clear(whole);
}

void whole_begin(struct whole *whole, uint64_t limit) {
    whole_clear(whole);
    whole->limit = whole->dir < 0 || limit < 2 ? 0 : limit;
    whole->total = 0;
    whole->failed = false;
}

static void fail(struct whole *whole) {
    say("slot %u: its %s is not kept as a whole: %s", whole->slot, whole->ending, strerror(errno));
    whole->failed = true;
    if (whole->fd >= 0 && ftruncate(whole->fd, 0) == 0) { /* the supervisor sees that it is none */
        whole_end(whole);
    } else {
        whole_clear(whole);
    }
}

/* Never an old one: the supervisor may still read that. */
static bool make(struct whole *whole) {
    char name[NAME_ROOM];
    name_of(whole, name);
    files_remove(whole->dir, name);
    whole->fd = openat(whole->dir, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0664);
    if (whole->fd < 0) {
        return false;
    }
    fchmod(whole->fd, 0664);
    whole->made = true;
    return true;
}

static bool write_at(int fd, const char *bytes, size_t length, uint64_t at) {
    while (length > 0) {
        ssize_t n = pwrite(fd, bytes, length, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        bytes += n;
        length -= (size_t)n;
        at += (uint64_t)n;
    }
    return true;
}

void whole_add(struct whole *whole, const char *bytes, size_t length) {
    if (whole->limit == 0 || whole->failed || length == 0) {
        return;
    }
    if (whole->fd < 0 && !make(whole)) {
        fail(whole);
        return;
    }
    uint64_t head = whole_head(whole->limit), ring = whole->limit - head;
    while (length > 0) {
        bool begins = whole->total < head;
        uint64_t at = begins ? whole->total : head + (whole->total - head) % ring;
        uint64_t room = (begins ? head : whole->limit) - at;
        size_t part = length < room ? length : (size_t)room;
        if (!write_at(whole->fd, bytes, part, at)) {
            fail(whole);
            return;
        }
        whole->total += part;
        bytes += part;
        length -= part;
    }
}

void whole_end(struct whole *whole) {
    if (whole->fd >= 0) {
        close(whole->fd);
        whole->fd = -1;
    }
    whole->limit = 0; /* a handler's process goes on to print */
}

void whole_clear(struct whole *whole) {
    whole_end(whole);
    if (whole->made) {
        char name[NAME_ROOM];
        name_of(whole, name);
        files_remove(whole->dir, name);
        whole->made = false;
    }
}
