/*
 * The agent: finds the supervisor, makes `exec`, keeps one runner alive for each slot, drains. One loop that sleeps in
 * ppoll; SIGCHLD, SIGTERM and SIGINT are delivered only there.
 */
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "link.h"
#include "memory.h"
#include "tree.h"

enum { TICK_MS = 200, CLEAN_MS = 2000, DEATHS = 3, LINGER_MS = 2000, LOCK_TRIES = 50, DRAIN_SECONDS = 300 };
#define SECOND UINT64_C(1000000000)

struct place {
    pid_t pid;               /* 0: no runner */
    int wake_fd;
    uint64_t dying;          /* the generation in which runners died, and how often */
    unsigned deaths;
    uint64_t not_before;     /* when the next may be started */
    bool replaced;
};

struct agent {
    const char *in_dir, *out_dir;
    int in_dir_fd, out_dir_fd;
    int log_fd[2];
    make_executor_fn *make_executor;
    struct shared *shared;
    struct qv_region region;
    struct link link;
    uint64_t connect_at;     /* when to try again */
    uint64_t absent_since, said_at;
    uint32_t bell;
    bool announced;          /* a supervisor was sent this region's exec: runners may be started */
    struct place places[QV_MAX_SLOTS];
    uint64_t drain_until, idle_since;
};

static volatile sig_atomic_t terminations;

static void on_child(int signal) { (void)signal; }

static void on_termination(int signal) {
    (void)signal;
    terminations++;
}

static unsigned slots(const struct agent *a) { return a->region.exec == NULL ? 0 : a->region.exec->prologue.slots; }

/* A description of our own for the container's stdout or stderr, so that not blocking is nobody else's business. */
static int open_log(int fd) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_WRONLY | O_NONBLOCK | O_APPEND | O_CLOEXEC | O_NOCTTY);
    if (own < 0) { /* a socket, or a pipe made by another user: then the description that we were given */
        own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        fcntl(own, F_SETFL, O_NONBLOCK | fcntl(own, F_GETFL));
    }
    return own;
}

static int open_folder(const char *variable, const char *usual, const char **path) {
    const char *named = getenv(variable);
    *path = named != NULL && *named != 0 ? named : usual;
    int fd = open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        say("%s=%s cannot be opened: %s", variable, *path, strerror(errno));
    }
    return fd;
}

/* One agent for a volume. An earlier one's runners hold the lock for the moment that they take to die. */
static bool lock_out_dir(struct agent *a) {
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(a->out_dir_fd, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        poll(NULL, 0, 100);
    }
    say("another agent serves %s", a->out_dir);
    return false;
}

/* Processes that an earlier agent's tasks left: they carry the volume in their environment. */
static void kill_leftovers(const struct agent *a) {
    char marker[4200];
    snprintf(marker, sizeof marker, "QUIVER_OUTPUT=%s/task-", a->out_dir);
    unsigned found, sum = 0;
    for (int i = 0; i < 20 && (found = tree_kill_marked(marker)) > 0; i++, sum += found) {
        poll(NULL, 0, 10);
    }
    if (sum > 0) {
        say("killed what an earlier agent's tasks had left running");
    }
}

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
    close(a->region.exec_fd);
    struct runner runner = {.region = &a->region,
                            .slot = slot,
                            .shared = a->shared,
                            .wake_fd = place->wake_fd,
                            .in_dir = a->in_dir,
                            .out_dir = a->out_dir,
                            .in_dir_fd = a->in_dir_fd,
                            .out_dir_fd = a->out_dir_fd,
                            .log_fd = {a->log_fd[0], a->log_fd[1]},
                            .doomed = doomed,
                            .replaced = place->replaced};
    struct executor executor = a->make_executor(&runner);
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
    struct reaped reaped = {.leader = 0};
    return tree_kill(&reaped, living, count, CLEAN_MS);
}

static void runner_died(struct agent *a, unsigned slot, int status) {
    struct place *place = &a->places[slot];
    uint64_t s = qv_supervisor_word(&a->region, slot), u = qv_executor_word(&a->region, slot), kills;
    bool oom = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && memory_oom_kills(&kills)
               && atomic_exchange(&a->shared->oom_seen, kills) < kills;
    say("slot %u: its runner died (%s %d)%s", slot, WIFSIGNALED(status) ? "signal" : "exit code",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), oom ? ", killed for lack of memory" : "");
    if (qv_code(u) == QV_RUNNING && oom) {
        struct runner words = {.region = &a->region, .slot = slot};
        runner_reason(&words, QV_OOM_KILLED, "its runner was killed: the container's memory limit was reached");
    }
    if (place->dying != qv_generation(s)) {
        place->dying = qv_generation(s);
        place->deaths = 0;
    }
    place->deaths++;
    place->not_before = qv_now() + (place->deaths > 1 ? SECOND / 10 * place->deaths : 0);
    place->pid = 0;
    place->replaced = true;
}

/* Who has ended? Returns false when the container has to end. */
static bool reap(struct agent *a) {
    bool orphans = false;
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0) {
            break;
        }
        int status;
        waitpid(info.si_pid, &status, 0);
        for (unsigned slot = 0; slot < slots(a); slot++) {
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
static void start_missing_runners(struct agent *a) {
    if (!a->announced) {
        return;
    }
    for (unsigned slot = 0; slot < slots(a); slot++) {
        if (a->places[slot].pid == 0 && qv_now() >= a->places[slot].not_before) {
            start_runner(a, slot);
        }
    }
}

/* Ends all runners with their tasks and forgets the region. */
static bool end_region(struct agent *a) {
    for (unsigned slot = 0; slot < QV_MAX_SLOTS; slot++) {
        if (a->places[slot].pid > 0) {
            kill(a->places[slot].pid, SIGKILL);
            waitpid(a->places[slot].pid, NULL, 0);
        }
        if (a->places[slot].wake_fd > 0) {
            close(a->places[slot].wake_fd);
        }
        a->places[slot] = (struct place){0};
    }
    qv_region_close(&a->region);
    a->announced = false;
    return kill_orphans(a);
}

/* Output files for every slot of a newly mapped control. */
static int make_files(const struct agent *a, const struct qv_control *control, struct qv_error *error) {
    for (unsigned slot = 0; slot < control->prologue.slots; slot++) {
        struct slot_files files = {.dir = a->out_dir_fd, .slot = slot, .out_capacity = control->out_capacity};
        if (files_create(&files, error) < 0) {
            return -1;
        }
        files_close(&files);
    }
    return 0;
}

/* The supervisor has said which region it means. Same as ours: send it again; another one: everything anew. */
static int enter_region(struct agent *a, struct qv_error *error) {
    const uint8_t *wanted = a->link.frame.region_id;
    if (a->region.exec == NULL || memcmp(a->region.exec->prologue.region_id, wanted, 16) != 0) {
        if (a->region.exec != NULL && !end_region(a)) {
            say("processes of the earlier region are still there %d s after KILL; ending the container",
                CLEAN_MS / 1000);
            exit(EXIT_NOT_CLEAN);
        }
        struct qv_region region;
        int fd = openat(a->in_dir_fd, "control", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0) {
            return qv_fail(error, "control: %s", strerror(errno));
        }
        int mapped = qv_control_map(fd, &region, error);
        close(fd);
        if (mapped < 0) {
            return -1;
        }
        if (memcmp(region.control->prologue.region_id, wanted, 16) != 0) {
            qv_region_close(&region);
            return qv_fail(error, "control is being replaced");
        }
        if (make_files(a, region.control, error) < 0 || qv_exec_create(&region, qv_now(), error) < 0) {
            qv_region_close(&region);
            return -1;
        }
        a->region = region;
        a->bell = atomic_load(&region.control->agent_bell);
        for (unsigned slot = 0; slot < slots(a); slot++) {
            a->places[slot] = (struct place){.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
        }
    }
    if (link_send(&a->link, QV_FRAME_EXEC, &a->region, error) < 0) {
        return -1;
    }
    a->announced = true;
    start_missing_runners(a);
    return atomic_load(&a->shared->draining) ? link_send(&a->link, QV_FRAME_DRAINING, &a->region, error) : 0;
}

static void wake(struct agent *a, unsigned slot) {
    uint64_t one = 1;
    if (slot < slots(a) && write(a->places[slot].wake_fd, &one, sizeof one) < 0) {
        return; /* full: it is awake already */
    }
}

static void wake_all(struct agent *a) {
    for (unsigned slot = 0; slot < slots(a); slot++) {
        wake(a, slot);
    }
}

/* Words about an absent supervisor: after 2 s, then every 30 s. */
static void say_absent(struct agent *a, const struct qv_error *error) {
    uint64_t now = qv_now();
    if (a->absent_since == 0) {
        a->absent_since = now;
        a->said_at = 0;
    }
    if (now - a->absent_since > 2 * SECOND && (a->said_at == 0 || now - a->said_at > 30 * SECOND)) {
        say("waiting for the supervisor in %s: %s", a->in_dir, error->text);
        a->said_at = now;
    }
}

static void hang_up(struct agent *a, const struct qv_error *error) {
    link_close(&a->link);
    a->connect_at = qv_now() + SECOND / 10;
    say_absent(a, error);
}

static void connect_if_due(struct agent *a) {
    struct qv_error error;
    if (a->link.fd < 0 && qv_now() >= a->connect_at && link_connect(&a->link, a->in_dir_fd, &error) < 0) {
        hang_up(a, &error);
    }
}

static void take_frames(struct agent *a) {
    struct qv_error error;
    int got;
    while (a->link.fd >= 0 && (got = link_receive(&a->link, &error)) != 0) {
        if (got > 0 && a->link.frame.type == QV_FRAME_LOOK) {
            wake(a, a->link.frame.slots);
        } else if (got > 0 && a->link.frame.type == QV_FRAME_HELLO) {
            got = enter_region(a, &error);
            if (got == 0) {
                a->absent_since = 0;
            }
        }
        if (got < 0) {
            hang_up(a, &error);
        }
    }
}

/* Is there anything that this container still owes? Results get a moment to be fetched. */
static bool owes_nothing(struct agent *a) {
    bool running = false, unread = false;
    for (unsigned slot = 0; slot < slots(a); slot++) {
        uint64_t s = qv_supervisor_word(&a->region, slot), u = qv_executor_word(&a->region, slot);
        running |= qv_code(u) == QV_RUNNING || qv_duty_of(s, u) == QV_START;
        unread |= qv_code(u) != QV_READY;
    }
    uint64_t now = qv_now();
    a->idle_since = running ? 0 : a->idle_since == 0 ? now : a->idle_since;
    return !running && (!unread || a->link.fd < 0 || now - a->idle_since > (uint64_t)LINGER_MS * 1000000);
}

/* Returns whether the agent may leave. */
static bool drain(struct agent *a) {
    if (!atomic_load(&a->shared->draining)) {
        const char *seconds = getenv("QUIVER_DRAIN_SECONDS");
        long grace = seconds == NULL ? DRAIN_SECONDS : strtol(seconds, NULL, 10);
        a->drain_until = qv_now() + (uint64_t)(grace < 0 ? 0 : grace) * SECOND;
        atomic_store(&a->shared->draining, true);
        struct qv_error error;
        if (a->link.fd >= 0 && a->region.exec != NULL && link_send(&a->link, QV_FRAME_DRAINING, &a->region, &error) < 0) {
            hang_up(a, &error);
        }
    }
    bool over = terminations > 1 || qv_now() >= a->drain_until;
    if (over && !atomic_exchange(&a->shared->cutoff, true)) {
        wake_all(a);
    }
    return owes_nothing(a);
}

static bool open_everything(struct agent *a) {
    a->in_dir_fd = open_folder("QUIVER_IN", "/quiver/in", &a->in_dir);
    a->out_dir_fd = open_folder("QUIVER_OUT", "/quiver/out", &a->out_dir);
    if (a->in_dir_fd < 0 || a->out_dir_fd < 0 || !lock_out_dir(a)) {
        return false;
    }
    a->log_fd[0] = open_log(STDOUT_FILENO);
    a->log_fd[1] = open_log(STDERR_FILENO);
    a->shared = mmap(NULL, sizeof *a->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (a->shared == MAP_FAILED) {
        say("no memory: %s", strerror(errno));
        return false;
    }
    uint64_t kills;
    atomic_store(&a->shared->oom_seen, memory_oom_kills(&kills) ? kills : 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    kill_leftovers(a);
    return true;
}

static void tick(struct agent *a) {
    if (a->region.exec == NULL) {
        return;
    }
    atomic_store(&a->region.exec->heartbeat, qv_now());
    uint32_t bell = atomic_load(&a->region.control->agent_bell);
    if (bell != a->bell) { /* a LOOK frame may have been lost */
        a->bell = bell;
        wake_all(a);
    }
}

int agent_run(make_executor_fn *make_executor) {
    struct agent a = {.make_executor = make_executor, .link = {.fd = -1}, .region = {.exec_fd = -1}};
    sigset_t all, waiting;
    sigfillset(&all);
    sigfillset(&waiting);
    sigdelset(&waiting, SIGCHLD);
    sigdelset(&waiting, SIGTERM);
    sigdelset(&waiting, SIGINT);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = on_child}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_termination}, NULL);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_termination}, NULL);
    if (!open_everything(&a)) {
        return EXIT_WORDS;
    }
    bool clean = true, done = false;
    while (clean && !done) {
        connect_if_due(&a);
        unsigned millis = a.link.fd < 0 || terminations > 0 ? TICK_MS / 4 : TICK_MS;
        struct pollfd fd = {.fd = a.link.fd, .events = POLLIN};
        struct timespec limit = {.tv_nsec = (long)millis * 1000000};
        if (ppoll(&fd, 1, &limit, &waiting) > 0) {
            take_frames(&a);
        }
        clean = reap(&a);
        if (clean) {
            start_missing_runners(&a);
        }
        tick(&a);
        done = terminations > 0 && drain(&a);
    }
    clean &= end_region(&a);
    if (!clean) {
        say("leaves processes behind");
    }
    return clean ? 0 : EXIT_NOT_CLEAN;
}
