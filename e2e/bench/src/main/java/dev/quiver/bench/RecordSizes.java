package dev.quiver.bench;

/**
 * How much the {@code history} benches record and read.
 *
 * @param steps of one block, of which as many are without the record
 * @param blocks pairs of such blocks for each size of a step
 * @param passes trials of a stream of first-time passes
 * @param mixed trials of a stream of which some fail
 * @param rows trials of a stream of which all fail
 * @param backlog trials of a stream that waited for long
 * @param runs in the list of runs
 * @param tasks of the run whose tasks are read and exported
 * @param requests for each figure of latency
 * @param settled trials whose way to a reader is timed
 * @param drawn trials of the smaller run on the page; the larger one has ten times as many
 * @param moves of the pointer while the timeline is dragged
 */
public record RecordSizes(
        int steps,
        int blocks,
        int passes,
        int mixed,
        int rows,
        int backlog,
        int runs,
        int tasks,
        int requests,
        int settled,
        int drawn,
        int moves) {

    /** For figures that are published. */
    public static final RecordSizes FULL = new RecordSizes(
            250, 84, 1_000_000, 500_000, 100_000, 10_000_000, 100_000, 1_000_000, 1_000, 200, 100_000, 200);

    /** Proves that everything runs. */
    public static final RecordSizes SMOKE =
            new RecordSizes(20, 2, 6_400, 3_200, 640, 12_800, 200, 2_000, 20, 3, 2_000, 10);
}
