/* What the parts of the keeper share. */
#ifndef QUIVER_KEEPER_STATE_H
#define QUIVER_KEEPER_STATE_H

#include "keeper.h"
#include "stream.h"
#include "turn.h"

enum { KEEPER_CLEAN_MS = 2000 };

struct keeper {
    struct runner *runner;
    char *const *command;
    const char **environment;
    int null_fd;
    int turn_fd;              /* -1: no process */
    struct spared process;
    bool greeted;             /* it has said which names it serves */
    bool served;              /* it has run a task */
    bool stopped;             /* it was told to finish and exit */
    uint64_t started_at;
    unsigned failures;        /* deaths in a row of processes that were of no use */
    uint64_t not_before;      /* when the next may be started */
    uint64_t dying;           /* the generation that was pending when processes died, and how often */
    unsigned deaths;
    struct qv_error words;    /* about the last death */
    bool explained;           /* they say already why it is being ended */
    int status;               /* how it ended, as wait says it */
    struct stream streams[2];
    struct slot_log log;
    char line_name[QV_NAME_BYTES]; /* what is in front of its lines */
    size_t line_name_length;
    struct turn_message message;
};

/* Gives the process the turn; returns when the runner has it again. */
void keeper_attend(struct keeper *k);

/* Kills the process and all of its own, reaps them, takes in what they printed. */
void keeper_end(struct keeper *k);

/* Reads once from what it prints. */
void keeper_read_streams(struct keeper *k);

/* From now on its lines carry the running task's name, or else the slot's. */
void keeper_name_lines(struct keeper *k);

/* The ends of what it printed become those of the slot's task. */
void keeper_keep_tails(struct keeper *k);

/* Acts on its message if that is about streams that are kept as a whole; false for any other. */
bool keeper_heard_of_streams(struct keeper *k);

#endif
