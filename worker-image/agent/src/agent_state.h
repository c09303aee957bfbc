/* What the parts of the agent share. */
#ifndef QUIVER_AGENT_STATE_H
#define QUIVER_AGENT_STATE_H

#include "agent.h"
#include "link.h"
#include "pressure.h"

enum { CLEAN_MS = 2000 };
#define SECOND UINT64_C(1000000000)

struct place {
    pid_t pid;               /* 0: no runner */
    int wake_fd;
    uint64_t dying;          /* the generation in which runners died, and how often */
    unsigned deaths;
    uint64_t not_before;     /* when the next may be started */
};

struct agent {
    const char *in_dir, *out_dir;
    int in_dir_fd, out_dir_fd;
    int whole_dir_fd;        /* the volume on a disk, for all of the streams; -1: none */
    int log_fd[2];
    make_executor_fn *make_executor;
    char *const *handler;    /* the handler's words, ended by NULL; NULL: none */
    char library[4096];      /* libquiver.so, beside this binary */
    int names_fd;            /* eventfd: a runner's handler announced something */
    struct shared *shared;
    struct qv_region region;
    struct link link;
    struct pressure pressure;
    uint64_t connect_at;     /* when to try again */
    uint64_t absent_since, said_at;
    uint32_t bell;
    bool announced;          /* a supervisor was sent this region's exec: runners may be started */
    struct place places[QV_MAX_SLOTS];
    uint64_t drain_until, idle_since;
};

/* Slots of the region; 0 without one. */
static inline unsigned agent_slots(const struct agent *a) {
    return a->region.exec == NULL ? 0 : a->region.exec->prologue.slots;
}

/* Opens volumes, logs and shared memory, and ends what an earlier agent left. False with words said. */
bool agent_open(struct agent *a);

/* The supervisor has said which region it means. Same as ours: send it again; another one: everything anew. */
int agent_enter_region(struct agent *a, struct qv_error *error);

/* Starts runners where there is none, once a supervisor has heard of our `exec`. */
void places_start(struct agent *a);

/* Learns who has ended. False: the container has to end. */
bool places_reap(struct agent *a);

/* Ends all runners with their tasks and forgets the region. False: processes are left. */
bool places_end(struct agent *a);

/* Has the runner look at its slot now. */
void places_wake(struct agent *a, unsigned slot);
void places_wake_all(struct agent *a);

/* Copies what the handlers announced into `exec`, when it differs. True: the supervisor is to be told. */
bool names_publish(struct agent *a);

#endif
