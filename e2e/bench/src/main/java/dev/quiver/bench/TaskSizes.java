package dev.quiver.bench;

import java.util.List;

/**
 * How many Tasks some of the {@code task} benches make.
 *
 * @param queued that wait while their memory is read
 * @param collected whose results a program collects
 * @param troubled that run while processes are killed and stopped
 * @param children of an iterator, for each of its runs
 */
public record TaskSizes(int queued, int collected, int troubled, List<Integer> children) {

    /** For figures that are published. */
    public static final TaskSizes FULL = new TaskSizes(100_000, 20_000, 100_000, List.of(30_000, 300_000));

    /** Proves that everything runs. */
    public static final TaskSizes SMOKE = new TaskSizes(2_000, 1_000, 2_000, List.of(2_000));

    TaskSizes withTroubled(int tasks) {
        return new TaskSizes(queued, collected, tasks, children);
    }

    TaskSizes withChildren(int number) {
        return new TaskSizes(queued, collected, troubled, List.of(number));
    }
}
