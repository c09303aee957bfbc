package dev.quiver.slots.layout;

/**
 * The file {@code control}: written by the supervisor, read by the agent and its executors. Little-endian.
 *
 * <pre>
 *   header, 4096 bytes
 *   0    magic[8] "QVRCTRL\0"
 *   8    u16 major, u16 minor
 *   12   u32 headerBytes
 *   16   u32 slots
 *   20   u32 stride
 *   24   u32 byte-order mark
 *   32   regionId[16]
 *   48   u64 inCapacity      bytes of a slot's input
 *   56   u64 outCapacity     bytes of a slot's output
 *   64   u64 epoch           monotonic ns of the supervisor's start
 *   72   u64 heartbeat       monotonic ns
 *   128  u32 parked          the supervisor sleeps on the doorbell
 *   192  u32 agentBell       counts the calls for a look at the words (cancels)
 *
 *   slot, 256 bytes, at 4096 + slot × 256
 *   0    workerId[32]
 *   32   taskHash[32]        SHA-256 of the task's id
 *   64   u64 S = generation &lt;&lt; 8 | op        commit point; futex on the low half
 *   72   u32 trial, u32 allowed
 *   80   u64 dispatched      monotonic ns
 *   88   u64 deadline        monotonic ns, 0 = none
 *   96   u32 kind            1 command, 2 handler
 *   100  u32 format          of the payload: 0 bytes, 1 JSON, 2 Arrow IPC stream, 3 arguments: a JSON array
 *   104  u64 inLength        payload bytes at the start of the input; the command record follows at the next multiple of 8
 *   112  u64 outLimit        bytes that the output may have
 *   120  u32 nameLength, u32 flags     bit 0: the payload is a locator (UTF-8) of what has the format; bit 1: a batch, and
 *                            inLength is all of it; high half: of the generation that this record is about
 *   128  name[128]           UTF-8
 * </pre>
 */
public final class ControlDescriptor {
    /** "QVRCTRL\0" as a little-endian number. */
    public static final long MAGIC = 0x004C525443525651L;

    /** Readers of another major version refuse. */
    public static final short MAJOR = 1;

    /** Grows with fields that old readers may ignore. */
    public static final short MINOR = 4;

    /** Reads as another number on a machine of the other byte order. */
    public static final int BYTE_ORDER_MARK = 0x01020304;

    /** Bytes of the header. */
    public static final int HEADER_BYTES = 4096;

    /** Bytes from one slot to the next. */
    public static final int STRIDE = 256;

    /** Header fields. */
    public static final int MAGIC_AT = 0,
            MAJOR_AT = MAGIC_AT + 8,
            MINOR_AT = MAJOR_AT + 2,
            HEADER_BYTES_AT = MINOR_AT + 2,
            SLOTS_AT = HEADER_BYTES_AT + 4,
            STRIDE_AT = SLOTS_AT + 4,
            BYTE_ORDER_AT = STRIDE_AT + 4,
            REGION_ID_AT = BYTE_ORDER_AT + 8,
            IN_CAPACITY_AT = REGION_ID_AT + 16,
            OUT_CAPACITY_AT = IN_CAPACITY_AT + 8,
            EPOCH_AT = OUT_CAPACITY_AT + 8,
            HEARTBEAT_AT = EPOCH_AT + 8,
            PARKED_AT = 128,
            AGENT_BELL_AT = PARKED_AT + 64;

    /** Bytes of a worker id and of a task's hash. */
    public static final int ID_BYTES = 32;

    /** Bytes for the name. */
    public static final int NAME_BYTES = 128;

    /** Slot fields. */
    public static final int WORKER_ID = 0,
            TASK_HASH = WORKER_ID + ID_BYTES,
            WORD = TASK_HASH + ID_BYTES,
            TRIAL = WORD + 8,
            ALLOWED = TRIAL + 4,
            DISPATCHED = ALLOWED + 4,
            DEADLINE = DISPATCHED + 8,
            KIND = DEADLINE + 8,
            FORMAT = KIND + 4,
            IN_LENGTH = FORMAT + 4,
            OUT_LIMIT = IN_LENGTH + 8,
            NAME_LENGTH = OUT_LIMIT + 8,
            FLAGS = NAME_LENGTH + 4,
            NAME = FLAGS + 4;

    /** The kind of a slot's work. A command record follows the payload in both; a handler's has its name as argv[0]. */
    public static final int KIND_COMMAND = 1, KIND_HANDLER = 2;

    /** Flag: the payload says where the data lies. */
    public static final int FLAG_LOCATOR = 1;

    /** Flag: the input has several tasks, see {@link BatchDescriptor}; the slot's fields are the first one's. */
    public static final int FLAG_BATCH = 2;

    /** In the flags' high half, the low one of the generation that the record is about. */
    public static final int GENERATION_SHIFT = 16;

    /** From this minor version on a dispatch may follow a pass that was not acknowledged, and flags have a generation. */
    public static final int SUCCESSION_SINCE_MINOR = 3;

    private ControlDescriptor() {}

    /** Bytes of the file before rounding to pages. */
    public static long bytes(int slots) {
        return HEADER_BYTES + (long) slots * STRIDE;
    }

    /** Where the slot's record begins. */
    public static long slot(int slot) {
        return HEADER_BYTES + (long) slot * STRIDE;
    }
}
