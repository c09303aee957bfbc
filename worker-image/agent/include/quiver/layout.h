/*
 * The shared records of a slot: `control` (the supervisor's), `exec` (the executors'), the command record, the
 * snapshot packet and the socket's frames. The pictures are in operator/slots, layout/(ControlDescriptor and its
 * neighbours).java; golden bytes hold both to the same layout. Little-endian.
 */
#ifndef QUIVER_LAYOUT_H
#define QUIVER_LAYOUT_H

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the records are little-endian");

#define QV_CONTROL_MAGIC UINT64_C(0x004C525443525651) /* "QVRCTRL\0" */
#define QV_EXEC_MAGIC UINT64_C(0x0043455845525651)    /* "QVREXEC\0" */
#define QV_COMMAND_MAGIC UINT32_C(0x444D4351)         /* "QCMD" */
#define QV_BATCH_MAGIC UINT32_C(0x54414251)           /* "QBAT" */
#define QV_FRAME_MAGIC UINT32_C(0x4D524651)           /* "QFRM" */
#define QV_MAJOR 1
#define QV_MINOR 4 /* 1: handlers; 2: batches; 3: succession; 4: all that handlers print */
#define QV_MINOR_BATCHES 2
#define QV_MINOR_SUCCESSION 3
#define QV_MINOR_STREAMS 4
#define QV_BYTE_ORDER_MARK UINT32_C(0x01020304)

enum {
    QV_HEADER_BYTES = 4096,
    QV_STRIDE = 256,
    QV_MAX_SLOTS = 64,
    QV_NAME_BYTES = 128,
    QV_MESSAGE_BYTES = 128,
    QV_MAX_BATCH = 64,        /* tasks of one dispatch */
    QV_TAIL_BYTES = 16 * 1024,
    QV_LOG_BYTES = 4 * 1024,
    QV_MAX_STRINGS = 4096,
    QV_PAGE = 4096,
    QV_HANDLERS = 64,         /* names that a worker may serve */
    QV_HANDLERS_BYTES = 3824, /* of all their names together, joined by newlines */
    QV_TURN_BYTES = 16 * 1024,
    QV_LOCATOR_BYTES = 1024,  /* the longest locator */
};

/* S, the supervisor's word: generation << 8 | op. */
enum qv_op { QV_OP_NONE, QV_OP_RUN, QV_OP_CANCEL, QV_OP_FAIL, QV_OP_ACKNOWLEDGE };

/* U, the executor's word: generation << 8 | stage. */
enum qv_stage { QV_NONE, QV_READY, QV_RUNNING, QV_COMPLETE, QV_RETRY, QV_CLEANING };

enum qv_kind { QV_KIND_COMMAND = 1, QV_KIND_HANDLER = 2 };

/*
 * What a payload or an output is. In an exec slot's `format` these are the low eight bits. QV_ARGUMENTS is of payloads
 * alone: a JSON array in UTF-8, the positional arguments of a call. QV_EFFECTS is of outputs alone, and never with a
 * locator: a JSON object in UTF-8 with a result and the tasks that are created with it, or with what a plan changes.
 */
enum qv_format { QV_BYTES, QV_JSON, QV_ARROW, QV_ARGUMENTS, QV_EFFECTS };

enum {
    QV_FORMAT_MASK = 0xFF,
    QV_OUTPUT_LOCATOR = 0x100, /* exec slot, format: the output is a URL or path of what it stands for */
    QV_INPUT_LOCATOR = 1,      /* control slot and batch entry, flags: the payload is one */
    QV_BATCH = 2,              /* control slot, flags: the input begins with struct qv_batch */
    QV_GENERATION_SHIFT = 16,  /* control slot, flags: the low half of the generation that the record is about, from minor 3 on */
};

/* Why a trial did not pass. */
enum qv_reason {
    QV_REASON_NONE,
    QV_NON_ZERO_EXIT,
    QV_SIGNALLED,
    QV_OOM_KILLED,
    QV_COMMAND_NOT_FOUND,
    QV_PERMISSION_DENIED,
    QV_ARGUMENTS_TOO_LONG,
    QV_BAD_WORKING_DIRECTORY,
    QV_NOT_EXECUTABLE,
    QV_START_FAILED,
    QV_TIMED_OUT,
    QV_OUTPUT_TOO_LARGE,
    QV_OUTPUT_INVALID,
    QV_RUNNER_DIED,
    QV_BAD_RECORD,
    QV_CANCELLED,
    QV_DRAINED,
    QV_EXCEPTION,         /* the function threw; may be tried again */
    QV_DO_NOT_RETRY,      /* ends the task whatever trials are left */
    QV_HANDLER_NOT_FOUND, /* nobody here serves the name */
    QV_HANDLER_DIED,      /* the handler's process ended under the task */
    QV_INPUT_INVALID,     /* the input is not what it says it is, or not what the function takes */
    QV_BLOCKED,           /* the function came upon a resource that is missing; the message is its name */
};

/* The eight states, as numbered in the packet. */
enum qv_state {
    QV_STATE_WAITING = 1,
    QV_STATE_PENDING,
    QV_STATE_RUNNING,
    QV_STATE_CANCELLED,
    QV_STATE_RETRY,
    QV_STATE_FAILED,
    QV_STATE_COMPLETE,
    QV_STATE_CLEANING,
};

struct qv_prologue {
    uint64_t magic;
    uint16_t major, minor;
    uint32_t header_bytes;
    uint32_t slots;
    uint32_t stride;
    uint32_t byte_order;
    uint32_t zero;
    uint8_t region_id[16];
};

struct qv_control_slot {
    char worker[32];
    uint8_t task[32];
    _Atomic uint64_t word;
    uint32_t trial, allowed;
    uint64_t dispatched;
    uint64_t deadline;
    uint32_t kind, format;
    uint64_t in_length;
    uint64_t out_limit;
    uint32_t name_length, flags;
    char name[QV_NAME_BYTES];
};

struct qv_control {
    struct qv_prologue prologue;
    uint64_t in_capacity, out_capacity;
    uint64_t epoch;
    _Atomic uint64_t heartbeat;
    uint8_t zero0[48];
    _Atomic uint32_t parked;
    uint8_t zero1[60];
    _Atomic uint32_t agent_bell;
    uint8_t zero2[QV_HEADER_BYTES - 200];
    uint32_t zero3;
    struct qv_control_slot slot[];
};

struct qv_exec_slot {
    _Atomic uint64_t word;
    _Atomic uint32_t parked;
    _Atomic uint32_t done;     /* of a batch: the tasks that have an outcome, and QV_DONE_WHOLE; of any: QV_DONE_NEXT */
    uint64_t started, ended;
    uint64_t out_length;
    uint32_t format;
    uint32_t reason;
    int32_t exit;
    uint32_t signal;
    uint64_t cpu_ns;
    uint64_t max_rss;
    uint64_t stdout_bytes, stderr_bytes;
    uint64_t progress, total;
    uint64_t wanted_deadline;
    uint64_t retry_after_ms;
    uint32_t pid;
    uint32_t message_length;
    char message[QV_MESSAGE_BYTES];
};

struct qv_exec {
    struct qv_prologue prologue;
    uint64_t agent_epoch;
    uint64_t zero0;
    _Atomic uint64_t heartbeat;
    uint8_t zero1[56];
    _Atomic uint32_t doorbell;
    uint8_t zero2[60];
    _Atomic uint8_t minor[QV_MAX_SLOTS]; /* of the slots that each slot's handler speaks, 0: none is there */
    _Atomic uint32_t handlers_sequence; /* odd while the names are being written */
    uint32_t handlers_length;
    uint64_t zero3;
    char handlers[QV_HANDLERS_BYTES]; /* what the handlers of this worker serve, joined by newlines */
    struct qv_exec_slot slot[];
};

/*
 * A batch: several tasks of one dispatch. The slot's input begins with this and its entries; payloads and records of
 * all tasks lie behind them, each at a multiple of 8. `in_length` of the slot is all of it. The slot's own task, trial,
 * format and name are the first one's.
 */
struct qv_batch_entry {
    uint8_t task[32];
    uint64_t in_offset, in_length; /* the payload */
    uint64_t record_offset;        /* the command record, which ends before the next payload */
    uint32_t trial, allowed;
    uint32_t format, flags;
    uint32_t name_length, zero;
    char name[QV_NAME_BYTES];
};

struct qv_batch {
    uint32_t magic, count;
    uint64_t limit;                /* ns for each task, 0: none */
    struct qv_batch_entry entry[];
};

/*
 * The outcome about one task of a batch: a table of QV_MAX_BATCH for each slot, in `exec` behind the slots. Written
 * before `done` counts it.
 */
struct qv_outcome {
    uint64_t ended;
    uint64_t out_offset, out_length; /* its result in the slot's output */
    uint64_t retry_after_ms;
    uint32_t format, reason;
    uint32_t message_length, zero;
    char message[QV_MESSAGE_BYTES];
};

/*
 * In `done`, above the count. WHOLE: one call of the function takes all tasks that have no outcome yet. NEXT, before U is
 * complete: nobody here looks at the input any more, so S may say the next run without an acknowledge between.
 */
enum { QV_DONE_NEXT = 0x20000, QV_DONE_WHOLE = 0x10000, QV_DONE_MASK = 0xFFFF };

/* The command record, in the input after the payload at the next multiple of 8. */
struct qv_command_header {
    uint32_t magic;
    uint16_t major, minor;
    uint32_t record_bytes;
    uint32_t argc, envc;
    uint32_t has_directory;
    uint32_t grace_ms;
    uint32_t kept_kib; /* KiB of each stream that are kept as a whole, at most; 0: none. Earlier readers ignore it. */
    /* argc + envc + has_directory strings, each ended by NUL */
};

enum qv_frame_type { QV_FRAME_HELLO = 1, QV_FRAME_EXEC, QV_FRAME_LOOK, QV_FRAME_DRAINING, QV_FRAME_HANDLERS };

struct qv_frame {
    uint32_t magic;
    uint16_t major, type;
    uint32_t slots; /* LOOK: the slot */
    uint32_t zero0;
    uint8_t region_id[16];
    uint64_t epoch;
    uint64_t memory_bytes;
    uint32_t pid;
    uint8_t zero1[12];
};

/* What handler and runner say to each other, one message each, at most QV_TURN_BYTES with its text. */
enum qv_turn_type {
    /*
     * handler: text = the names that it serves, joined by newlines; generation = QV_MAJOR, and its minor version << 16 if
     * the agent has put QUIVER_MINOR into its environment: earlier agents refuse that.
     */
    QV_TURN_HELLO = 1,
    QV_TURN_COMMAND,   /* handler: the turn is yours; what there is to do for this generation, the words say */
    QV_TURN_REPLACE,   /* handler: the turn is yours; U.g is cleaning and I cannot promise to be clean */
    /*
     * Of a task whose streams are kept as a whole, to an agent of minor 4. The runner reads the pipes empty, acts and
     * answers READ; it does not answer RELEASED.
     */
    QV_TURN_PRINTS,    /* handler: from now on I print for this generation; text = u64, bytes of each stream at most */
    QV_TURN_PRINTED,   /* handler: that was all of it */
    QV_TURN_RELEASED,  /* handler: nobody needs its files any more */
    QV_TURN_GO = 16,   /* runner: the turn is yours */
    QV_TURN_CANCEL,    /* runner: stop this generation */
    QV_TURN_STOP,      /* runner: finish what runs, then exit */
    QV_TURN_READ,      /* runner: PRINTS or PRINTED is done */
};

struct qv_turn {
    uint32_t type;
    uint32_t text_length;
    uint64_t generation;
    /* text_length bytes of text */
};

/* The packet: the snapshot of a slot. */
struct qv_packet {
    char worker[32];
    uint8_t task[32];
    uint8_t state;
    uint8_t zero[3];
    uint32_t generation;
    uint32_t trial, allowed;
    uint64_t started;
    uint64_t elapsed_ns;
    uint32_t kind, format;
    uint64_t length;
    uint32_t reason;
    int32_t exit;
    uint32_t signal;
    uint32_t name_length;
    char name[QV_NAME_BYTES];
};

static_assert(offsetof(struct qv_prologue, region_id) == 32, "prologue");
static_assert(offsetof(struct qv_control, in_capacity) == 48, "control");
static_assert(offsetof(struct qv_control, heartbeat) == 72, "control");
static_assert(offsetof(struct qv_control, parked) == 128, "control");
static_assert(offsetof(struct qv_control, agent_bell) == 192, "control");
static_assert(offsetof(struct qv_control, slot) == QV_HEADER_BYTES, "control");
static_assert(offsetof(struct qv_control_slot, word) == 64, "control slot");
static_assert(offsetof(struct qv_control_slot, name) == 128, "control slot");
static_assert(sizeof(struct qv_control_slot) == QV_STRIDE, "control slot");
static_assert(offsetof(struct qv_exec, heartbeat) == 64, "exec");
static_assert(offsetof(struct qv_exec, doorbell) == 128, "exec");
static_assert(offsetof(struct qv_exec, minor) == 192, "exec");
static_assert(offsetof(struct qv_exec, handlers_sequence) == 256, "exec");
static_assert(offsetof(struct qv_exec, handlers) == 272, "exec");
static_assert(offsetof(struct qv_exec, slot) == QV_HEADER_BYTES, "exec");
static_assert(offsetof(struct qv_exec_slot, started) == 16, "exec slot");
static_assert(offsetof(struct qv_exec_slot, cpu_ns) == 56, "exec slot");
static_assert(offsetof(struct qv_exec_slot, message) == 128, "exec slot");
static_assert(sizeof(struct qv_exec_slot) == QV_STRIDE, "exec slot");
static_assert(sizeof(struct qv_batch) == 16, "batch");
static_assert(offsetof(struct qv_batch_entry, name) == 80, "batch entry");
static_assert(sizeof(struct qv_batch_entry) == 208, "batch entry");
static_assert(sizeof(struct qv_outcome) == 176, "outcome");
static_assert(sizeof(struct qv_command_header) == 32, "command");
static_assert(sizeof(struct qv_frame) == 64, "frame");
static_assert(sizeof(struct qv_turn) == 16, "turn");
static_assert(offsetof(struct qv_packet, name) == 128, "packet");
static_assert(sizeof(struct qv_packet) == 256, "packet");

/* Bytes of `exec` before rounding to pages. */
static inline uint64_t qv_exec_size(uint32_t slots) {
    return QV_HEADER_BYTES + (uint64_t)slots * (QV_STRIDE + QV_MAX_BATCH * sizeof(struct qv_outcome));
}

static inline uint64_t qv_word(uint64_t generation, unsigned code) { return generation << 8 | code; }
static inline uint64_t qv_generation(uint64_t word) { return word >> 8; }
static inline unsigned qv_code(uint64_t word) { return (unsigned)(word & 0xFF); }

#endif
