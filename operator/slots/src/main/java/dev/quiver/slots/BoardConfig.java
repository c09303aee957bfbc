package dev.quiver.slots;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a board lives and what it looks like.
 *
 * @param in the volume {@code in}, writable here
 * @param out the volume {@code out}, as the agent sees it too; only read
 * @param geometry number and sizes of the slots
 * @param workerId who runs the tasks, for snapshots; at most 32 bytes of UTF-8 are kept
 * @param start what to do with a region that is there already
 * @param whole the volume on a disk for all that tasks print, which the agent writes; absent: none
 */
public record BoardConfig(Path in, Path out, Geometry geometry, String workerId, Start start, Optional<Path> whole) {
    /** Without a volume for all that tasks print. */
    public BoardConfig(Path in, Path out, Geometry geometry, String workerId, Start start) {
        this(in, out, geometry, workerId, start, Optional.empty());
    }

    /** The treatment of an earlier supervisor's region. */
    public enum Start {
        /** A new region: the agent kills whatever still runs under the old one. */
        FRESH,
        /**
         * Go on with it when it is whole and has the same geometry and version; otherwise a new one, see {@link
         * SlotBoard#regionId}. An end that the supervisor before had been told may be told again: its fence sorts that
         * out.
         */
        RESUME
    }

    /** A board that goes on with the region of the supervisor before, if there is one. */
    public static BoardConfig resume(Path in, Path out, Geometry geometry, String workerId) {
        return new BoardConfig(in, out, geometry, workerId, Start.RESUME);
    }

    /** The same with that volume for all that tasks print. */
    public BoardConfig withWhole(Optional<Path> volume) {
        return new BoardConfig(in, out, geometry, workerId, start, volume);
    }

    /** A board with a new region. */
    public static BoardConfig fresh(Path in, Path out, Geometry geometry, String workerId) {
        return new BoardConfig(in, out, geometry, workerId, Start.FRESH);
    }
}
