#define _GNU_SOURCE
#include "execute.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "environment.h"
#include "files.h"
#include "input.h"
#include "keeper.h"
#include "say.h"
#include "spawn.h"
#include "stream.h"
#include "tree.h"

extern char **environ;

enum { SWEEP_MS = 200, CLEAN_MS = 2000, OWN_VARIABLES = 4 };

struct commander {
    struct slot_files files;
    struct input_file given; /* the payload, as the command finds it */
    struct stream streams[2];
    const char *input;       /* payload and record */
    size_t input_bytes;
    int null_fd;
    const char **vectors; /* argv, then envp */
    size_t vectors_room;
    char own[OWN_VARIABLES][PATH_BYTES];
};

/* One trial under way. */
struct trial {
    struct reaped reaped;
    uint64_t generation;
    uint64_t deadline;          /* 0: none */
    uint64_t grace_ns;
    enum qv_reason stopping;    /* QV_REASON_NONE: not being stopped */
    uint64_t kill_at;
};

static void on_child(int signal) { (void)signal; }

/* Arguments and environment in the arrays that execve takes; PATH for the look-up. */
static int prepare(struct runner *runner, struct commander *c, const struct qv_command *command, struct spawn *what,
                   struct qv_error *error) {
    size_t base = 0;
    while (environ[base] != NULL) {
        base++;
    }
    size_t room = command->argc + 1 + OWN_VARIABLES + command->envc + base + 1;
    if (room > c->vectors_room) {
        const char **more = realloc(c->vectors, room * sizeof *more);
        if (more == NULL) {
            return qv_fail(error, "no memory for %zu arguments and variables", room);
        }
        c->vectors = more;
        c->vectors_room = room;
    }
    const char *string = command->strings;
    for (uint32_t i = 0; i < command->argc; i++) {
        c->vectors[i] = string;
        string += strlen(string) + 1;
    }
    c->vectors[command->argc] = NULL;
    snprintf(c->own[0], sizeof c->own[0], "QUIVER_SLOT=%u", runner->slot);
    snprintf(c->own[1], sizeof c->own[1], "QUIVER_INPUT=%s/task-%u.in", runner->out_dir, runner->slot);
    snprintf(c->own[2], sizeof c->own[2], "QUIVER_INPUT_LENGTH=%llu",
             (unsigned long long)runner_control(runner)->in_length);
    snprintf(c->own[3], sizeof c->own[3], "QUIVER_OUTPUT=%s/task-%u/output", runner->out_dir, runner->slot);
    const char *own[] = {c->own[0], c->own[1], c->own[2], c->own[3], NULL};
    const char **envp = c->vectors + command->argc + 1;
    what->path = environment_build(command, own, environ, envp);
    what->argv = (char *const *)c->vectors;
    what->envp = (char *const *)envp;
    what->directory = command->directory;
    return 0;
}

static void finish_streams(struct runner *runner, struct commander *c) {
    streams_finish(c->streams);
    streams_keep(c->streams, c->files.fd + FILE_STDOUT, runner_exec(runner), runner->slot);
}

static void stop(struct trial *trial, enum qv_reason reason) {
    trial->stopping = reason;
    trial->kill_at = qv_now() + trial->grace_ns;
    tree_signal(SIGTERM, trial->reaped.spared);
    tree_signal(SIGCONT, trial->reaped.spared); /* a stopped process would not see it */
}

static void look_for_reasons_to_stop(struct runner *runner, struct trial *trial) {
    uint64_t s = qv_supervisor_word(runner->region, runner->slot);
    if (s == qv_word(trial->generation, QV_OP_CANCEL)) {
        if (trial->stopping == QV_REASON_NONE) {
            stop(trial, QV_CANCELLED);
        }
        trial->stopping = QV_CANCELLED;
    } else if (trial->stopping == QV_REASON_NONE) {
        if (trial->deadline != 0 && qv_now() >= trial->deadline) {
            stop(trial, QV_TIMED_OUT);
        } else if (atomic_load(&runner->shared->cutoff)) {
            stop(trial, QV_DRAINED);
        }
    }
}

/* Until when to sleep at most. */
static struct timespec patience(const struct trial *trial) {
    uint64_t now = qv_now(), until = now + (uint64_t)SWEEP_MS * 1000000;
    uint64_t next = trial->stopping != QV_REASON_NONE ? trial->kill_at : trial->deadline;
    if (next != 0 && next < until) {
        until = next > now ? next : now;
    }
    return (struct timespec){.tv_sec = (time_t)((until - now) / 1000000000), .tv_nsec = (long)((until - now) % 1000000000)};
}

/* Sleeps until a child ends, output comes, the agent calls or something is due; takes the output in. */
static void wait_and_read(struct runner *runner, struct commander *c, const struct trial *trial) {
    struct pollfd fds[3 + KEEPER_FDS] = {{.fd = runner->wake_fd, .events = POLLIN},
                                         {.fd = c->streams[0].from, .events = POLLIN},
                                         {.fd = c->streams[1].from, .events = POLLIN}};
    keeper_fds(runner->keeper, fds + 3);
    struct timespec limit = patience(trial);
    sigset_t all_but_child;
    sigfillset(&all_but_child);
    sigdelset(&all_but_child, SIGCHLD); /* delivered only while we sleep: none is missed */
    if (ppoll(fds, 3 + KEEPER_FDS, &limit, &all_but_child) <= 0) {
        return;
    }
    uint64_t count;
    if (fds[0].revents != 0 && read(runner->wake_fd, &count, sizeof count) < 0) {
        count = 0;
    }
    for (int i = 0; i < 2; i++) {
        if (fds[1 + i].revents != 0 && c->streams[i].from >= 0) {
            stream_read(&c->streams[i]);
        }
    }
    keeper_pump(runner->keeper);
}

/* From the start of the leader to the end of the last process of its tree. */
static void attend(struct runner *runner, struct commander *c, struct trial *trial) {
    for (;;) {
        tree_reap(&trial->reaped);
        if (trial->reaped.empty) {
            return;
        }
        bool stopping = trial->stopping != QV_REASON_NONE;
        /* What a command leaves behind has no grace; while it is being stopped its children have theirs, if any are left:
           a handler beside it is none of them, and never ends. */
        bool over = trial->reaped.leader_ended && (!stopping || tree_only_spared(trial->reaped.spared));
        if (over || (stopping && qv_now() >= trial->kill_at)) {
            if (!tree_kill(&trial->reaped, CLEAN_MS)) {
                say("slot %u: processes of a task are still there %d s after KILL; ending the container, since the slot"
                    " cannot be made clean", runner->slot, CLEAN_MS / 1000);
                _exit(EXIT_NOT_CLEAN);
            }
            return;
        }
        wait_and_read(runner, c, trial);
        look_for_reasons_to_stop(runner, trial);
    }
}

static void explain_end(struct runner *runner, struct trial *trial, struct qv_exec_slot *exec) {
    int status = trial->reaped.leader_status;
    if (WIFEXITED(status)) {
        exec->exit = WEXITSTATUS(status);
    } else if (WIFSIGNALED(status)) {
        exec->signal = (uint32_t)WTERMSIG(status);
    }
    bool failed = exec->exit != 0;
    bool oom = failed && runner_out_of_memory(runner);
    if (runner_stop_words(trial->stopping) != NULL) {
        runner_reason(runner, trial->stopping, "%s", runner_stop_words(trial->stopping));
    } else if (oom && (exec->signal == SIGKILL || exec->exit == 128 + SIGKILL)) {
        runner_reason(runner, QV_OOM_KILLED, "%s", runner_memory_words(runner));
    } else if (exec->signal != 0) {
        runner_reason(runner, QV_SIGNALLED, "ended by signal %u (%s)", exec->signal, strsignal((int)exec->signal));
    } else if (failed) {
        runner_reason(runner, QV_NON_ZERO_EXIT, "exit code %d", exec->exit);
    }
}

static void account(const struct trial *trial, struct qv_exec_slot *exec) {
    const struct rusage *usage = &trial->reaped.usage;
    exec->cpu_ns = (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000
                   + (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
    exec->max_rss = (uint64_t)usage->ru_maxrss * 1024;
}

static enum qv_stage finish(struct runner *runner, struct commander *c, struct trial *trial) {
    struct qv_exec_slot *exec = runner_exec(runner);
    finish_streams(runner, c);
    account(trial, exec);
    explain_end(runner, trial, exec);
    struct qv_error error;
    enum qv_reason output = files_output(&c->files, runner_control(runner)->out_limit, &exec->out_length, &error);
    if (output != QV_REASON_NONE && exec->reason == QV_REASON_NONE) {
        runner_reason(runner, output, "%s", error.text);
    }
    exec->ended = qv_now();
    if (trial->stopping == QV_CANCELLED) {
        return QV_READY;
    }
    return exec->reason == QV_REASON_NONE ? QV_COMPLETE : QV_RETRY;
}

static enum qv_stage not_started(struct runner *runner, enum qv_reason reason, const char *words) {
    runner_reason(runner, reason, "%s", words);
    runner_exec(runner)->ended = qv_now();
    return QV_RETRY;
}

/* What the record asks for, ready to be started; or why it cannot be, with words. */
static enum qv_reason read_record(struct runner *runner, struct commander *c, struct qv_command *command,
                                  struct spawn *what, struct qv_error *error) {
    const struct qv_control_slot *control = runner_control(runner);
    uint64_t at = control->in_length > c->input_bytes ? c->input_bytes : qv_command_offset(control->in_length);
    if (control->kind == QV_KIND_HANDLER) {
        qv_fail(error, "the task names a handler and this worker runs none");
        return QV_HANDLER_NOT_FOUND;
    }
    if (control->kind != QV_KIND_COMMAND) {
        qv_fail(error, "the kind of the task is not known to this agent");
        return QV_BAD_RECORD;
    }
    if (at >= c->input_bytes) {
        qv_fail(error, "command record: the payload of %llu bytes leaves no room in the input",
                (unsigned long long)control->in_length);
        return QV_BAD_RECORD;
    }
    /* What handlers wrote may stay in the output until a command needs an empty one. */
    if (runner->keeper != NULL && files_clean(&c->files, error) < 0) {
        return QV_START_FAILED;
    }
    if (qv_command_parse(c->input + at, c->input_bytes - at, command, error) < 0) {
        return QV_BAD_RECORD;
    }
    return files_offer(&c->files, error) == 0 && input_put(&c->given, c->input, control->in_length, error) == 0
                   && prepare(runner, c, command, what, error) == 0
               ? QV_REASON_NONE
               : QV_START_FAILED;
}

static enum qv_stage execute(struct runner *runner, void *executor) {
    struct commander *c = executor;
    const struct qv_control_slot *control = runner_control(runner);
    struct qv_exec_slot *exec = runner_exec(runner);
    struct qv_error error;
    struct qv_command command;
    uint64_t generation = qv_generation(qv_supervisor_word(runner->region, runner->slot));
    struct spawn what = {.in = c->null_fd};
    int ends[2];
    exec->started = qv_now();
    enum qv_reason reason = read_record(runner, c, &command, &what, &error);
    if (reason == QV_REASON_NONE && streams_open(c->streams, ends, &error) < 0) {
        reason = QV_START_FAILED;
    }
    if (reason != QV_REASON_NONE) {
        return not_started(runner, reason, error.text);
    }
    for (int i = 0; i < 2; i++) {
        forward_begin(&c->streams[i].forward, control->name, control->name_length);
        whole_begin(&c->streams[i].whole, command.kept_bytes);
    }
    struct trial trial = {.generation = generation,
                              .reaped = {.spared = keeper_process(runner->keeper)},
                              .deadline = control->deadline,
                              .grace_ns = (uint64_t)command.grace_ms * 1000000};
    qv_store(runner->region, runner->slot, qv_word(generation, QV_RUNNING));
    what.out = ends[0];
    what.err = ends[1];
    pid_t pid = spawn(&what, &reason, &error);
    close(ends[0]);
    close(ends[1]);
    if (pid < 0) {
        finish_streams(runner, c);
        return not_started(runner, reason, error.text);
    }
    exec->pid = (uint32_t)pid;
    trial.reaped.leader = pid;
    look_for_reasons_to_stop(runner, &trial); /* called off while it was being started? */
    attend(runner, c, &trial);
    return finish(runner, c, &trial);
}

static int clean(struct runner *runner, void *executor, struct qv_error *error) {
    struct commander *c = executor;
    input_clear(&c->given);
    keeper_clean(runner->keeper);
    for (int i = 0; i < 2; i++) {
        whole_clear(&c->streams[i].whole);
    }
    return files_clean(&c->files, error);
}

struct executor command_executor(struct runner *runner) {
    struct commander *c = calloc(1, sizeof *c);
    char name[32];
    struct stat status;
    snprintf(name, sizeof name, "task-%u.in", runner->slot);
    int fd = openat(runner->in_dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (c == NULL || fd < 0 || fstat(fd, &status) < 0 || status.st_size <= 0) {
        say("slot %u: its input %s cannot be read: %s", runner->slot, name, strerror(errno));
        _exit(EXIT_WORDS);
    }
    c->input_bytes = (size_t)status.st_size;
    c->input = mmap(NULL, c->input_bytes, PROT_READ, MAP_SHARED, fd, 0);
    c->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (c->input == MAP_FAILED || c->null_fd < 0) {
        say("slot %u: its input %s cannot be mapped: %s", runner->slot, name, strerror(errno));
        _exit(EXIT_WORDS);
    }
    madvise((void *)c->input, c->input_bytes, MADV_DONTFORK);
    close(fd);
    c->files = (struct slot_files){.dir = runner->out_dir_fd,
                                   .slot = runner->slot,
                                   .out_capacity = runner->region->control->out_capacity};
    files_open(&c->files);
    struct qv_error error;
    if (input_open(&c->given, runner->out_dir_fd, runner->slot, &error) < 0) {
        say("%s", error.text);
        _exit(EXIT_WORDS);
    }
    streams_init(c->streams, runner->log_fd, runner->whole_dir_fd, runner->slot);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = on_child}, NULL);
    return (struct executor){.execute = execute, .clean = clean, .state = c};
}
