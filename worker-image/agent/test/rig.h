/* A worker of one slot for unit tests, which play supervisor and runner. */
#ifndef QUIVER_TEST_RIG_H
#define QUIVER_TEST_RIG_H

#include "keeper_state.h"
#include "quiver/handler.h"
#include "quiver/slots.h"
#include "turn.h"

/* A worker of one slot: the supervisor's and the runner's ends of what a handler sees. */
struct rig {
    char root[64];
    struct qv_control *control;
    struct qv_region region; /* the agent's */
    uint8_t *input;
    int turn_fd, handler_fd;
    struct qv_handler *handler;
};

enum { RIG_IN_BYTES = 4096, RIG_CONTROL_BYTES = QV_HEADER_BYTES + QV_STRIDE };

void rig_open(struct rig *rig);
void rig_close(struct rig *rig);

/* Stores S. */
void supervisor(struct rig *rig, uint64_t generation, enum qv_op op);

/* U. */
uint64_t executor(const struct rig *rig);

/* A task with the golden record. */
void dispatch_golden(struct rig *rig, uint64_t generation);

/* The type of the handler's next message, 0: none. */
unsigned heard(struct rig *rig);

/* The runner of the slot, for a keeper. */
struct runner runner_of(struct rig *rig, struct shared *shared);
void keeper_free(struct keeper *k);

#endif
