#define _GNU_SOURCE
#include "tail.h"

#include <string.h>
#include <unistd.h>

void tail_add(struct tail *tail, const char *bytes, size_t length) {
    tail->total += length;
    if (length > QV_TAIL_BYTES) {
        bytes += length - QV_TAIL_BYTES;
        length = QV_TAIL_BYTES;
    }
    size_t at = (size_t)((tail->total - length) % QV_TAIL_BYTES);
    size_t first = length < QV_TAIL_BYTES - at ? length : QV_TAIL_BYTES - at;
    memcpy(tail->ring + at, bytes, first);
    memcpy(tail->ring, bytes + first, length - first);
}

int tail_write(const struct tail *tail, int fd) {
    size_t length = tail->total < QV_TAIL_BYTES ? (size_t)tail->total : QV_TAIL_BYTES;
    return length == 0 || pwrite(fd, tail->ring, length, 0) == (ssize_t)length ? 0 : -1;
}
