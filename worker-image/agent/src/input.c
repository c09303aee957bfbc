#define _GNU_SOURCE
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

/* Smaller ones are not worth the look at the cgroup. */
enum { WORTH_A_LOOK = 64 * 1024, TARGET_BYTES = 64 };

void input_name(unsigned slot, char *to, size_t size) { snprintf(to, size, "task-%u.in", slot); }

static int memory_file(void) {
    int fd = memfd_create("quiver-input", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    return fd < 0 && errno == EINVAL ? memfd_create("quiver-input", MFD_CLOEXEC | MFD_ALLOW_SEALING) : fd;
}

static int write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR) {
            return -1;
        }
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

/* A sealed file of these bytes; or -1 with errno. */
static int sealed(const void *bytes, size_t length) {
    int fd = memory_file();
    if (fd >= 0
        && (write_all(fd, bytes, length) < 0
            || fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

/* The name leads through /proc: whoever opens it gets a description of its own, at the beginning. A task may have changed
   it, as all that is in this volume. */
static int put_name(const struct input_file *input, struct qv_error *error) {
    char name[32], target[TARGET_BYTES], present[TARGET_BYTES];
    input_name(input->slot, name, sizeof name);
    int length = snprintf(target, sizeof target, "/proc/%d/fd/%d", (int)getpid(), input->fd);
    ssize_t is = readlinkat(input->dir, name, present, sizeof present);
    if (is == length && memcmp(present, target, (size_t)length) == 0) {
        return 0;
    }
    files_remove(input->dir, name);
    return symlinkat(target, input->dir, name) == 0
               ? 0
               : qv_fail(error, "%s cannot be made in the volume for outputs: %s", name, strerror(errno));
}

static int failed(const struct input_file *input, size_t length, struct qv_error *error) {
    return qv_fail(error, "slot %u: no memory file for an input of %zu bytes: %s", input->slot, length, strerror(errno));
}

int input_open(struct input_file *input, int dir, unsigned slot, struct qv_error *error) {
    *input = (struct input_file){.dir = dir, .slot = slot, .empty = true};
    input->fd = sealed("", 0);
    return input->fd < 0 ? failed(input, 0, error) : put_name(input, error);
}

static int replace(struct input_file *input, const void *bytes, size_t length) {
    int fd = sealed(bytes, length);
    if (fd < 0) {
        return -1;
    }
    int done = dup3(fd, input->fd, O_CLOEXEC);
    close(fd);
    if (done >= 0) {
        input->empty = length == 0;
    }
    return done;
}

int input_put(struct input_file *input, const void *bytes, size_t length, struct qv_error *error) {
    uint64_t room;
    if (length >= WORTH_A_LOOK && memory_room(NULL, &room) && room < length) {
        return qv_fail(error, "its input takes %zu bytes, the container's memory limit leaves %llu: raise the limit", length,
                       (unsigned long long)room);
    }
    if (!(length == 0 && input->empty) && replace(input, bytes, length) < 0) {
        return failed(input, length, error);
    }
    return put_name(input, error);
}

void input_clear(struct input_file *input) {
    if (!input->empty) {
        replace(input, "", 0); /* else the next task's takes its place */
    }
}
