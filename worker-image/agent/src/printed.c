/*
 * A handler's side of a task of which all output is kept: the process prints for many tasks, so the runner reads its pipes
 * empty before the task begins and when it has ended.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "handler.h"
#include "turn.h"

enum { FUTEX_WAIT_PRIVATE = 128, LOOK_MS = 10 };

/* Whether the work thread reads the socket: a watch thread reads no more, or waits to be heard, once it heard of a stop. */
static bool reads(const struct qv_handler *h) {
    return !atomic_load(&h->watched) || atomic_load(&h->stopping) || atomic_load(&h->asked) == atomic_load(&h->running);
}

static void tell(struct qv_handler *h, enum qv_turn_type type, const void *text, size_t length) {
    const struct timespec limit = {.tv_nsec = LOOK_MS * 1000000};
    uint64_t ignored;
    uint32_t read, wanted = ++h->told;
    if (turn_send(h->turn_fd, type, atomic_load(&h->running), text, length) < 0) {
        return; /* there is no runner any more */
    }
    while ((read = atomic_load(&h->read)) != wanted && !atomic_load(&h->gone)) {
        if (!reads(h)) {
            syscall(SYS_futex, &h->read, FUTEX_WAIT_PRIVATE, read, &limit, NULL, 0);
        } else if (poll(&(struct pollfd){.fd = h->turn_fd, .events = POLLIN}, 1, LOOK_MS) > 0) {
            handler_hear(h, false, &ignored);
        }
    }
}

/* An SDK flushes its language's streams, this those of C. */
static void flush(void) {
    fflush(stdout);
    fflush(stderr);
}

void handler_prints(struct qv_handler *h) {
    if (h->kept > 0) {
        flush();
        tell(h, QV_TURN_PRINTS, &h->kept, sizeof h->kept);
    }
}

void handler_printed(struct qv_handler *h) {
    if (h->kept > 0) {
        flush();
        tell(h, QV_TURN_PRINTED, NULL, 0);
    }
}

void handler_released(struct qv_handler *h) {
    if (h->kept > 0) {
        turn_send(h->turn_fd, QV_TURN_RELEASED, 0, NULL, 0);
        h->kept = 0;
    }
}
