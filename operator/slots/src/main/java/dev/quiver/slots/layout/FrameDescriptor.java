package dev.quiver.slots.layout;

/**
 * A frame on the socket, 64 bytes in both directions. Little-endian.
 *
 * <pre>
 *   0    u32 magic "QFRM"
 *   4    u16 major, u16 type
 *   8    u32 slots           or for LOOK the slot
 *   12   u32 zero
 *   16   regionId[16]
 *   32   u64 epoch           of the sender
 *   40   u64 bytes           EXEC: size of the memory that comes with it as a descriptor
 *   48   u32 pid             EXEC
 *   52   zero to 64
 * </pre>
 */
public final class FrameDescriptor {
    /** "QFRM" as a little-endian number. */
    public static final int MAGIC = 0x4D524651;

    /** Bytes of a frame. */
    public static final int BYTES = 64;

    /** Supervisor to agent, first thing: this is the region. */
    public static final short HELLO = 1;

    /** Agent to supervisor, with the descriptor of {@code exec}. */
    public static final short EXEC = 2;

    /** Supervisor to agent: look at this slot's S now. */
    public static final short LOOK = 3;

    /** Agent to supervisor: the container is ending, nothing new is started. */
    public static final short DRAINING = 4;

    /** Agent to supervisor: the names in the header of {@code exec} have changed. */
    public static final short HANDLERS = 5;

    /** Fields. */
    public static final int MAGIC_AT = 0,
            MAJOR_AT = MAGIC_AT + 4,
            TYPE_AT = MAJOR_AT + 2,
            SLOTS_AT = TYPE_AT + 2,
            REGION_ID_AT = SLOTS_AT + 8,
            EPOCH_AT = REGION_ID_AT + 16,
            MEMORY_BYTES_AT = EPOCH_AT + 8,
            PID_AT = MEMORY_BYTES_AT + 8;

    private FrameDescriptor() {}
}
