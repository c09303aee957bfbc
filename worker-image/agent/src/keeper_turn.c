/* While the handler has the turn: the runner only listens, and ends what does not end itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper_state.h"
#include "say.h"

enum { SWEEP_MS = 200, CANCEL_MS = 50, SETTLE_MS = 2000, TAKE_MS = 10000, LATE_LINE_MS = 500 };
#define MILLIS UINT64_C(1000000)

/* What the handler owes us, and until when. */
struct debt {
    enum qv_reason why;  /* it was told to stop its task for this reason */
    uint64_t asked;      /* the generation that it was told to stop */
    uint64_t s, u;       /* the words on which it has to act */
    uint64_t kill_at;    /* 0: nothing is due */
};

/*
 * Whether what the process prints is of the task in the record: it works at that, or ended it so lately that we read it
 * only now, and the next one is not there yet. What it says when it was told to leave is its own.
 */
static bool prints_for_task(const struct keeper *k) {
    const struct runner *runner = k->runner;
    uint64_t s = qv_supervisor_word(runner->region, runner->slot), u = qv_executor_word(runner->region, runner->slot);
    uint64_t ended = runner_exec(runner)->ended;
    bool of_it = qv_generation(s) == qv_generation(u); /* else the record is the next one's already */
    bool late = ended > k->started_at && qv_now() - ended < LATE_LINE_MS * MILLIS;
    return of_it && (qv_code(u) != QV_READY || (late && !k->stopped));
}

void keeper_name_lines(struct keeper *k) {
    struct runner *runner = k->runner;
    const struct qv_control_slot *control = runner_control(runner);
    struct qv_batch_entry entry;
    char idle[24];
    const char *name = idle;
    struct slot_log *log = &k->log;
    size_t length = (size_t)snprintf(idle, sizeof idle, "handler-%u", runner->slot);
    if (control->kind == QV_KIND_HANDLER && prints_for_task(k)) {
        log = NULL;
        bool one = !runner_batch_task(runner, &entry);
        uint32_t bytes = one ? control->name_length : entry.name_length;
        name = one ? control->name : entry.name;
        length = bytes < QV_NAME_BYTES ? bytes : QV_NAME_BYTES;
    }
    if (log == k->streams[0].forward.log && length == k->line_name_length && memcmp(name, k->line_name, length) == 0) {
        return;
    }
    memcpy(k->line_name, name, length);
    k->line_name_length = length;
    for (int i = 0; i < 2; i++) {
        forward_end(&k->streams[i].forward, qv_now());
        forward_begin(&k->streams[i].forward, k->line_name, length);
        forward_log(&k->streams[i].forward, log, i == 0 ? "OUT" : "ERR");
    }
}

/* The process is gone in the middle of a task: how that is to be told. The runner's resume does the telling. */
static void explain_death(struct keeper *k, enum qv_reason why) {
    struct runner *runner = k->runner;
    struct qv_exec_slot *exec = runner_exec(runner);
    int status = k->status;
    exec->out_length = exec->retry_after_ms = 0;
    exec->format = QV_BYTES;
    exec->exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    exec->signal = WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0;
    keeper_keep_tails(k);
    if (runner_stop_words(why) != NULL) {
        runner_reason(runner, why, "%s", runner_stop_words(why));
    } else if (exec->signal == SIGKILL && runner_out_of_memory(runner)) {
        runner_reason(runner, QV_OOM_KILLED, "%s", runner_memory_words(runner));
    } else {
        runner_reason(runner, QV_HANDLER_DIED, "%s", k->words.text);
    }
}

/* Between two tasks nobody else would say why it had to go. */
static void explain_delay(struct keeper *k, const struct debt *debt) {
    enum qv_duty duty = qv_duty_of(debt->s, debt->u);
    const char *undone = duty == QV_START     ? "take its task"
                         : duty == QV_DISCARD ? "give its turn back"
                                              : "let go of a settled task";
    qv_fail(&k->words, "its handler did not %s within %d s and was ended", undone,
            (duty == QV_START ? TAKE_MS : SETTLE_MS) / 1000);
    k->explained = true;
    say("slot %u: %s", k->runner->slot, k->words.text);
}

static void end(struct keeper *k, const struct debt *debt, bool late) {
    if (late && debt->asked == 0 && debt->u != 0 && !k->stopped) {
        explain_delay(k, debt);
    }
    keeper_end(k);
    uint64_t u = qv_executor_word(k->runner->region, k->runner->slot);
    if (qv_code(u) == QV_RUNNING) { /* perhaps a later task than the one that was told to stop */
        explain_death(k, debt->asked == qv_generation(u) ? debt->why : QV_REASON_NONE);
    }
}

/* Why the handler's task is to stop now, read anew each time: a deadline can move. */
static enum qv_reason reason_to_stop(const struct keeper *k, uint64_t s, uint64_t u) {
    struct runner *runner = k->runner;
    bool running = qv_code(u) == QV_RUNNING;
    uint64_t deadline = runner_deadline(runner, running);
    bool pending = qv_duty_of(s, u) == QV_START;
    if (running && s == qv_word(qv_generation(u), QV_OP_CANCEL)) {
        return QV_CANCELLED;
    }
    if ((running || pending) && deadline != 0 && qv_now() >= deadline) {
        return QV_TIMED_OUT;
    }
    return running && atomic_load(&runner->shared->cutoff) ? QV_DRAINED : QV_REASON_NONE;
}

/*
 * How long, in ms, the handler may take to act on these words; 0: there is nothing for it to do. One that is stopped or
 * holds its interpreter's lock between two tasks would keep the slot for ever: it neither takes what is pending nor gives
 * the turn back for what was called off.
 */
static unsigned grace(const struct keeper *k, uint64_t s, uint64_t u) {
    if (qv_code(u) == QV_RUNNING) {
        return 0;
    }
    switch (qv_duty_of(s, u)) {
    case QV_DISCARD:
    case QV_CLEAN:
    case QV_RESUME:
        return SETTLE_MS;
    case QV_START:
        return k->stopped ? SETTLE_MS : TAKE_MS;
    case QV_WAIT:
        break;
    }
    return k->stopped ? SETTLE_MS : 0;
}

/* Asks for what is due and notes until when it must have come. */
static void look(struct keeper *k, struct debt *debt) {
    struct runner *runner = k->runner;
    uint64_t s = qv_supervisor_word(runner->region, runner->slot), u = qv_executor_word(runner->region, runner->slot);
    enum qv_reason why = reason_to_stop(k, s, u);
    if (why != QV_REASON_NONE) {
        uint64_t generation = qv_generation(s);
        if (debt->asked != generation) {
            *debt = (struct debt){.why = why, .asked = generation, .kill_at = qv_now() + CANCEL_MS * MILLIS};
            turn_send(k->turn_fd, QV_TURN_CANCEL, generation, NULL, 0);
        }
        return;
    }
    if (!k->stopped && atomic_load(&runner->shared->draining)) {
        k->stopped = true;
        turn_send(k->turn_fd, QV_TURN_STOP, 0, NULL, 0);
    }
    unsigned millis = grace(k, s, u);
    if (millis == 0) {
        *debt = (struct debt){.why = QV_REASON_NONE};
    } else if (debt->kill_at == 0 || debt->asked != 0 || debt->s != s || debt->u != u) {
        *debt = (struct debt){.s = s, .u = u, .kill_at = qv_now() + millis * MILLIS};
    }
}

/* It has closed its end, or says what is no message: it is about to exit, or else is ended. */
static void let_leave(struct keeper *k, struct debt *debt) {
    bool running = qv_code(qv_executor_word(k->runner->region, k->runner->slot)) == QV_RUNNING;
    close(k->turn_fd);
    k->turn_fd = -1;
    if (debt->kill_at == 0) {
        debt->kill_at = qv_now() + (running ? CANCEL_MS : SETTLE_MS) * MILLIS;
    }
}

/* Until when to sleep: a sweep, what is due, the running task's deadline. */
static struct timespec patience(const struct keeper *k, const struct debt *debt) {
    uint64_t now = qv_now(), until = now + SWEEP_MS * MILLIS;
    bool running = qv_code(qv_executor_word(k->runner->region, k->runner->slot)) == QV_RUNNING;
    uint64_t deadline = runner_deadline(k->runner, running);
    if (debt->kill_at != 0 && debt->kill_at < until) {
        until = debt->kill_at;
    } else if (debt->kill_at == 0 && deadline > now && deadline < until && running) {
        until = deadline;
    }
    return (struct timespec){.tv_nsec = until > now ? (long)(until - now) : 0};
}

static void sleep_and_read(struct keeper *k, const struct debt *debt) {
    struct pollfd fds[1 + KEEPER_FDS] = {{.fd = k->runner->wake_fd, .events = POLLIN}};
    struct timespec limit = patience(k, debt);
    sigset_t all_but_child;
    uint64_t count;
    keeper_fds(k, fds + 1);
    sigfillset(&all_but_child);
    sigdelset(&all_but_child, SIGCHLD); /* delivered only while we sleep: none is missed */
    if (ppoll(fds, 1 + KEEPER_FDS, &limit, &all_but_child) > 0) {
        if (fds[0].revents != 0 && read(k->runner->wake_fd, &count, sizeof count) < 0) {
            count = 0;
        }
        keeper_name_lines(k);
        keeper_read_streams(k);
    }
}

void keeper_attend(struct keeper *k) {
    struct runner *runner = k->runner;
    struct debt debt = {.why = QV_REASON_NONE};
    struct reaped reaped = {.spared = &k->process};
    struct qv_error error;
    uint64_t before = qv_executor_word(runner->region, runner->slot);
    turn_send(k->turn_fd, QV_TURN_GO, 0, NULL, 0); /* if it has gone meanwhile we learn that below */
    for (;;) {
        tree_reap(&reaped);
        k->served |= qv_executor_word(runner->region, runner->slot) != before;
        int got = k->turn_fd < 0 ? 0 : turn_receive(k->turn_fd, &k->message, false, &error);
        if (got > 0 && k->message.head.type == QV_TURN_COMMAND) {
            return;
        }
        if (got > 0 && keeper_heard_of_streams(k)) {
            got = 0;
        }
        if (got < 0) {
            let_leave(k, &debt);
        } else if (k->turn_fd >= 0) {
            look(k, &debt); /* first: what was due may have been done, and the process be in its next task */
        }
        bool late = debt.kill_at != 0 && qv_now() >= debt.kill_at;
        if (got > 0 || k->process.ended || late) {
            bool by_itself = k->process.ended && got <= 0 && !k->stopped;
            end(k, &debt, late && got <= 0);
            if (by_itself) {
                say("slot %u: %s", runner->slot, k->words.text);
            }
            return;
        }
        sleep_and_read(k, &debt);
    }
}
