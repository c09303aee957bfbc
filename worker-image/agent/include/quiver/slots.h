/*
 * What every executor needs: the regions, the two words, waiting and waking, the codecs. No function allocates, none
 * prints; errors come back as words in a qv_error.
 */
#ifndef QUIVER_SLOTS_H
#define QUIVER_SLOTS_H

#include <stdbool.h>

#include "quiver/layout.h"

struct qv_error {
    char text[256];
};

/* Writes words into the error and returns -1, so that callers can `return qv_fail(...)`. */
int qv_fail(struct qv_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t qv_now(void);

struct qv_region {
    const struct qv_control *control; /* read-only */
    struct qv_exec *exec;             /* NULL until qv_exec_create */
    size_t control_bytes, exec_bytes;
    int exec_fd; /* -1 until qv_exec_create */
};

/* Maps `control` read-only and checks magic, version, sizes and bounds. The descriptor may be closed afterwards. */
int qv_control_map(int fd, struct qv_region *region, struct qv_error *error);

/* Checks a header of a file of `bytes` bytes. */
int qv_control_check(const struct qv_control *control, size_t bytes, struct qv_error *error);

/* Makes the sealed memory for a mapped control, every U = (S.g, ready). */
int qv_exec_create(struct qv_region *region, uint64_t agent_epoch, struct qv_error *error);

/* Maps the `exec` that an agent made for a mapped control. The descriptor belongs to the region from then on. */
int qv_exec_map(int fd, struct qv_region *region, struct qv_error *error);

/* Clears a slot's record for a new generation, `done` too, all but the word and `parked`. Call before U names it. */
struct qv_exec_slot *qv_exec_clear(struct qv_region *region, unsigned slot);

/* Before U is complete: the next task may follow without an acknowledge, if the supervisor knows of that. */
void qv_exec_next(const struct qv_region *region, unsigned slot);

/* Writes a reason and its words, cut at a character to QV_MESSAGE_BYTES. */
void qv_exec_message(struct qv_exec_slot *exec, enum qv_reason reason, const char *text, size_t length);

/* Unmaps both and closes the descriptor. */
void qv_region_close(struct qv_region *region);

/* S of a slot, sequentially consistent. */
uint64_t qv_supervisor_word(const struct qv_region *region, unsigned slot);

/* U of a slot. */
uint64_t qv_executor_word(const struct qv_region *region, unsigned slot);

/* Stores U; what was written to the slot's record before is visible to whoever sees it. Does not ring. */
void qv_store(struct qv_region *region, unsigned slot, uint64_t word);

/* Rings the doorbell; wakes the supervisor if it sleeps. */
void qv_ring(struct qv_region *region);

/* Waits until S differs from `seen`, at most `millis`; returns S. May return early with S unchanged. */
uint64_t qv_wait(struct qv_region *region, unsigned slot, uint64_t seen, unsigned millis);

/* Ends a qv_wait of this slot early. */
void qv_wake(struct qv_region *region, unsigned slot);

/* What an executor with this U should do about this S. */
enum qv_duty {
    QV_WAIT,    /* nothing yet */
    QV_START,   /* run generation S.g */
    QV_DISCARD, /* S.g was called off before it was started */
    QV_CLEAN,   /* U.g is acknowledged or called off: clean, then ready */
    QV_RESUME,  /* an executor died while it ran or cleaned U.g */
};
enum qv_duty qv_duty_of(uint64_t supervisor_word, uint64_t executor_word);

/* A command, pointing into the record it was read from. */
struct qv_command {
    uint32_t argc, envc;
    uint32_t grace_ms;
    uint64_t kept_bytes;   /* of each stream as a whole, at most; 0: none */
    const char *strings;   /* argc arguments, then envc variables, each ended by NUL */
    const char *directory; /* NULL: stay */
};

/* Checks and reads the record of at most `bytes` bytes; strings are not copied. */
int qv_command_parse(const void *record, size_t bytes, struct qv_command *command, struct qv_error *error);

/* Where the record lies behind a payload of this length. */
static inline uint64_t qv_command_offset(uint64_t in_length) { return (in_length + 7) & ~UINT64_C(7); }

/* Checks the table of a batch in an input of `bytes` bytes (the slot's in_length). Returns how many tasks, or -1. */
int qv_batch_check(const void *input, uint64_t bytes, struct qv_error *error);

/*
 * Copies the entry of the task that is under way, or of the last one when all have an outcome. Returns its number from 1, and
 * how many there are; 0 when the slot has no batch, or none that can be read.
 */
uint32_t qv_batch_at(const struct qv_control_slot *control, const struct qv_exec_slot *exec, const void *input,
                     uint64_t bytes, struct qv_batch_entry *entry, uint32_t *count);

/* The slot's table of QV_MAX_BATCH outcomes. */
struct qv_outcome *qv_outcomes(const struct qv_region *region, unsigned slot);

/*
 * Until when the task under way may run: each has the limit from when the one before it ended; a call that takes all that
 * are left has it for each task of the dispatch, from its start; 0: no limit.
 */
uint64_t qv_batch_deadline(const struct qv_region *region, unsigned slot, uint32_t count, uint64_t limit);

/* The state that the two words make together; 0 if they are none of the protocol's. */
unsigned qv_state_of(uint64_t supervisor_word, uint64_t executor_word);

/* The snapshot of a slot from its two records. Returns -1 when they make no state. */
__attribute__((visibility("default"))) int qv_packet_of(const struct qv_control_slot *control,
                                                        const struct qv_exec_slot *exec, uint64_t now,
                                                        struct qv_packet *packet);

/* The packet shows this task of a batch. */
void qv_packet_task(struct qv_packet *packet, const struct qv_batch_entry *entry);

/* Checks names joined by '\n' against the bounds of qv_handler_announce. Returns how many there are, or -1. */
int qv_names_check(const char *names, size_t length, struct qv_error *error);

/* Whether a received turn message of `bytes` bytes is whole and of a known type. */
int qv_turn_check(const void *message, size_t bytes, struct qv_error *error);

/* Longest prefix of at most `max` bytes that does not end inside a UTF-8 character. */
size_t qv_utf8_cut(const char *text, size_t length, size_t max);

#endif
