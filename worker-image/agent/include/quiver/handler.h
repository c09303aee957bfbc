/*
 * libquiver: what a handler needs. A handler is a process of the user's image that stays alive, one for each slot, and
 * runs functions by name. QUIVER_LIB in its environment names the shared library, which has no dependency of its own
 * and runs in a process of any libc; the C sources can be linked in as well.
 *
 *     struct qv_handler *h = qv_handler_open(words, sizeof words);
 *     qv_handler_announce(h, "resize\nrotate");
 *     struct qv_task task = {.bytes = sizeof task};
 *     while (qv_handler_take(h, &task, -1) == QV_TAKEN) {
 *         ... qv_task_write(h, result, length); qv_task_complete(h) or qv_task_fail(h, ...) ...
 *         qv_task_release(h);
 *     }
 *     qv_handler_close(h);
 *
 * Two threads at most: the *work thread* calls everything, the *watch thread* only qv_handler_event or
 * qv_handler_watch. A handler with one thread leaves the watch thread out: it then sees STOP within 200 ms, and a
 * cancel when it asks. qv_task_cancelled, qv_task_progress and qv_task_extend may be called by any thread while a task
 * runs. One handle in a process; not for use in its forked children.
 *
 * Functions that return int return -1 on an error, whose words qv_handler_words gives, unless they say otherwise. Times
 * are CLOCK_MONOTONIC in nanoseconds. Texts are UTF-8. Later minor versions add functions, and fields at the end of
 * struct qv_task; nothing else changes under the same major version.
 */
#ifndef QUIVER_HANDLER_H
#define QUIVER_HANDLER_H

#include <stdint.h>

#include "quiver/layout.h"

#define QV_API __attribute__((visibility("default")))

struct qv_handler;

/* Major << 16 | minor of the slots that this library speaks. */
QV_API uint32_t qv_version(void);

/*
 * Opens the slot that the environment names: QUIVER_SLOT, QUIVER_IN, QUIVER_OUT, QUIVER_EXEC_FD, QUIVER_TURN_FD. The two
 * descriptors become close-on-exec and belong to the handle. NULL with words (cut to `room` bytes with their NUL) when
 * this is no handler of a worker, or the worker's slots have another major version.
 */
QV_API struct qv_handler *qv_handler_open(char *words, uint32_t room);

/* Gives everything back. The watch thread must have ended. NULL is allowed. */
QV_API void qv_handler_close(struct qv_handler *handler);

/* Why the work thread's last call returned -1; never NULL, valid until its next call. */
QV_API const char *qv_handler_words(const struct qv_handler *handler);

/* The slot's number, from 0. */
QV_API uint32_t qv_handler_slot(const struct qv_handler *handler);

/*
 * Says which functions are served: 1 to QV_HANDLERS names of 1 to QV_NAME_BYTES bytes, joined by '\n', at most
 * QV_HANDLERS_BYTES in all, no control characters. Once, when everything is imported: from then on tasks come.
 */
QV_API int qv_handler_announce(struct qv_handler *handler, const char *names);

/*
 * Before qv_handler_announce: this handler reads a task's input by qv_task.input alone, and may therefore get several
 * tasks of one dispatch. qv_handler_take gives them one after the other; nothing else changes for a handler. Without
 * this call, or under an agent that knows no batches, every task comes by itself.
 */
QV_API int qv_handler_batches(struct qv_handler *handler);

/* What qv_handler_take returns. */
enum { QV_NOTHING = 0, QV_TAKEN = 1, QV_STOP = 2 };

/* A task. Pointers are valid until qv_task_ready, qv_task_release or qv_task_replace. */
struct qv_task {
    uint32_t bytes;             /* set by the caller: sizeof(struct qv_task); no more than this is written */
    uint32_t trial;           /* this try, from 1 */
    uint32_t allowed;           /* tries allowed, 0: not known */
    uint32_t format;            /* of the input: QV_BYTES, QV_JSON, QV_ARROW, QV_ARGUMENTS; refuse others */
    uint32_t locator;           /* 1: the input is a URL or path of what it stands for */
    uint32_t environment_count;
    uint64_t generation;
    uint64_t deadline;          /* 0: none; see qv_task_deadline, it can be extended */
    const uint8_t *input;       /* 8-aligned, read-only; stays until the slot is ready */
    uint64_t input_length;      /* bytes */
    uint64_t output_limit;      /* bytes that may be written */
    const char *handler;        /* the function's name */
    const char *name;           /* the task's, for people: cut to QV_NAME_BYTES */
    const char *environment;    /* environment_count strings NAME=value, each ended by NUL, one after the other */
    uint64_t environment_bytes; /* of all of them with their NULs */
    const uint8_t *id;          /* 32 bytes: SHA-256 of the task's identity */
    uint64_t input_offset;      /* of the input in the file of qv_handler_input_path */
    uint64_t kept_bytes;        /* > 0: all that the process prints for this task is kept; flush before it ends */
};

/*
 * Waits for a task, at most `millis` (negative: as long as it takes). QV_TAKEN: it runs now, the caller owes it
 * qv_task_complete or qv_task_fail. QV_NOTHING: the time is over. QV_STOP: the worker is ending, or the agent has gone:
 * close and exit. Commands of a mixed pool, and tasks called off or not readable, are seen to inside.
 */
QV_API int qv_handler_take(struct qv_handler *handler, struct qv_task *task, int32_t millis);

/*
 * The watch thread: waits without cost for what the runner says, and returns QV_TURN_CANCEL with the generation
 * to stop, or QV_TURN_STOP (also when the agent has gone). From its first call on the work thread relies on it: call
 * again after CANCEL; after STOP there is nothing more to come. `generation` may be NULL.
 */
QV_API int qv_handler_event(struct qv_handler *handler, uint64_t *generation);

/* The watch thread as one call: qv_handler_event again and again, each told to `on_event`; returns after STOP. */
typedef void qv_event_fn(void *context, int event, uint64_t generation);
QV_API void qv_handler_watch(struct qv_handler *handler, qv_event_fn *on_event, void *context);

/*
 * 0, or why the running task should stop: QV_CANCELLED, QV_TIMED_OUT, QV_DRAINED. It then has 50 ms to call
 * qv_task_fail with this reason, before the process is killed and replaced. Cheap enough for a loop.
 */
QV_API uint32_t qv_task_cancelled(struct qv_handler *handler);

/* How far the running task is, in units of its own, below 2^63; total 0: not known. For people to see. */
QV_API void qv_task_progress(struct qv_handler *handler, uint64_t done, uint64_t total);

/* Asks for time until `deadline`. The supervisor grants at most the task's own limit from when it looks (200 ms). */
QV_API void qv_task_extend(struct qv_handler *handler, uint64_t deadline);

/* The deadline as it is now; 0: none. */
QV_API uint64_t qv_task_deadline(const struct qv_handler *handler);

/* Appends to the output. -1 with both sizes in words when it would exceed output_limit: nothing is written then. */
QV_API int qv_task_write(struct qv_handler *handler, const void *bytes, uint64_t length);

/* Forgets what was written. */
QV_API int qv_task_rewrite(struct qv_handler *handler);

/*
 * What the output is: QV_BYTES (as long as nothing is said), QV_JSON, QV_ARROW, QV_EFFECTS; locator as in struct qv_task,
 * but not of QV_EFFECTS. There is no output of QV_ARGUMENTS.
 */
QV_API void qv_task_format(struct qv_handler *handler, uint32_t format, uint32_t locator);

/*
 * The task has passed; its output is what was written. Next is qv_task_release, or qv_task_settle. -1 when the output
 * is not of the format that qv_task_format named (a locator has 1 to QV_LOCATOR_BYTES bytes): the task still runs then.
 */
QV_API int qv_task_complete(struct qv_handler *handler);

/*
 * While the task runs: the caller looks at its input no more, nor at anything else of struct qv_task, and will call
 * qv_task_release. So the next task may lie in the slot as soon as this one has passed, and no time is lost between the
 * two. With qv_batch_whole it is said of all the tasks.
 */
QV_API void qv_task_let_go(struct qv_handler *handler);

/*
 * The trial did not pass. `reason`: QV_EXCEPTION, QV_DO_NOT_RETRY, QV_HANDLER_NOT_FOUND, QV_INPUT_INVALID,
 * QV_BLOCKED, QV_OUTPUT_TOO_LARGE, QV_OUTPUT_INVALID, or what qv_task_cancelled said. `text` ("Type: words"), cut to
 * QV_MESSAGE_BYTES; `traceback` may be NULL, its last QV_TAIL_BYTES are kept; `retry_after_ms` > 0 with QV_EXCEPTION:
 * not again before that, ten years at most. QV_BLOCKED: the resource that `text` names is missing for `retry_after_ms`, and
 * the task uses no trial. Next is qv_task_release, or qv_task_settle.
 */
QV_API int qv_task_fail(struct qv_handler *handler, uint32_t reason, const char *text, const char *traceback,
                        uint64_t retry_after_ms);

/* The tasks of this dispatch that have no outcome yet, the running one with them; 0 once its result is posted. */
QV_API uint32_t qv_batch_left(const struct qv_handler *handler);

/*
 * One call of the function takes all the tasks that are left: from now on they share one time limit, the sum of theirs,
 * and each qv_task_complete or qv_task_fail is the outcome about the next of them, until none is left. What was called off,
 * is out of time, or has no room behind the results before it, ends the dispatch as qv_batch_fail does. -1 with words
 * when one of them cannot be read or is for another function: then take them one after the other.
 */
QV_API int qv_batch_whole(struct qv_handler *handler);

/* Describes the task that comes `index` after the next one without an outcome. Valid until the next call of this. */
QV_API int qv_batch_task(struct qv_handler *handler, uint32_t index, struct qv_task *task);

/*
 * The next `count` tasks passed: one, or after qv_batch_whole up to all that are left. Their outputs, all of this format,
 * lie one after the other in `bytes`, lengths[i] each. -1 with words, and no outcome given, when they exceed the slot's
 * output.
 */
QV_API int qv_batch_pass(struct qv_handler *handler, uint32_t count, const uint64_t *lengths, const void *bytes,
                         uint32_t format);

/*
 * After qv_batch_whole: the call failed as a whole, as qv_task_fail has it. Nobody knows which task it was, so those
 * without an outcome are run again, each by itself. With one task left it is qv_task_fail. When they were called off, or
 * earlier results left no room, they just go back.
 */
QV_API int qv_batch_fail(struct qv_handler *handler, uint32_t reason, const char *text, const char *traceback,
                         uint64_t retry_after_ms);

/*
 * Waits until the result is settled. From then on the slot is cleaning: let go of the input, then call qv_task_ready,
 * or qv_task_replace when something still holds it.
 */
QV_API int qv_task_settle(struct qv_handler *handler);

/* The slot is clean and waits for its next task. */
QV_API int qv_task_ready(struct qv_handler *handler);

/* This process cannot promise to be clean: it is killed and replaced before the slot is ready. Exit after it. */
QV_API int qv_task_replace(struct qv_handler *handler);

/* qv_task_settle, then qv_task_ready. */
QV_API int qv_task_release(struct qv_handler *handler);

/* The path of the slot's input file, for who maps it himself; the input begins at qv_task.input_offset. */
QV_API const char *qv_handler_input_path(const struct qv_handler *handler);

/* A slot as a packet of 256 bytes (struct qv_packet in layout.h), little-endian. -1: the slot is in no state. */
QV_API int qv_handler_packet(const struct qv_handler *handler, uint32_t slot, uint8_t *to);

/* Writes the packet's 256 bytes. */
QV_API void qv_packet_encode(const struct qv_packet *packet, uint8_t *to);

/* Reads a packet of exactly 256 bytes. -1 when a field is out of its bounds; then `packet` is untouched. */
QV_API int qv_packet_decode(const uint8_t *bytes, uint64_t length, struct qv_packet *packet);

#endif
