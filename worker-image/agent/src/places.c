/* A runner for each slot: started, reaped, replaced, ended. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent_state.h"
#include "keeper.h"
#include "memory.h"
#include "say.h"
#include "tree.h"

enum { DEATHS = 3 };

_Noreturn static void serve(struct agent *a, unsigned slot, pid_t parent, uint64_t doomed) {
    struct place *place = &a->places[slot];
    char name[16];
    snprintf(name, sizeof name, "quiver-slot-%u", slot);
    prctl(PR_SET_NAME, name);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getppid() != parent) {
        _exit(EXIT_WORDS);
    }
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    link_close(&a->link);
    madvise((void *)a->region.control, a->region.control_bytes, MADV_DONTFORK);
    madvise(a->region.exec, a->region.exec_bytes, MADV_DONTFORK);
    struct runner runner = {.region = &a->region,
                            .slot = slot,
                            .shared = a->shared,
                            .wake_fd = place->wake_fd,
                            .names_fd = a->names_fd,
                            .library = a->library,
                            .in_dir = a->in_dir,
                            .out_dir = a->out_dir,
                            .in_dir_fd = a->in_dir_fd,
                            .out_dir_fd = a->out_dir_fd,
                            .whole_dir_fd = a->whole_dir_fd,
                            .log_fd = {a->log_fd[0], a->log_fd[1]},
                            .doomed = doomed};
    struct executor executor = a->make_executor(&runner);
    if (a->handler != NULL) {
        runner.keeper = keeper_make(&runner, a->handler);
    }
    runner_serve(&runner, &executor);
}

static void start_runner(struct agent *a, unsigned slot) {
    struct place *place = &a->places[slot];
    pid_t self = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        serve(a, slot, self, place->deaths >= DEATHS ? place->dying : 0);
    }
    if (pid < 0) {
        say("slot %u: no runner could be started: %s", slot, strerror(errno));
        place->not_before = qv_now() + SECOND;
        return;
    }
    place->pid = pid;
}

/* Kills and reaps every child that is not a living runner. They can only be orphans of runners that died. */
static bool kill_orphans(struct agent *a) {
    pid_t living[QV_MAX_SLOTS];
    unsigned count = 0;
    for (unsigned slot = 0; slot < QV_MAX_SLOTS; slot++) {
        if (a->places[slot].pid > 0) {
            living[count++] = a->places[slot].pid;
        }
    }
    return tree_kill_orphans(living, count, CLEAN_MS);
}

/* A runner's handler has ended with it. */
static void forget_handler(struct agent *a, unsigned slot) {
    memset(&a->shared->announced[slot], 0, sizeof a->shared->announced[slot]);
    atomic_store(&a->shared->kept[slot], false);
}

static void runner_died(struct agent *a, unsigned slot, int status) {
    struct place *place = &a->places[slot];
    struct runner words = {.region = &a->region, .slot = slot, .shared = a->shared};
    uint64_t s = qv_supervisor_word(&a->region, slot), u = qv_executor_word(&a->region, slot);
    bool oom = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && runner_out_of_memory(&words);
    forget_handler(a, slot);
    say("slot %u: its runner died (%s %d)%s", slot, WIFSIGNALED(status) ? "signal" : "exit code",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), oom ? ", killed for lack of memory" : "");
    if (qv_code(u) == QV_RUNNING && oom) {
        runner_reason(&words, QV_OOM_KILLED, "its runner was killed: the container's memory limit was reached");
    }
    if (place->dying != qv_generation(s)) {
        place->dying = qv_generation(s);
        place->deaths = 0;
    }
    place->deaths++;
    place->not_before = qv_now() + (place->deaths > 1 ? SECOND / 10 * place->deaths : 0);
    place->pid = 0;
}

/* Who has ended? Returns false when the container has to end. */
bool places_reap(struct agent *a) {
    bool orphans = false;
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0) {
            break;
        }
        int status;
        waitpid(info.si_pid, &status, 0);
        for (unsigned slot = 0; slot < agent_slots(a); slot++) {
            if (a->places[slot].pid == info.si_pid) {
                if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_CLEAN) {
                    return false;
                }
                runner_died(a, slot, status);
                orphans = true;
            }
        }
    }
    if (orphans && !kill_orphans(a)) {
        say("processes of a dead runner's task are still there %d s after KILL; ending the container", CLEAN_MS / 1000);
        return false;
    }
    return true;
}

/*
 * Not before `exec` was sent: a supervisor must have heard of every executor that ever started something, or it would
 * take a task that died with one for a task that was never started.
 */
void places_start(struct agent *a) {
    if (!a->announced) {
        return;
    }
    for (unsigned slot = 0; slot < agent_slots(a); slot++) {
        if (a->places[slot].pid == 0 && qv_now() >= a->places[slot].not_before) {
            start_runner(a, slot);
        }
    }
}

/* Ends all runners with their tasks and forgets the region. */
bool places_end(struct agent *a) {
    for (unsigned slot = 0; slot < QV_MAX_SLOTS; slot++) {
        if (a->places[slot].pid > 0) {
            kill(a->places[slot].pid, SIGKILL);
            waitpid(a->places[slot].pid, NULL, 0);
        }
        if (a->places[slot].wake_fd > 0) {
            close(a->places[slot].wake_fd);
        }
        a->places[slot] = (struct place){0};
        forget_handler(a, slot);
    }
    qv_region_close(&a->region);
    a->announced = false;
    return kill_orphans(a);
}

void places_wake(struct agent *a, unsigned slot) {
    uint64_t one = 1;
    if (slot < agent_slots(a) && write(a->places[slot].wake_fd, &one, sizeof one) < 0) {
        return; /* full: it is awake already */
    }
}

void places_wake_all(struct agent *a) {
    for (unsigned slot = 0; slot < agent_slots(a); slot++) {
        places_wake(a, slot);
    }
}
