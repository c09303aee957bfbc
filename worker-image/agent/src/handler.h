/* What the parts of libquiver share about the one slot that this process serves. */
#ifndef QUIVER_HANDLER_STATE_H
#define QUIVER_HANDLER_STATE_H

#include "quiver/handler.h"
#include "quiver/slots.h"

enum { HANDLER_PATH = 4096, HANDLER_SWEEP_MS = 200 };

/* Where the work thread is in the life of a task. */
enum handler_step { STEP_IDLE, STEP_RUNNING, STEP_POSTED, STEP_CLEANING };

struct qv_handler {
    struct qv_region region;
    unsigned slot;
    int turn_fd;
    const uint8_t *input;
    size_t input_bytes;
    char input_path[HANDLER_PATH], out_dir[HANDLER_PATH - 32];
    char name[QV_NAME_BYTES + 1]; /* the running task's */

    /* The work thread's own. */
    enum handler_step step;
    bool let_go;               /* of the running task's input */
    bool announced;
    bool batches;              /* several tasks may come at once */
    bool streams;              /* the runner keeps all that a task prints, where its record asks for that */
    uint64_t kept;             /* bytes of each stream of the running task, 0: nothing is asked for */
    uint32_t told;             /* messages about that which are answered */
    uint64_t heard;            /* when the turn's socket was last read without a watch thread */
    struct {
        _Atomic uint32_t count; /* 0: no batch */
        uint32_t at;           /* the task that is under way: those before it have outcomes */
        uint64_t limit;
        bool whole;            /* one call takes all that are left */
    } batch;
    uint64_t cpu_before;
    int out_fd;                /* -1: nothing was written */
    uint64_t written, out_from; /* where the output ends, and where that of the running task begins */
    uint32_t format;
    bool spoiled;              /* the output is not as it should be: the runner has to make it anew */
    struct qv_error error;

    /* Written by whoever reads the turn's socket. */
    _Atomic uint32_t turn;     /* 1: it is ours; a futex */
    _Atomic uint32_t stopping;
    _Atomic uint32_t watched;  /* the watch thread reads the socket */
    _Atomic uint32_t read;     /* answers to `told`; a futex */
    _Atomic uint32_t gone;     /* there is no runner any more */
    _Atomic uint64_t asked;    /* the generation that the runner wants stopped */
    _Atomic uint64_t running;  /* the generation under way, 0: none */
};

/* Reads what the runner has said, waiting for it or not. Returns QV_TURN_CANCEL, QV_TURN_STOP, or 0 for the rest. */
int handler_hear(struct qv_handler *h, bool wait, uint64_t *generation);

/* Waits until the turn may be ours or something was said. */
void handler_wait_turn(struct qv_handler *h, unsigned millis);

/* Gives the turn to the runner with this message. Returns -1 with words. */
int handler_yield(struct qv_handler *h, enum qv_turn_type type, uint64_t generation);

/* The running task begins to print, where all of it is kept: what was printed before is not its own. */
void handler_prints(struct qv_handler *h);

/* All that it printed is in its files. */
void handler_printed(struct qv_handler *h);

/* Its files may go. */
void handler_released(struct qv_handler *h);

/* Reads the table of the batch that was dispatched, if one was. Returns -1 with words. */
int batch_open(struct qv_handler *h);

/* Whether tasks of the batch are left after the one that has just ended. */
static inline bool batch_goes_on(const struct qv_handler *h) { return h->batch.at < h->batch.count; }

/* Notes an outcome about the task under way; the next one is. */
void batch_outcome(struct qv_handler *h, uint32_t reason, const char *text, uint64_t retry_after_ms);

/* Ends the batch before the task under way, which goes back; there has to be an outcome. */
void batch_cut(struct qv_handler *h);

/* Describes task `index` of the batch. Returns -1 with words. */
int batch_describe(struct qv_handler *h, uint32_t index, struct qv_task *to);

/* Fills in what the caller has room for. */
void handler_describe(struct qv_handler *h, const struct qv_task *task, struct qv_task *to);

/* The record at `at`, which ends before `end`: a handler's name and the task's variables. Returns -1 with words. */
int handler_record(struct qv_handler *h, uint64_t at, uint64_t end, struct qv_command *command);

/* The name with its NUL, until the next call. */
const char *handler_name(struct qv_handler *h, const char *name, uint32_t length);

/* The record's part of a task. */
void handler_variables(const struct qv_command *command, struct qv_task *task);

/* Whether the runner or the supervisor wants the running task stopped, or has wanted it. */
bool handler_called_off(struct qv_handler *h);

/* The process's processor time, ns. */
uint64_t handler_cpu(void);

/* Returns 0 for a format that an output may have, else -1 with words. */
int handler_check_format(struct qv_handler *h, uint32_t format);

/* Stores U = (g, stage) for a finished trial and rings. */
void handler_post(struct qv_handler *h, enum qv_stage stage);

static inline struct qv_exec_slot *handler_exec(const struct qv_handler *h) { return &h->region.exec->slot[h->slot]; }

static inline const struct qv_control_slot *handler_control(const struct qv_handler *h) {
    return &h->region.control->slot[h->slot];
}

#endif
