package dev.quiver.slots.layout;

/**
 * The command record: how a command reaches the agent, in the slot's input after the payload, at the next multiple of
 * 8. For a handler the one argument is the handler's name, and the variables are the task's. Little-endian.
 *
 * <pre>
 *   0    u32 magic "QCMD"
 *   4    u16 major, u16 minor
 *   8    u32 recordBytes     the whole record
 *   12   u32 argc            1 to 4096
 *   16   u32 envc            0 to 4096
 *   20   u32 hasDirectory    0 or 1
 *   24   u32 graceMillis     from TERM to KILL
 *   28   u32 streamKib       KiB of each stream that are kept on a disk, 0: none; earlier readers ignore it
 *   32   argc + envc + hasDirectory strings, each ended by NUL, nothing after the last:
 *        the arguments, the variables as NAME=value, the working directory
 * </pre>
 */
public final class CommandDescriptor {
    /** "QCMD" as a little-endian number. */
    public static final int MAGIC = 0x444D4351;

    /** Readers of another major version refuse. */
    public static final short MAJOR = 1;

    /** Grows with fields that old readers may ignore. */
    public static final short MINOR = 0;

    /** The record begins at a multiple of this. */
    public static final int ALIGNMENT = 8;

    /** Fields. */
    public static final int MAGIC_AT = 0,
            MAJOR_AT = MAGIC_AT + 4,
            MINOR_AT = MAJOR_AT + 2,
            RECORD_BYTES_AT = MINOR_AT + 2,
            ARGC_AT = RECORD_BYTES_AT + 4,
            ENVC_AT = ARGC_AT + 4,
            HAS_DIRECTORY_AT = ENVC_AT + 4,
            GRACE_MILLIS_AT = HAS_DIRECTORY_AT + 4,
            STREAM_KIB_AT = GRACE_MILLIS_AT + 4,
            STRINGS_AT = STREAM_KIB_AT + 4;

    private CommandDescriptor() {}
}
