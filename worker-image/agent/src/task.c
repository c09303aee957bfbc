/* What the work thread says about its task, from running to ready. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "handler.h"
#include "turn.h"

/* Ten years: what the supervisor takes at most. */
#define LONGEST_MS (UINT64_C(3650) * 24 * 3600 * 1000)

static int wrong_step(struct qv_handler *h, const char *wanted) {
    static const char *const steps[] = {"no task was taken", "a task is running", "the result is not settled",
                                        "the slot is being cleaned"};
    return qv_fail(&h->error, "%s: that is for when %s", steps[h->step], wanted);
}

uint64_t qv_task_deadline(const struct qv_handler *h) {
    if (h->batch.count > 0) {
        return qv_batch_deadline(&h->region, h->slot, h->batch.count, h->batch.limit);
    }
    return __atomic_load_n(&handler_control(h)->deadline, __ATOMIC_RELAXED);
}

uint32_t qv_task_cancelled(struct qv_handler *h) {
    uint64_t generation = atomic_load(&h->running), ignored;
    if (generation == 0) {
        return QV_REASON_NONE;
    }
    if (qv_supervisor_word(&h->region, h->slot) == qv_word(generation, QV_OP_CANCEL)) {
        return QV_CANCELLED;
    }
    uint64_t deadline = qv_task_deadline(h);
    if (deadline != 0 && qv_now() >= deadline) {
        return QV_TIMED_OUT;
    }
    if (!atomic_load(&h->watched)) {
        handler_hear(h, false, &ignored);
    }
    return atomic_load(&h->asked) == generation ? QV_DRAINED : QV_REASON_NONE;
}

void qv_task_progress(struct qv_handler *h, uint64_t done, uint64_t total) {
    if (atomic_load(&h->running) != 0) {
        __atomic_store_n(&handler_exec(h)->total, total & INT64_MAX, __ATOMIC_RELAXED);
        __atomic_store_n(&handler_exec(h)->progress, done & INT64_MAX, __ATOMIC_RELAXED);
    }
}

void qv_task_extend(struct qv_handler *h, uint64_t deadline) {
    if (atomic_load(&h->running) != 0) {
        __atomic_store_n(&handler_exec(h)->wanted_deadline, deadline, __ATOMIC_RELAXED);
    }
}

/* A file of the slot. Opened for each task that needs it: the runner makes it anew when a command has touched it. */
static int open_file(struct qv_handler *h, const char *ending) {
    char path[HANDLER_PATH];
    snprintf(path, sizeof path, "%s/task-%u.%s", h->out_dir, h->slot, ending);
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return fd >= 0 ? fd : qv_fail(&h->error, "%s: %s", path, strerror(errno));
}

static int write_at(struct qv_handler *h, int fd, const char *bytes, uint64_t length, uint64_t at) {
    while (length > 0) {
        ssize_t n = pwrite(fd, bytes, length, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return qv_fail(&h->error, "output: %s", n < 0 ? strerror(errno) : "nothing more is taken");
        }
        bytes += n;
        length -= (uint64_t)n;
        at += (uint64_t)n;
    }
    return 0;
}

int qv_task_write(struct qv_handler *h, const void *bytes, uint64_t length) {
    if (h->step != STEP_RUNNING) {
        return wrong_step(h, "a task is running");
    }
    uint64_t limit = handler_control(h)->out_limit;
    if (length > limit - h->written) {
        return qv_fail(&h->error, "output: %llu bytes were written, the slot takes %llu",
                       (unsigned long long)(h->written + length), (unsigned long long)limit);
    }
    if (h->out_fd < 0 && (h->out_fd = open_file(h, "out")) < 0) {
        h->spoiled = true;
        return -1;
    }
    if (write_at(h, h->out_fd, bytes, length, h->written) < 0) {
        return -1;
    }
    h->written += length;
    return 0;
}

int qv_task_rewrite(struct qv_handler *h) {
    if (h->step != STEP_RUNNING) {
        return wrong_step(h, "a task is running");
    }
    h->written = h->out_from;
    return 0;
}

void qv_task_let_go(struct qv_handler *h) { h->let_go = true; }

void qv_task_format(struct qv_handler *h, uint32_t format, uint32_t locator) {
    h->format = (format & QV_FORMAT_MASK) | (locator != 0 ? QV_OUTPUT_LOCATOR : 0);
}

int handler_check_format(struct qv_handler *h, uint32_t format) {
    bool known = format <= QV_ARROW || format == QV_EFFECTS;
    return known ? 0 : qv_fail(&h->error, "output: format %u is not known", format);
}

void handler_post(struct qv_handler *h, enum qv_stage stage) {
    struct qv_exec_slot *exec = handler_exec(h);
    struct rusage usage;
    handler_printed(h);
    uint64_t generation = atomic_exchange(&h->running, 0);
    getrusage(RUSAGE_SELF, &usage);
    exec->max_rss = (uint64_t)usage.ru_maxrss * 1024;
    exec->cpu_ns = handler_cpu() - h->cpu_before;
    exec->ended = qv_now();
    h->step = STEP_POSTED;
    if (stage == QV_COMPLETE && h->let_go && !h->spoiled) {
        qv_exec_next(&h->region, h->slot);
    }
    qv_store(&h->region, h->slot, qv_word(generation, stage));
    qv_ring(&h->region);
}

/* A task of a batch has its outcome: the last one ends the dispatch. */
static void outcome_given(struct qv_handler *h) {
    if (!batch_goes_on(h)) {
        handler_exec(h)->exit = 0;
        handler_post(h, QV_COMPLETE);
    } else if (!h->batch.whole) {
        h->step = STEP_POSTED;
    }
}

int qv_task_complete(struct qv_handler *h) {
    if (h->step != STEP_RUNNING) {
        return wrong_step(h, "a task is running");
    }
    bool locator = (h->format & QV_OUTPUT_LOCATOR) != 0;
    uint64_t written = h->written - h->out_from;
    if (handler_check_format(h, h->format & QV_FORMAT_MASK) < 0) {
        return -1;
    }
    if (locator && (h->format & QV_FORMAT_MASK) == QV_EFFECTS) {
        return qv_fail(&h->error, "output: effects are no locator");
    }
    if (locator && (written == 0 || written > QV_LOCATOR_BYTES)) {
        return qv_fail(&h->error, "output: a locator of %llu bytes was written: allowed are 1 to %d",
                       (unsigned long long)written, QV_LOCATOR_BYTES);
    }
    if (h->batch.count > 0) {
        batch_outcome(h, QV_REASON_NONE, NULL, 0);
        outcome_given(h);
        return 0;
    }
    struct qv_exec_slot *exec = handler_exec(h);
    exec->exit = 0;
    exec->out_length = h->written;
    exec->format = h->format;
    handler_post(h, QV_COMPLETE);
    return 0;
}

bool handler_called_off(struct qv_handler *h) {
    uint64_t generation = atomic_load(&h->running);
    return atomic_load(&h->asked) == generation
           || qv_supervisor_word(&h->region, h->slot) == qv_word(generation, QV_OP_CANCEL);
}

/* The end of the traceback, where the supervisor reads a task's last words. */
static void keep_traceback(struct qv_handler *h, const char *traceback) {
    size_t length = strlen(traceback), skip = length > QV_TAIL_BYTES ? length - QV_TAIL_BYTES : 0;
    int fd = open_file(h, "stderr");
    if (fd < 0 || write_at(h, fd, traceback + skip, length - skip, 0) < 0) {
        h->spoiled = true;
    } else {
        handler_exec(h)->stderr_bytes = length - skip;
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* What is not the fault of any task left: once others have outcomes, those that are left just go back. */
static bool stopped(uint32_t reason) { return reason == QV_CANCELLED || reason == QV_DRAINED; }

/* The results before it have left too little room for its own. */
static bool crowded_out(const struct qv_handler *h, uint32_t reason) {
    return reason == QV_OUTPUT_TOO_LARGE && h->out_from > 0;
}

static int check_reason(struct qv_handler *h, uint32_t reason) {
    if (h->step != STEP_RUNNING) {
        return wrong_step(h, "a task is running");
    }
    if (reason == QV_REASON_NONE || reason > QV_BLOCKED) {
        return qv_fail(&h->error, "reason %u is not known", reason);
    }
    if (stopped(reason) && !handler_called_off(h)) { /* no trial used: it would run for ever */
        return qv_fail(&h->error, "reason %u is for a task that was called off, this one was not", reason);
    }
    return 0;
}

/* The trial at the task under way, or at all that are left as a whole, did not pass: the dispatch ends with it. */
static void post_failure(struct qv_handler *h, uint32_t reason, const char *text, const char *traceback,
                         uint64_t retry_after_ms) {
    struct qv_exec_slot *exec = handler_exec(h);
    if (traceback != NULL && *traceback != 0) {
        keep_traceback(h, traceback);
    }
    exec->retry_after_ms = retry_after_ms < LONGEST_MS ? retry_after_ms : LONGEST_MS;
    qv_exec_message(exec, (enum qv_reason)reason, text == NULL ? "" : text, text == NULL ? 0 : strlen(text));
    handler_post(h, QV_RETRY);
}

/* The dispatch ends before the task under way, or with its failure; a call of all that are left has it as theirs. */
static void end_failed(struct qv_handler *h, uint32_t reason, const char *text, const char *traceback,
                       uint64_t retry_after_ms) {
    if (h->batch.at > 0 && (stopped(reason) || crowded_out(h, reason))) {
        batch_cut(h);
        return;
    }
    if (h->batch.whole && stopped(reason)) { /* nobody has to run alone for it */
        h->batch.whole = false;
        atomic_store(&handler_exec(h)->done, h->batch.at);
    }
    post_failure(h, reason, text, traceback, retry_after_ms);
}

int qv_task_fail(struct qv_handler *h, uint32_t reason, const char *text, const char *traceback,
                 uint64_t retry_after_ms) {
    if (check_reason(h, reason) < 0) {
        return -1;
    }
    if (h->batch.whole && !stopped(reason) && reason != QV_TIMED_OUT && !crowded_out(h, reason)) {
        batch_outcome(h, reason, text, retry_after_ms < LONGEST_MS ? retry_after_ms : LONGEST_MS);
        outcome_given(h);
    } else {
        end_failed(h, reason, text, traceback, retry_after_ms);
    }
    return 0;
}

int qv_batch_fail(struct qv_handler *h, uint32_t reason, const char *text, const char *traceback,
                  uint64_t retry_after_ms) {
    if (check_reason(h, reason) < 0) {
        return -1;
    }
    end_failed(h, reason, text, traceback, retry_after_ms);
    return 0;
}

int qv_task_settle(struct qv_handler *h) {
    if (h->step != STEP_POSTED) {
        return wrong_step(h, "a result is posted");
    }
    h->step = STEP_CLEANING;
    if (atomic_load(&h->running) != 0) {
        return 0; /* more of the batch follows */
    }
    uint64_t s, u = qv_executor_word(&h->region, h->slot);
    enum qv_duty duty;
    while ((duty = qv_duty_of(s = qv_supervisor_word(&h->region, h->slot), u)) == QV_WAIT) {
        qv_wait(&h->region, h->slot, s, HANDLER_SWEEP_MS);
    }
    if (duty == QV_CLEAN) { /* else the next task follows at once: its word is the next one */
        qv_store(&h->region, h->slot, qv_word(qv_generation(u), QV_CLEANING));
    }
    h->batch.count = h->batch.at = 0;
    return 0;
}

static void close_output(struct qv_handler *h) {
    if (h->out_fd >= 0) {
        close(h->out_fd);
        h->out_fd = -1;
    }
}

int qv_task_ready(struct qv_handler *h) {
    if (h->step != STEP_CLEANING) {
        return wrong_step(h, "the slot is being cleaned");
    }
    uint64_t u = qv_executor_word(&h->region, h->slot);
    h->step = STEP_IDLE;
    if (atomic_load(&h->running) != 0) {
        return 0; /* more of the batch follows: the slot is still ours */
    }
    close_output(h);
    handler_released(h);
    if (h->spoiled) { /* the runner makes the files anew, then the slot is ready and the turn ours again */
        h->spoiled = false;
        return handler_yield(h, QV_TURN_COMMAND, qv_generation(u));
    }
    if (qv_code(u) == QV_CLEANING) {
        qv_store(&h->region, h->slot, qv_word(qv_generation(u), QV_READY));
        qv_ring(&h->region);
    }
    return 0;
}

int qv_task_replace(struct qv_handler *h) {
    if (h->step != STEP_CLEANING) {
        return wrong_step(h, "the slot is being cleaned");
    }
    if (atomic_load(&h->running) != 0) { /* what is left of the batch goes back */
        batch_cut(h);
        if (qv_task_settle(h) < 0) {
            return -1;
        }
    }
    close_output(h);
    h->step = STEP_IDLE;
    atomic_store(&h->stopping, 1);
    return handler_yield(h, QV_TURN_REPLACE, qv_generation(qv_executor_word(&h->region, h->slot)));
}

int qv_task_release(struct qv_handler *h) { return qv_task_settle(h) < 0 ? -1 : qv_task_ready(h); }
