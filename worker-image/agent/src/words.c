/* The two words: who may do what when, and waiting for the other side. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "quiver/slots.h"

/* Shared futexes, not FUTEX_PRIVATE: the waiter is another process. musl brings no linux/futex.h. */
enum { FUTEX_WAIT_SHARED = 0, FUTEX_WAKE_SHARED = 1 };

int qv_fail(struct qv_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return -1;
}

uint64_t qv_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t qv_supervisor_word(const struct qv_region *region, unsigned slot) {
    return atomic_load(&region->control->slot[slot].word);
}

uint64_t qv_executor_word(const struct qv_region *region, unsigned slot) {
    return atomic_load(&region->exec->slot[slot].word);
}

void qv_store(struct qv_region *region, unsigned slot, uint64_t word) {
    atomic_store(&region->exec->slot[slot].word, word);
}

void qv_ring(struct qv_region *region) {
    atomic_fetch_add(&region->exec->doorbell, 1);
    if (atomic_load(&region->control->parked) != 0) {
        /* All of them: a foreign waiter on the same word must not swallow the wake. */
        syscall(SYS_futex, &region->exec->doorbell, FUTEX_WAKE_SHARED, INT_MAX, NULL, NULL, 0);
    }
}

uint64_t qv_wait(struct qv_region *region, unsigned slot, uint64_t seen, unsigned millis) {
    const _Atomic uint64_t *word = &region->control->slot[slot].word;
    uint64_t now = atomic_load(word);
    if (now != seen) {
        return now;
    }
    /* Say that we sleep, then look again: the supervisor stores its word and then looks at `parked`. */
    atomic_store(&region->exec->slot[slot].parked, 1);
    now = atomic_load(word);
    if (now == seen) {
        struct timespec limit = {.tv_sec = millis / 1000, .tv_nsec = (long)(millis % 1000) * 1000000};
        /* Little-endian: the low half, with the op and 24 bits of the generation, lies at the word's address. */
        syscall(SYS_futex, word, FUTEX_WAIT_SHARED, (uint32_t)seen, &limit, NULL, 0);
        now = atomic_load(word);
    }
    atomic_store(&region->exec->slot[slot].parked, 0);
    return now;
}

void qv_wake(struct qv_region *region, unsigned slot) {
    syscall(SYS_futex, &region->control->slot[slot].word, FUTEX_WAKE_SHARED, INT_MAX, NULL, NULL, 0);
}

enum qv_duty qv_duty_of(uint64_t s, uint64_t u) {
    uint64_t dispatched = qv_generation(s), mine = qv_generation(u);
    unsigned op = qv_code(s), stage = qv_code(u);
    if (stage == QV_CLEANING || stage == QV_RUNNING) {
        return QV_RESUME;
    }
    /* Over what has ended, too: it is cleaned before the start, without a word of its own. */
    if (dispatched == mine + 1 && (stage == QV_READY || stage == QV_RETRY || stage == QV_COMPLETE)) {
        return op == QV_OP_RUN ? QV_START : op == QV_OP_CANCEL ? QV_DISCARD : QV_WAIT;
    }
    if (dispatched == mine && (stage == QV_COMPLETE || stage == QV_RETRY)) {
        return op == QV_OP_ACKNOWLEDGE || op == QV_OP_CANCEL ? QV_CLEAN : QV_WAIT;
    }
    return QV_WAIT;
}
