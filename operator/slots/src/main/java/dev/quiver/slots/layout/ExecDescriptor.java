package dev.quiver.slots.layout;

/**
 * The sealed memory {@code exec}: written by the agent and its executors, mapped read-only by the supervisor.
 * Little-endian.
 *
 * <pre>
 *   header, 4096 bytes
 *   0    magic[8] "QVREXEC\0"
 *   8    as control up to the byte-order mark
 *   32   regionId[16]        of the control file that it belongs to
 *   48   u64 agentEpoch      differs for each start of an agent
 *   64   u64 heartbeat       monotonic ns
 *   128  u32 doorbell        fetch-add by all executors, after their word
 *   192  u8 minor[64]        minor version of the slots that each slot's handler speaks, 0 without one
 *   256  u32 handlersSequence    odd while the names are written
 *   260  u32 handlersLength      bytes of names, at most 3824
 *   264  u64 zero
 *   272  names[3824]         of the handlers that are served, UTF-8, joined by line feeds
 *
 *   slot, 256 bytes, at 4096 + slot × 256
 *   0    u64 U = generation &lt;&lt; 8 | st         commit point
 *   8    u32 parked          the executor sleeps on its S
 *   12   u32 done            of a batch: low 16 bits the tasks with an outcome; bit 16: one call takes all the others
 *                            bit 17: when U is complete, the next task may follow without an acknowledge
 *   16   u64 started, u64 ended    monotonic ns; started 0 = never
 *   32   u64 outLength
 *   40   u32 format          of the output: low 8 bits as the payload's, up to 2, or 4 effects: a JSON object
 *                          bit 8: the output is a locator, never of effects
 *   44   u32 reason
 *   48   i32 exit            -1 = did not end by itself
 *   52   u32 signal
 *   56   u64 cpuNs
 *   64   u64 maxRss          bytes
 *   72   u64 stdout, u64 stderr    bytes written by the task
 *   88   u64 progress, u64 total   in the task's own units; total 0 = unknown
 *   104  u64 wanted deadline monotonic ns; live, 0 = none wanted
 *   112  u64 retryAfterMs    with reason Exception: not again before so long after the end
 *   120  u32 pid
 *   124  u32 messageLength
 *   128  message[128]        UTF-8
 *
 *   outcome, 176 bytes, 64 for each slot, behind the slots
 *   0    u64 ended           monotonic ns
 *   8    u64 outOffset, u64 outLength    its result in the slot's output
 *   24   u64 retryAfterMs
 *   32   u32 format, u32 reason    as in a slot; reason 0: passed
 *   40   u32 messageLength
 *   48   message[128]        UTF-8
 * </pre>
 */
public final class ExecDescriptor {
    /** "QVREXEC\0" as a little-endian number. */
    public static final long MAGIC = 0x0043455845525651L;

    /** Bytes of the header. */
    public static final int HEADER_BYTES = ControlDescriptor.HEADER_BYTES;

    /** Bytes from one slot to the next. */
    public static final int STRIDE = ControlDescriptor.STRIDE;

    /** Header fields; those before the region id are where {@link ControlDescriptor} has them. */
    public static final int REGION_ID_AT = ControlDescriptor.REGION_ID_AT,
            AGENT_EPOCH_AT = REGION_ID_AT + 16,
            HEARTBEAT_AT = AGENT_EPOCH_AT + 16,
            DOORBELL_AT = 128,
            MINOR_AT = 192,
            HANDLERS_SEQUENCE_AT = 256,
            HANDLERS_LENGTH_AT = HANDLERS_SEQUENCE_AT + 4,
            HANDLERS_AT = HANDLERS_LENGTH_AT + 12;

    /** Bytes for the handlers' names. */
    public static final int HANDLERS_BYTES = HEADER_BYTES - HANDLERS_AT;

    /** The most names, and the most bytes of one. */
    public static final int MAX_HANDLERS = 64, MAX_HANDLER_BYTES = 128;

    /** In the output's format, above the number of what it is: whether the output says where that lies. */
    public static final int FORMAT_LOCATOR = 0x100;

    /** Bytes for the message. */
    public static final int MESSAGE_BYTES = 128;

    /** Slot fields. */
    public static final int WORD = 0,
            PARKED = WORD + 8,
            DONE = PARKED + 4,
            STARTED = DONE + 4,
            ENDED = STARTED + 8,
            OUT_LENGTH = ENDED + 8,
            FORMAT = OUT_LENGTH + 8,
            REASON = FORMAT + 4,
            EXIT = REASON + 4,
            SIGNAL = EXIT + 4,
            CPU_NS = SIGNAL + 4,
            MAX_RSS = CPU_NS + 8,
            STDOUT = MAX_RSS + 8,
            STDERR = STDOUT + 8,
            PROGRESS = STDERR + 8,
            TOTAL = PROGRESS + 8,
            WANTED_DEADLINE = TOTAL + 8,
            RETRY_AFTER_MS = WANTED_DEADLINE + 8,
            PID = RETRY_AFTER_MS + 8,
            MESSAGE_LENGTH = PID + 4,
            MESSAGE = MESSAGE_LENGTH + 4;

    /** In {@code done}: the tasks that have an outcome, and whether one call takes all the others. */
    public static final int DONE_MASK = 0xFFFF, DONE_WHOLE = 0x10000;

    /** In {@code done}: nobody looks at the input any more, so the next task may follow a pass at once. */
    public static final int DONE_NEXT = 0x20000;

    /** Bytes from one outcome to the next. */
    public static final int OUTCOME_STRIDE = 176;

    /** Fields of an outcome. */
    public static final int OUTCOME_ENDED = 0,
            OUTCOME_OUT_OFFSET = OUTCOME_ENDED + 8,
            OUTCOME_OUT_LENGTH = OUTCOME_OUT_OFFSET + 8,
            OUTCOME_RETRY_AFTER_MS = OUTCOME_OUT_LENGTH + 8,
            OUTCOME_FORMAT = OUTCOME_RETRY_AFTER_MS + 8,
            OUTCOME_REASON = OUTCOME_FORMAT + 4,
            OUTCOME_MESSAGE_LENGTH = OUTCOME_REASON + 4,
            OUTCOME_MESSAGE = OUTCOME_MESSAGE_LENGTH + 8;

    private ExecDescriptor() {}

    /** Bytes of the memory before rounding to pages. */
    public static long bytes(int slots) {
        return outcomes(slots, slots);
    }

    /** Where the table of the slot's outcomes begins, in a memory of so many slots. */
    public static long outcomes(int slot, int slots) {
        return slot(slots) + (long) slot * BatchDescriptor.MAX_TASKS * OUTCOME_STRIDE;
    }

    /** Where the slot's record begins. */
    public static long slot(int slot) {
        return HEADER_BYTES + (long) slot * STRIDE;
    }
}
