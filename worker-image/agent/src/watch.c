/* Hearing the runner: in the watch thread, or in the work thread when there is none. */
#define _GNU_SOURCE
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "handler.h"
#include "turn.h"

enum { FUTEX_WAIT_PRIVATE = 128, FUTEX_WAKE_PRIVATE = 129 };

static void wake_work_thread(struct qv_handler *h) {
    syscall(SYS_futex, &h->turn, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    qv_wake(&h->region, h->slot);
}

int handler_hear(struct qv_handler *h, bool wait, uint64_t *generation) {
    struct turn_message message;
    struct qv_error error;
    int got = turn_receive(h->turn_fd, &message, wait, &error);
    if (got == 0) {
        return 0;
    }
    if (got < 0) {
        atomic_store(&h->gone, 1);
    }
    *generation = got < 0 ? 0 : message.head.generation;
    switch (got < 0 ? QV_TURN_STOP : message.head.type) {
    case QV_TURN_GO:
        atomic_store(&h->turn, 1);
        wake_work_thread(h);
        return 0;
    case QV_TURN_CANCEL:
        atomic_store(&h->asked, message.head.generation);
        return QV_TURN_CANCEL;
    case QV_TURN_STOP:
        atomic_store(&h->stopping, 1);
        wake_work_thread(h);
        return QV_TURN_STOP;
    case QV_TURN_READ:
        atomic_fetch_add(&h->read, 1);
        syscall(SYS_futex, &h->read, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
        return 0;
    default:
        return 0;
    }
}

void handler_wait_turn(struct qv_handler *h, unsigned millis) {
    uint64_t ignored;
    if (!atomic_load(&h->watched)) {
        poll(&(struct pollfd){.fd = h->turn_fd, .events = POLLIN}, 1, (int)millis);
        handler_hear(h, false, &ignored);
    } else if (!atomic_load(&h->stopping)) {
        struct timespec limit = {.tv_sec = millis / 1000, .tv_nsec = (long)(millis % 1000) * 1000000};
        syscall(SYS_futex, &h->turn, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0);
    }
}

int handler_yield(struct qv_handler *h, enum qv_turn_type type, uint64_t generation) {
    atomic_store(&h->turn, 0);
    return turn_send(h->turn_fd, type, generation, NULL, 0) < 0 ? qv_fail(&h->error, "the agent has gone") : 0;
}

int qv_handler_event(struct qv_handler *h, uint64_t *generation) {
    uint64_t told;
    atomic_store(&h->watched, 1);
    for (;;) {
        int event = handler_hear(h, true, &told);
        if (event != 0) {
            if (generation != NULL) {
                *generation = told;
            }
            return event;
        }
    }
}

void qv_handler_watch(struct qv_handler *h, qv_event_fn *on_event, void *context) {
    int event;
    do {
        uint64_t generation = 0;
        event = qv_handler_event(h, &generation);
        on_event(context, event, generation);
    } while (event != QV_TURN_STOP);
}
