package dev.quiver.controller.pool.podstatus;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The stage of a worker pod, from its status. The order is that of {@link PodObservation}'s tests. */
public enum PodStage {
    /** Has a deletion time: drains, never counts. */
    TERMINATING,
    /** Failed, evicted, or ended: will not run again. */
    ENDED,
    /** A scheduling gate holds it back: waiting on purpose. */
    GATED,
    /** No node can take it. */
    UNSCHEDULABLE,
    /** An image cannot be pulled. */
    IMAGE_FAILED,
    /** A container cannot be created as configured. */
    CONFIG_INVALID,
    /** A container ends again and again. */
    CRASHING,
    /** Ready for tasks. */
    READY,
    /** Runs, but is not ready. */
    UNREADY,
    /** Starting. */
    STARTING;

    /** All stages, as labels of the metric. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(PodStage::label).toList();
    }

    /** The stage as the metric counts it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it may still get ready by itself. */
    public boolean progressing() {
        return this == UNREADY || this == STARTING;
    }
}
