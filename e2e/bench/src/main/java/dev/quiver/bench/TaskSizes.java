package dev.quiver.bench;

import java.util.List;

/**
 * How many Tasks some of the {@code task} benches make, and how many chunks those of {@code mapreduce}.
 *
 * @param queued that wait while their memory is read
 * @param collected whose results a program collects
 * @param troubled that run while processes are killed and stopped
 * @param children of an iterator, for each of its runs
 * @param chunks of a map-reduce, for each of its runs
 * @param jobs small map-reduces whose phases are timed
 * @param readings of the corpus of {@code mapreduce-phrases}
 * @param checked calls by which each contender of {@code calls} proves itself first, a multiple of 20
 */
public record TaskSizes(
        int queued,
        int collected,
        int troubled,
        List<Integer> children,
        List<Integer> chunks,
        int jobs,
        int readings,
        int checked) {

    /** For figures that are published. */
    public static final TaskSizes FULL = new TaskSizes(
            100_000, 20_000, 100_000, List.of(30_000, 300_000), List.of(10_000, 100_000), 200, 22, 20_000);

    /** Proves that everything runs. */
    public static final TaskSizes SMOKE =
            new TaskSizes(2_000, 1_000, 2_000, List.of(2_000), List.of(500), 10, 1, 2_000);

    TaskSizes withTroubled(int tasks) {
        return new TaskSizes(queued, collected, tasks, children, chunks, jobs, readings, checked);
    }

    TaskSizes withChildren(int number) {
        return new TaskSizes(queued, collected, troubled, List.of(number), chunks, jobs, readings, checked);
    }
}
