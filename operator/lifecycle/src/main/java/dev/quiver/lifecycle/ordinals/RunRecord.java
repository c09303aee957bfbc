package dev.quiver.lifecycle.ordinals;

import java.util.Objects;

import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.redis.BinaryText;

/**
 * How a run is recorded.
 *
 * @param opening the facts of the run
 * @param waits whether its tasks wait while the record has no room
 */
public record RunRecord(RunOpening opening, boolean waits) {

    /** Present. */
    public RunRecord {
        Objects.requireNonNull(opening, "opening");
    }

    /** The opening as an argument of a script. */
    public String argument() {
        return BinaryText.marked(opening.encode());
    }
}
