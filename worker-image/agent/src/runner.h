/* The life of one slot, with whatever executes its tasks. */
#ifndef QUIVER_RUNNER_H
#define QUIVER_RUNNER_H

#include <sys/types.h>

#include "quiver/slots.h"

/* What the handler of a slot serves: written by its runner, read by the agent. */
struct announced {
    _Atomic uint32_t sequence;    /* odd while the names are being written */
    uint32_t length;              /* 0: none */
    char names[QV_HANDLERS_BYTES];
};

/* Memory that the agent shares with its runners; it outlives each of them. */
struct shared {
    _Atomic bool draining;        /* start nothing new */
    _Atomic bool cutoff;          /* end what runs */
    _Atomic uint64_t oom_seen;    /* the cgroup's oom_kill count that was already blamed on somebody */
    _Atomic bool sacrificed[QV_MAX_SLOTS]; /* the agent killed what ran in this slot, for lack of memory */
    _Atomic bool kept[QV_MAX_SLOTS];       /* the slot has a handler process */
    struct announced announced[QV_MAX_SLOTS];
};

struct keeper;

/* What a runner knows. All descriptors are close-on-exec. */
struct runner {
    struct qv_region *region;
    unsigned slot;
    struct shared *shared;
    int wake_fd;                  /* eventfd: look at S now */
    int names_fd;                 /* eventfd: tells the agent that announced[slot] has changed */
    const char *library;          /* path of libquiver.so */
    struct keeper *keeper;        /* NULL: this worker has no handler */
    const char *in_dir, *out_dir; /* as tasks see them */
    int in_dir_fd, out_dir_fd;
    int whole_dir_fd;             /* the volume for all of the streams; -1: none */
    int log_fd[2];                /* the container's stdout and stderr, not blocking */
    uint64_t doomed;              /* a generation that killed its runners; 0 if none */
    bool by_agent;                /* runner_out_of_memory: it was the agent who killed */
};

/*
 * Executes generation S.g: stores U = (g, running), later the result, and returns the stage to store, COMPLETE or
 * RETRY; or READY when the task was called off and all of it is gone.
 */
typedef enum qv_stage execute_fn(struct runner *runner, void *executor);

/* Makes the slot's files as they must be before a task. Returns -1 with words if that is not possible now. */
typedef int clean_fn(struct runner *runner, void *executor, struct qv_error *error);

struct executor {
    execute_fn *execute;
    clean_fn *clean;
    void *state;
};

/* Room for a path in one of the volumes, or for a variable that holds one. */
enum { PATH_BYTES = 4200 };

/* Exit codes of the agent and its runners. */
enum { EXIT_WORDS = 1, EXIT_USAGE = 2, EXIT_NOT_CLEAN = 70 };

/* Serves the slot for ever. Ends the process with EXIT_NOT_CLEAN when a slot cannot be promised clean. */
_Noreturn void runner_serve(struct runner *runner, const struct executor *executor);

/* Clears the slot's record for a new generation. Call before U names it. */
struct qv_exec_slot *runner_clear(struct runner *runner);

/* The slot's record on both sides. */
const struct qv_control_slot *runner_control(const struct runner *runner);
struct qv_exec_slot *runner_exec(const struct runner *runner);

/* Copies what the input says of the batch's task under way; false when the slot has no batch. */
bool runner_batch_task(const struct runner *runner, struct qv_batch_entry *entry);

/* Until when the slot's task may run, 0: no limit; of a batch, once it runs, that of the task under way. */
uint64_t runner_deadline(const struct runner *runner, bool running);

/* Writes a reason with its words. */
void runner_reason(struct runner *runner, enum qv_reason reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says what this slot's handler serves, names joined by newlines; length 0: nothing. */
void runner_announce(struct runner *runner, const char *names, size_t length);

/* Whether lack of memory explains a KILL in this slot that was not ours. The same death is not asked about twice. */
bool runner_out_of_memory(struct runner *runner);

/* The words for it, after runner_out_of_memory said yes. */
const char *runner_memory_words(const struct runner *runner);

/* What is told of a task that was stopped at its deadline or by the end of the worker; NULL for any other reason. */
const char *runner_stop_words(enum qv_reason reason);

#endif
