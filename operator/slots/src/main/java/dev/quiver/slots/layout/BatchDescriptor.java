package dev.quiver.slots.layout;

/**
 * Several tasks of one dispatch, at the start of a slot's input. Payloads and command records lie behind the entries,
 * each at a multiple of 8. Little-endian.
 *
 * <pre>
 *   0    u32 magic "QBAT", u32 count     1 to 64
 *   8    u64 limit           ns that each task may run, 0 = any time
 *
 *   entry, 208 bytes, at 16 + i × 208
 *   0    taskHash[32]
 *   32   u64 inOffset, u64 inLength      the payload
 *   48   u64 recordOffset    the command record
 *   56   u32 trial, u32 allowed
 *   64   u32 format, u32 flags           as in a slot of control
 *   72   u32 nameLength
 *   80   name[128]           UTF-8
 * </pre>
 */
public final class BatchDescriptor {
    /** "QBAT" as a little-endian number. */
    public static final int MAGIC = 0x54414251;

    /** The most tasks of one dispatch. */
    public static final int MAX_TASKS = 64;

    /** The minor version from which on a handler takes batches. */
    public static final int SINCE_MINOR = 2;

    /** Fields before the entries. */
    public static final int MAGIC_AT = 0, COUNT_AT = MAGIC_AT + 4, LIMIT_AT = COUNT_AT + 4, ENTRIES_AT = LIMIT_AT + 8;

    /** Bytes from one entry to the next. */
    public static final int STRIDE = 208;

    /** Fields of an entry. */
    public static final int TASK_HASH = 0,
            IN_OFFSET = TASK_HASH + ControlDescriptor.ID_BYTES,
            IN_LENGTH = IN_OFFSET + 8,
            RECORD_OFFSET = IN_LENGTH + 8,
            TRIAL = RECORD_OFFSET + 8,
            ALLOWED = TRIAL + 4,
            FORMAT = ALLOWED + 4,
            FLAGS = FORMAT + 4,
            NAME_LENGTH = FLAGS + 4,
            NAME = NAME_LENGTH + 8;

    private BatchDescriptor() {}

    /** Where the payloads of so many tasks may begin. */
    public static int bytes(int tasks) {
        return ENTRIES_AT + tasks * STRIDE;
    }

    /** Where the task's entry begins. */
    public static int entry(int task) {
        return bytes(task);
    }
}
