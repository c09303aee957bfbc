package dev.quiver.lifecycle.ordinals;

/** What {@link OrdinalFeed#append} did. */
public sealed interface FeedOutcome {

    /**
     * The tasks up to {@code fed} are in.
     *
     * @param fed number of tasks known now
     */
    record Fed(long fed) implements FeedOutcome {}

    /**
     * Nothing was done: the offset lies beyond what is known.
     *
     * @param fed where to go on
     */
    record Gap(long fed) implements FeedOutcome {}

    /** Nothing was done: the source is closed (then everything was fed before), or the source is final. */
    record Closed() implements FeedOutcome {}

    /** The source is not there. */
    record Gone() implements FeedOutcome {}
}
