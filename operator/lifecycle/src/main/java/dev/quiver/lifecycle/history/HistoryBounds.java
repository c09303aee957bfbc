package dev.quiver.lifecycle.history;

/** Bounds of the format. A reader refuses what lies beyond, a writer cuts or refuses before. */
public final class HistoryBounds {

    /** Bytes of the rows of one step, as a writer makes them. */
    public static final int ROWS_BYTES = 64 * 1024;

    /** Bytes of the largest field of an entry that a reader looks at. */
    public static final int FIELD_BYTES = 128 * 1024;

    /** Bytes of a whole entry that a reader looks at. */
    public static final int ENTRY_BYTES = 256 * 1024;

    /** Rows of one step: as many as settlements. */
    public static final int ROWS = 256;

    /** Largest number of a task within its run. */
    public static final long TASK = 1L << 40;

    /**
     * Chunks and combines of a node take fewer numbers than these bits have. The numbers of node {@code n} begin with
     * {@code n + 1} behind these bits, so that they stand behind all nodes.
     */
    public static final int CHUNK_BITS = 22;

    /** Largest number of a trial of one task. */
    public static final int TRIAL = 1 << 20;

    /** Slots of a worker. */
    public static final int SLOTS = 64;

    /** Largest duration, and largest number of a counter. */
    public static final long NUMBER = 1L << 50;

    /** Bytes of an identifier: uid, session, source, hash. */
    public static final int ID_BYTES = 320;

    /** Bytes of a name for people. */
    public static final int NAME_BYTES = 1024;

    /** Bytes of a reason. */
    public static final int REASON_BYTES = 64;

    /** Bytes of a message, as in the failure sample. */
    public static final int MESSAGE_BYTES = 512;

    /** Cases of a trial's report that have a row of their own. */
    public static final int CASES = 32;

    /** Bytes of the name of such a case. */
    public static final int CASE_NAME_BYTES = 256;

    /** Bytes of a tail before it is deflated: of stdout and stderr of a trial. */
    public static final int TAIL_BYTES = 4096;

    /** Bytes of a deflated tail: what deflates to more is stored as it is. */
    public static final int PACKED_TAIL_BYTES = TAIL_BYTES + 64;

    /** Bytes of a worker's log before it is deflated: of its own and of its slots. */
    public static final int LOG_BYTES = 16 * 1024;

    /** Bytes of a deflated log of a worker. */
    public static final int PACKED_LOG_BYTES = LOG_BYTES + 64;

    /** Bytes of a result that is kept in the row. */
    public static final int RESULT_BYTES = 4096;

    /** Bytes of a stream that is kept as a whole: 1 GiB, and the mark of what was left out. */
    public static final long STREAM_BYTES = (1L << 30) + 4096;

    /** Bytes of a specification, JSON. */
    public static final int SPEC_BYTES = 64 * 1024;

    /** Labels of a run. */
    public static final int LABELS = 64;

    /** Names or nodes in one entry. */
    public static final int NAMES = 4096;

    /** Tasks that one entry of the reaper names. */
    public static final int LOSSES = 256;

    private HistoryBounds() {}
}
