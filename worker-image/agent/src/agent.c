/*
 * The agent: finds the supervisor, makes `exec`, keeps one runner alive for each slot, drains. One loop that sleeps in
 * ppoll; SIGCHLD, SIGTERM and SIGINT are delivered only there.
 */
#define _GNU_SOURCE
#include "agent.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent_state.h"
#include "link.h"
#include "say.h"

enum { TICK_MS = 200, DRAIN_SECONDS = 300 };
/* How long results wait to be fetched: by a supervisor that is there, and by one that is being started again. */
enum { LINGER_MS = 2000, ABSENT_LINGER_MS = 10000 };

static volatile sig_atomic_t terminations;

static void on_child(int signal) { (void)signal; }

static void on_termination(int signal) {
    (void)signal;
    terminations++;
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
            places_wake(a, a->link.frame.slots);
        } else if (got > 0 && a->link.frame.type == QV_FRAME_HELLO) {
            got = agent_enter_region(a, &error);
            if (got == 0) {
                a->absent_since = 0;
                a->idle_since = 0; /* its time to fetch results begins now */
            }
        }
        if (got < 0) {
            hang_up(a, &error);
        }
    }
}

/* Is there anything that this container still owes? Results get a moment to be fetched, handlers one to leave. */
static bool owes_nothing(struct agent *a) {
    bool running = false, unread = false, kept = false;
    for (unsigned slot = 0; slot < agent_slots(a); slot++) {
        uint64_t s = qv_supervisor_word(&a->region, slot), u = qv_executor_word(&a->region, slot);
        running |= qv_code(u) == QV_RUNNING || qv_duty_of(s, u) == QV_START;
        unread |= qv_code(u) != QV_READY;
        kept |= atomic_load(&a->shared->kept[slot]);
    }
    uint64_t now = qv_now();
    kept &= !atomic_load(&a->shared->cutoff);
    a->idle_since = running ? 0 : a->idle_since == 0 ? now : a->idle_since;
    uint64_t linger = (uint64_t)(a->link.fd < 0 ? ABSENT_LINGER_MS : LINGER_MS) * 1000000;
    return !running && !kept && (!unread || now - a->idle_since > linger);
}

/* Returns whether the agent may leave. */
static bool drain(struct agent *a) {
    if (!atomic_load(&a->shared->draining)) {
        const char *seconds = getenv("QUIVER_DRAIN_SECONDS");
        long grace = seconds == NULL ? DRAIN_SECONDS : strtol(seconds, NULL, 10);
        a->drain_until = qv_now() + (uint64_t)(grace < 0 ? 0 : grace) * SECOND;
        struct qv_error error; /* told first: a task that is cut off is the container's end only if that is known */
        if (a->link.fd >= 0 && a->region.exec != NULL && link_send(&a->link, QV_FRAME_DRAINING, &a->region, &error) < 0) {
            hang_up(a, &error);
        }
        atomic_store(&a->shared->draining, true);
        places_wake_all(a); /* handlers are told to leave */
    }
    bool over = terminations > 1 || qv_now() >= a->drain_until;
    if (over && !atomic_exchange(&a->shared->cutoff, true)) {
        places_wake_all(a);
    }
    return owes_nothing(a);
}

static void tick(struct agent *a) {
    if (a->region.exec == NULL) {
        return;
    }
    atomic_store(&a->region.exec->heartbeat, qv_now());
    uint32_t bell = atomic_load(&a->region.control->agent_bell);
    if (bell != a->bell) { /* a LOOK frame may have been lost */
        a->bell = bell;
        places_wake_all(a);
    }
}

/* Handlers have said what they serve, or are gone. */
static void tell_names(struct agent *a) {
    struct qv_error error;
    if (a->region.exec != NULL && names_publish(a) && a->link.fd >= 0
        && link_send(&a->link, QV_FRAME_HANDLERS, &a->region, &error) < 0) {
        hang_up(a, &error);
    }
}

/* Lack of memory: who has to go. */
static void look_at_memory(struct agent *a) {
    pid_t runners[QV_MAX_SLOTS];
    for (unsigned slot = 0; slot < agent_slots(a); slot++) {
        runners[slot] = a->places[slot].pid;
    }
    int slot = pressure_look(&a->pressure, runners, agent_slots(a), a->shared);
    if (slot >= 0) {
        places_wake(a, (unsigned)slot);
    }
}

int agent_run(make_executor_fn *make_executor, char *const *handler) {
    struct agent a = {.make_executor = make_executor, .handler = handler, .link = {.fd = -1}, .region = {.exec_fd = -1}};
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
    if (!agent_open(&a)) {
        return EXIT_WORDS;
    }
    pressure_open(&a.pressure, NULL);
    bool clean = true, done = false;
    while (clean && !done) {
        connect_if_due(&a);
        unsigned tick_ms = a.link.fd < 0 || terminations > 0 ? TICK_MS / 4 : TICK_MS;
        unsigned millis = pressure_patience(&a.pressure, tick_ms);
        int names_fd = a.region.exec == NULL ? -1 : a.names_fd; /* without a region nobody would read it: no sleep */
        struct pollfd fds[] = {{.fd = a.link.fd, .events = POLLIN}, {.fd = names_fd, .events = POLLIN}};
        struct timespec limit = {.tv_nsec = (long)millis * 1000000};
        if (ppoll(fds, 2, &limit, &waiting) > 0 && fds[0].revents != 0) {
            take_frames(&a);
        }
        clean = places_reap(&a);
        if (clean) {
            places_start(&a);
        }
        tell_names(&a);
        look_at_memory(&a);
        tick(&a);
        done = terminations > 0 && drain(&a);
    }
    clean &= places_end(&a);
    if (!clean) {
        say("leaves processes behind");
    }
    return clean ? 0 : EXIT_NOT_CLEAN;
}
