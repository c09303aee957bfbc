/* The life of one slot: waiting → pending → running → complete or retry → cleaning → waiting. */
#define _GNU_SOURCE
#include "runner.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "keeper.h"
#include "memory.h"
#include "say.h"

enum { SWEEP_MS = 200, REST_MS = 1000 };

const struct qv_control_slot *runner_control(const struct runner *runner) {
    return &runner->region->control->slot[runner->slot];
}

struct qv_exec_slot *runner_exec(const struct runner *runner) { return &runner->region->exec->slot[runner->slot]; }

struct qv_exec_slot *runner_clear(struct runner *runner) { return qv_exec_clear(runner->region, runner->slot); }

void runner_reason(struct runner *runner, enum qv_reason reason, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    qv_exec_message(runner_exec(runner), reason, text, length);
}

/* Bytes of the input, from `at` on; false when the slot has no batch, or it cannot be read. */
static bool read_input(const struct runner *runner, void *to, size_t bytes, uint64_t at) {
    char name[32];
    if ((runner_control(runner)->flags & QV_BATCH) == 0) {
        return false;
    }
    snprintf(name, sizeof name, "task-%u.in", runner->slot);
    int fd = openat(runner->in_dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t got = fd < 0 ? -1 : pread(fd, to, bytes, (off_t)at);
    if (fd >= 0) {
        close(fd);
    }
    return got == (ssize_t)bytes;
}

/* What the table of the slot's batch begins with; false when there is none. */
static bool read_head(const struct runner *runner, struct qv_batch *head) {
    return read_input(runner, head, sizeof *head, 0) && head->magic == QV_BATCH_MAGIC && head->count > 0
           && head->count <= QV_MAX_BATCH;
}

bool runner_batch_task(const struct runner *runner, struct qv_batch_entry *entry) {
    uint32_t done = atomic_load(&runner_exec(runner)->done) & QV_DONE_MASK;
    struct qv_batch head;
    if (!read_head(runner, &head)) {
        return false;
    }
    uint32_t at = done < head.count ? done : head.count - 1; /* the last one's, when all have an outcome */
    return read_input(runner, entry, sizeof *entry, sizeof head + at * sizeof *entry);
}

uint64_t runner_deadline(const struct runner *runner, bool running) {
    struct qv_batch head;
    if (running && read_head(runner, &head)) {
        return qv_batch_deadline(runner->region, runner->slot, head.count, head.limit);
    }
    return __atomic_load_n(&runner_control(runner)->deadline, __ATOMIC_RELAXED);
}

void runner_announce(struct runner *runner, const char *names, size_t length) {
    struct announced *own = &runner->shared->announced[runner->slot];
    if (own->length == length && memcmp(own->names, names, length) == 0) {
        return;
    }
    atomic_fetch_add(&own->sequence, 1);
    own->length = (uint32_t)length;
    memcpy(own->names, names, length);
    atomic_fetch_add(&own->sequence, 1);
    uint64_t one = 1;
    if (write(runner->names_fd, &one, sizeof one) < 0) {
        return; /* full: it has been told */
    }
}

bool runner_out_of_memory(struct runner *runner) {
    uint64_t kills;
    runner->by_agent = atomic_exchange(&runner->shared->sacrificed[runner->slot], false);
    return runner->by_agent
           || (memory_oom_kills(&kills) && atomic_exchange(&runner->shared->oom_seen, kills) < kills);
}

const char *runner_memory_words(const struct runner *runner) {
    return runner->by_agent ? "ended by the agent, being the largest: the container was at 95 % of its memory limit"
                            : "killed by the kernel: the container's memory limit was reached";
}

const char *runner_stop_words(enum qv_reason reason) {
    return reason == QV_TIMED_OUT ? "still running at its deadline"
           : reason == QV_DRAINED ? "cut off: the worker container had to end"
                                  : NULL;
}

static void publish(struct runner *runner, uint64_t generation, enum qv_stage stage) {
    qv_store(runner->region, runner->slot, qv_word(generation, stage));
    qv_ring(runner->region);
}

/* cleaning → waiting; stays in cleaning for as long as the slot's files cannot be made. */
static void clean(struct runner *runner, const struct executor *executor, uint64_t generation) {
    qv_store(runner->region, runner->slot, qv_word(generation, QV_CLEANING));
    struct qv_error error, said = {""};
    while (executor->clean(runner, executor->state, &error) < 0) {
        if (strcmp(error.text, said.text) != 0) {
            say("slot %u is held back: %s", runner->slot, error.text);
            said = error;
        }
        uint64_t s = qv_supervisor_word(runner->region, runner->slot);
        qv_wait(runner->region, runner->slot, s, SWEEP_MS);
    }
    publish(runner, generation, QV_READY);
}

/* Ends a trial that is not to be executed. `begun` says whether it counts. */
static void refuse(struct runner *runner, uint64_t generation, bool begun) {
    struct qv_exec_slot *exec = runner_exec(runner);
    exec->started = begun ? qv_now() : 0;
    exec->ended = exec->started;
    publish(runner, generation, QV_RETRY);
}

/* The last trial has ended, and nobody has cleaned: the next task followed at once. */
static int clean_between(struct runner *runner, const struct executor *executor, struct qv_error *error) {
    uint64_t u = qv_executor_word(runner->region, runner->slot);
    if (qv_code(u) == QV_READY) {
        return 0;
    }
    if (executor->clean(runner, executor->state, error) < 0) {
        return -1;
    }
    qv_store(runner->region, runner->slot, qv_word(qv_generation(u), QV_READY)); /* as any handler knows it */
    return 0;
}

static void start(struct runner *runner, const struct executor *executor, uint64_t generation) {
    runner_clear(runner);
    if (generation == runner->doomed) {
        runner_reason(runner, QV_RUNNER_DIED, "its runner died three times before it could start");
        refuse(runner, generation, true);
        return;
    }
    if (atomic_load(&runner->shared->draining)) {
        runner_reason(runner, QV_DRAINED, "the worker container is ending; not started");
        refuse(runner, generation, false);
        return;
    }
    struct qv_error error;
    if (clean_between(runner, executor, &error) < 0) { /* not this task's fault: it goes back, and the slot is held back */
        runner_reason(runner, QV_DRAINED, "not started, its slot is not clean: %s", error.text);
        refuse(runner, generation, false);
        return;
    }
    if (runner->keeper != NULL && runner_control(runner)->kind == QV_KIND_HANDLER) {
        if (keeper_refuses(runner->keeper, generation) != QV_REASON_NONE) {
            refuse(runner, generation, true);
        } else {
            keeper_wait(runner->keeper, qv_supervisor_word(runner->region, runner->slot));
        }
        return;
    }
    atomic_store(&runner->shared->sacrificed[runner->slot], false); /* it was about what ran before */
    enum qv_stage stage = executor->execute(runner, executor->state);
    if (stage == QV_READY) {
        clean(runner, executor, generation);
    } else {
        qv_exec_next(runner->region, runner->slot); /* no process of the command is left */
        publish(runner, generation, stage);
    }
}

/* Whether every task of a batch has its outcome. */
static bool all_judged(const struct runner *runner) {
    struct qv_batch head;
    return read_head(runner, &head) && (atomic_load(&runner_exec(runner)->done) & QV_DONE_MASK) == head.count;
}

/* A runner before us died in the middle of U.g; its tree is gone, the agent saw to that. */
static void resume(struct runner *runner, const struct executor *executor, uint64_t s, uint64_t u) {
    uint64_t generation = qv_generation(u);
    bool called_off = qv_generation(s) == generation && qv_code(s) == QV_OP_CANCEL;
    struct qv_exec_slot *exec = runner_exec(runner);
    if (exec->ended == 0) { /* else its end was noted, and it died later */
        exec->ended = qv_now();
    }
    if (qv_code(u) == QV_CLEANING || called_off) {
        clean(runner, executor, generation);
        return;
    }
    if (all_judged(runner)) { /* its handler died with nothing left to do but to tell */
        exec->reason = QV_REASON_NONE;
        exec->message_length = exec->signal = 0;
        exec->exit = 0;
        publish(runner, generation, QV_COMPLETE);
        return;
    }
    if (exec->reason == QV_REASON_NONE) {
        runner_reason(runner, QV_RUNNER_DIED, "the process that ran the command died");
    }
    publish(runner, generation, QV_RETRY);
}

_Noreturn void runner_serve(struct runner *runner, const struct executor *executor) {
    uint64_t s = qv_supervisor_word(runner->region, runner->slot);
    for (;;) {
        uint64_t u = qv_executor_word(runner->region, runner->slot);
        switch (qv_duty_of(s, u)) {
        case QV_START:
            start(runner, executor, qv_generation(s));
            break;
        case QV_DISCARD:
            runner_clear(runner);
            clean(runner, executor, qv_generation(s));
            break;
        case QV_CLEAN:
            clean(runner, executor, qv_generation(u));
            break;
        case QV_RESUME:
            resume(runner, executor, s, u);
            break;
        case QV_WAIT:
            if (runner->keeper == NULL) {
                /* Without a task nothing is due but one, and its dispatch wakes all who wait for S. */
                s = qv_wait(runner->region, runner->slot, s, qv_code(u) == QV_READY ? REST_MS : SWEEP_MS);
                continue;
            }
            keeper_wait(runner->keeper, s);
            break;
        }
        s = qv_supervisor_word(runner->region, runner->slot);
    }
}
