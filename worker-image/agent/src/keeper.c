/* The life of a handler process, as long as the runner has the turn. keeper_turn.c has the rest. */
#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "environment.h"
#include "files.h"
#include "keeper_state.h"
#include "say.h"
#include "spawn.h"

extern char **environ;

enum { SWEEP_MS = 200, IMPORTING_MS = 10, DEATHS = 3, OWN_VARIABLES = 8 };

/* What the slot's process can take, for the supervisor. */
static void note_minor(struct keeper *k, uint8_t minor) {
    atomic_store(&k->runner->region->exec->minor[k->runner->slot], minor);
}

struct keeper *keeper_make(struct runner *runner, char *const *command) {
    struct keeper *k = calloc(1, sizeof *k);
    int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (k == NULL || null_fd < 0) {
        say("slot %u: no handler can be kept: %s", runner->slot, strerror(errno));
        _exit(EXIT_WORDS);
    }
    k->runner = runner;
    k->command = command;
    k->null_fd = null_fd;
    k->turn_fd = -1;
    streams_init(k->streams, runner->log_fd, runner->whole_dir_fd, runner->slot);
    slot_log_open(&k->log, runner->out_dir_fd, runner->slot);
    note_minor(k, 0); /* an earlier runner's handler has gone with it */
    return k;
}

struct spared *keeper_process(struct keeper *k) { return k == NULL ? NULL : &k->process; }

void keeper_fds(const struct keeper *k, struct pollfd *fds) {
    fds[0] = (struct pollfd){.fd = k == NULL ? -1 : k->turn_fd, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = k == NULL ? -1 : k->streams[0].from, .events = POLLIN};
    fds[2] = (struct pollfd){.fd = k == NULL ? -1 : k->streams[1].from, .events = POLLIN};
}

/* The process's environment: the container's own and where its slot is. */
static const char *prepare(struct keeper *k, int exec_fd, int turn_fd) {
    static char own[OWN_VARIABLES][PATH_BYTES];
    struct runner *runner = k->runner;
    snprintf(own[0], sizeof own[0], "QUIVER_SLOT=%u", runner->slot);
    snprintf(own[1], sizeof own[1], "QUIVER_IN=%s", runner->in_dir);
    snprintf(own[2], sizeof own[2], "QUIVER_OUT=%s", runner->out_dir);
    snprintf(own[3], sizeof own[3], "QUIVER_EXEC_FD=%d", exec_fd);
    snprintf(own[4], sizeof own[4], "QUIVER_TURN_FD=%d", turn_fd);
    snprintf(own[5], sizeof own[5], "QUIVER_LIB=%s", runner->library);
    /* Also how a later agent finds what an earlier one has left. */
    snprintf(own[6], sizeof own[6], "QUIVER_OUTPUT=%s/task-%u.out", runner->out_dir, runner->slot);
    snprintf(own[7], sizeof own[7], "QUIVER_MINOR=%d", QV_MINOR);
    const char *list[OWN_VARIABLES + 1] = {own[0], own[1], own[2], own[3], own[4], own[5], own[6], own[7], NULL};
    size_t base = 0;
    while (environ[base] != NULL) {
        base++;
    }
    free(k->environment);
    k->environment = calloc(OWN_VARIABLES + base + 1, sizeof *k->environment);
    struct qv_command none = {.strings = ""};
    return k->environment == NULL ? NULL : environment_build(&none, list, environ, k->environment);
}

/* A line of the agent's own in the slot's log. */
static void note(struct keeper *k, const char *text) {
    slot_log_add(&k->log, "AGENT", text, strlen(text));
    slot_log_write(&k->log);
}

static int start_process(struct keeper *k, struct qv_error *error) {
    int pair[2], ends[2];
    enum qv_reason reason;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
        return qv_fail(error, "no socket for the turn: %s", strerror(errno));
    }
    if (streams_open(k->streams, ends, error) < 0) {
        close(pair[0]);
        close(pair[1]);
        return -1;
    }
    int keep[] = {pair[1], k->runner->region->exec_fd};
    const char *path = prepare(k, keep[1], keep[0]);
    struct spawn what = {.argv = k->command,
                         .envp = (char *const *)k->environment,
                         .path = path,
                         .in = k->null_fd,
                         .out = ends[0],
                         .err = ends[1],
                         .keep = keep,
                         .keeps = 2};
    keeper_name_lines(k);
    pid_t pid = k->environment == NULL ? qv_fail(error, "no memory") : spawn(&what, &reason, error);
    close(pair[1]);
    close(ends[0]);
    close(ends[1]);
    if (pid < 0) {
        close(pair[0]);
        streams_finish(k->streams);
        return -1;
    }
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    k->turn_fd = pair[0];
    k->process = (struct spared){.pid = pid};
    note(k, "its handler starts");
    k->greeted = k->served = k->stopped = false;
    k->started_at = qv_now();
    atomic_store(&k->runner->shared->kept[k->runner->slot], true);
    return 0;
}

/* Before the next start: nothing, 0.1, 0.2 ... 5 s. */
static uint64_t pause_after(unsigned failures) {
    uint64_t pause = failures < 2 ? failures : failures > 7 ? 50 : UINT64_C(1) << (failures - 1);
    return (pause > 50 ? 50 : pause) * 100000000;
}

/* A process has ended, or could not be started. */
static void count_death(struct keeper *k) {
    struct runner *runner = k->runner;
    uint64_t s = qv_supervisor_word(runner->region, runner->slot), u = qv_executor_word(runner->region, runner->slot);
    uint64_t now = qv_now();
    if (k->greeted && (k->served || now - k->started_at > UINT64_C(1000000000))) {
        k->failures = 0;
    }
    k->greeted = k->served = false; /* the next is judged by what it does, also when it cannot even be started */
    k->not_before = now + pause_after(k->failures++);
    if (k->failures > 1) {
        runner_announce(runner, "", 0);
    }
    if (qv_code(u) != QV_RUNNING) {
        atomic_store(&runner->shared->sacrificed[runner->slot], false); /* no task has to be told */
    }
    if (qv_duty_of(s, u) == QV_START) {
        k->deaths = k->dying == qv_generation(s) ? k->deaths + 1 : 1;
        k->dying = qv_generation(s);
    }
}

static void start_if_due(struct keeper *k) {
    struct qv_error error;
    if (k->process.pid != 0 || qv_now() < k->not_before || atomic_load(&k->runner->shared->draining)) {
        return;
    }
    if (start_process(k, &error) < 0) {
        k->words = error;
        say("slot %u: its handler cannot be started: %s", k->runner->slot, error.text);
        note(k, error.text);
        count_death(k);
    }
}

static void greet(struct keeper *k, const struct turn_message *hello) {
    struct qv_error error;
    if (hello->head.type != QV_TURN_HELLO) {
        qv_fail(&error, "it began with message %u", hello->head.type);
    } else if ((hello->head.generation & UINT16_MAX) != QV_MAJOR) {
        qv_fail(&error, "its library speaks version %llu of the slots, this agent version %d",
                (unsigned long long)(hello->head.generation & UINT16_MAX), QV_MAJOR);
    } else if (qv_names_check(hello->text, hello->head.text_length, &error) > 0) {
        uint64_t minor = hello->head.generation >> 16;
        k->greeted = true;
        note_minor(k, minor < UINT8_MAX ? (uint8_t)minor : UINT8_MAX);
        runner_announce(k->runner, hello->text, hello->head.text_length);
        return;
    }
    k->words = error;
    k->explained = true;
    say("slot %u: its handler is ended: %s", k->runner->slot, error.text);
    kill(k->process.pid, SIGKILL);
}

void keeper_read_streams(struct keeper *k) {
    for (int i = 0; i < 2; i++) {
        if (k->streams[i].from >= 0) {
            stream_read(&k->streams[i]);
        }
    }
}

/* Its hello, or the end of the pair. Whatever else it says while the turn is ours breaks the rules. */
static void hear(struct keeper *k) {
    struct qv_error error;
    int got = turn_receive(k->turn_fd, &k->message, false, &error);
    if (got > 0 && !k->greeted) {
        greet(k, &k->message);
    } else if (got != 0) { /* not read again: an ended pair would end every sleep at once */
        close(k->turn_fd);
        k->turn_fd = -1;
        if (!k->process.ended) {
            kill(k->process.pid, SIGKILL);
        }
    }
}

void keeper_pump(struct keeper *k) {
    if (k != NULL && k->process.pid != 0) {
        keeper_read_streams(k);
        if (k->turn_fd >= 0) {
            hear(k);
        }
    }
}

void keeper_end(struct keeper *k) {
    struct reaped reaped = {.spared = NULL};
    if (!k->process.ended) {
        reaped.leader = k->process.pid;
    }
    if (!tree_kill(&reaped, KEEPER_CLEAN_MS)) {
        say("slot %u: processes of its handler are still there %d s after KILL; ending the container, since the slot"
            " cannot be made clean", k->runner->slot, KEEPER_CLEAN_MS / 1000);
        _exit(EXIT_NOT_CLEAN);
    }
    if (!k->process.ended && reaped.leader_ended) {
        k->process.status = reaped.leader_status;
    }
    streams_finish(k->streams);
    if (k->turn_fd >= 0) {
        close(k->turn_fd);
        k->turn_fd = -1;
    }
    int status = k->status = k->process.status;
    if (!k->explained && WIFSIGNALED(status)) {
        qv_fail(&k->words, "its handler was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (!k->explained) {
        qv_fail(&k->words, "its handler ended with exit code %d", WEXITSTATUS(status));
    }
    k->explained = false;
    note(k, k->words.text);
    note_minor(k, 0);
    k->process = (struct spared){.pid = 0};
    atomic_store(&k->runner->shared->kept[k->runner->slot], false);
    if (qv_code(qv_executor_word(k->runner->region, k->runner->slot)) == QV_READY) {
        keeper_clean(k); /* else somebody may still read what its task printed, and the runner cleans */
    }
    count_death(k);
}

/* Several tasks were dispatched, and this process reads an input as one. */
static bool too_many(const struct keeper *k) {
    const struct runner *runner = k->runner;
    return k->greeted && (runner_control(runner)->flags & QV_BATCH) != 0
           && atomic_load(&runner->region->exec->minor[runner->slot]) < QV_MINOR_BATCHES;
}

enum qv_reason keeper_refuses(struct keeper *k, uint64_t generation) {
    struct runner *runner = k->runner;
    uint64_t deadline = runner_control(runner)->deadline;
    if (k->dying == generation && k->deaths >= DEATHS) {
        k->deaths = 0;
        keeper_keep_tails(k);
        runner_reason(runner, QV_HANDLER_DIED, "%s, %d times before the task could begin", k->words.text, DEATHS);
        return QV_HANDLER_DIED;
    }
    if (deadline != 0 && qv_now() >= deadline) {
        runner_reason(runner, QV_TIMED_OUT, "no handler was ready before its deadline");
        return QV_TIMED_OUT;
    }
    if (too_many(k)) {
        runner_reason(runner, QV_BAD_RECORD, "its handler takes one task at a time, and several were dispatched");
        return QV_BAD_RECORD;
    }
    return QV_REASON_NONE;
}

/* A process that has ended is put in order; one that is of no use to a worker that ends, too. */
static void look_after(struct keeper *k) {
    struct reaped reaped = {.spared = &k->process};
    tree_reap(&reaped);
    keeper_pump(k);
    if (k->process.ended) {
        keeper_end(k);
        say("slot %u: %s", k->runner->slot, k->words.text);
    } else if (k->process.pid != 0 && atomic_load(&k->runner->shared->draining)) {
        keeper_end(k); /* the turn is ours: it holds nothing */
    }
    start_if_due(k);
}

/* How long to wait for S at most: a process that is coming up is looked at often, its pipes are small. */
static unsigned patience(const struct keeper *k) {
    uint64_t now = qv_now();
    if (k->process.pid != 0) {
        return k->greeted ? SWEEP_MS : IMPORTING_MS;
    }
    uint64_t pause = k->not_before > now ? (k->not_before - now) / 1000000 + 1 : SWEEP_MS;
    return pause < SWEEP_MS ? (unsigned)pause : SWEEP_MS;
}

void keeper_wait(struct keeper *k, uint64_t s) {
    struct runner *runner = k->runner;
    look_after(k);
    uint64_t u = qv_executor_word(runner->region, runner->slot);
    /* A result of ours that waits to be settled is ours to clean. */
    bool pending = qv_duty_of(s, u) == QV_START;
    if (k->process.pid != 0 && k->greeted && pending && too_many(k)) {
        return; /* it has greeted just now: the next look at the slot refuses them */
    }
    if (k->process.pid != 0 && k->greeted && (pending || qv_code(u) == QV_READY)) {
        keeper_attend(k);
    } else {
        qv_wait(runner->region, runner->slot, s, patience(k));
    }
}
