package dev.quiver.slots.layout;

/**
 * The packet of 256 bytes: the snapshot of a slot, put together from its two records. Little-endian.
 *
 * <pre>
 *   0    worker[32]
 *   32   task[32]            SHA-256 of the task's id
 *   64   status[8]           u8 state (1 waiting … 8 cleaning), 3 zero bytes, u32 generation (its low half)
 *   72   retry[8]            u32 trial, u32 allowed
 *   80   time[16]            u64 started (monotonic ns, 0 = not yet), u64 run time so far or in all, ns
 *   96   payload[160]
 *        96   u32 kind, u32 format
 *        104  u64 length     of the input's payload
 *        112  u32 reason, i32 exit, u32 signal
 *        124  u32 nameLength
 *        128  name or locator[128]
 * </pre>
 */
public final class PacketDescriptor {
    /** Bytes of a packet. */
    public static final int BYTES = 256;

    /** Fields. */
    public static final int WORKER = 0,
            TASK = WORKER + 32,
            STATUS = TASK + 32,
            GENERATION = STATUS + 4,
            RETRY = STATUS + 8,
            ALLOWED = RETRY + 4,
            TIME = RETRY + 8,
            ELAPSED = TIME + 8,
            PAYLOAD = TIME + 16,
            FORMAT = PAYLOAD + 4,
            LENGTH = FORMAT + 4,
            REASON = LENGTH + 8,
            EXIT = REASON + 4,
            SIGNAL = EXIT + 4,
            NAME_LENGTH = SIGNAL + 4,
            NAME = NAME_LENGTH + 4;

    /** Bytes for the name. */
    public static final int NAME_BYTES = BYTES - NAME;

    private PacketDescriptor() {}
}
