package dev.quiver.bench;

import java.time.Duration;
import java.util.List;

/**
 * The lengths of the measurements.
 *
 * @param rounds how often each contender has its turn
 * @param warmUp time before each window, not counted
 * @param window time that is counted
 * @param slots the numbers of slots, and the peers' concurrencies
 * @param delays round trips added by the proxy; zero is without it
 * @param work how long a task of the {@code latency} bench takes
 * @param arrivals how long tasks arrive in each turn of it
 * @param settle how long a process idles before its footprint is read
 * @param scale task counts of the {@code scale} bench
 * @param commands number of commands of the {@code commands} bench, and of TaskSets of {@code scale-resources}
 * @param callSlots the numbers of slots of the {@code calls} bench
 * @param files number of files that are summed up in the {@code handlers} bench
 * @param tasks of the {@code task} benches
 * @param record of the {@code history} benches
 */
public record Pace(
        int rounds,
        Duration warmUp,
        Duration window,
        List<Integer> slots,
        List<Duration> delays,
        Duration work,
        Duration arrivals,
        Duration settle,
        List<Integer> scale,
        int commands,
        List<Integer> callSlots,
        int files,
        TaskSizes tasks,
        RecordSizes record) {

    /** For figures that are published. */
    public static final Pace FULL = new Pace(
            3,
            Duration.ofMillis(400),
            Duration.ofMillis(1000),
            List.of(1, 8, 64),
            List.of(Duration.ZERO, Duration.ofMillis(2)),
            Duration.ofMillis(10),
            Duration.ofSeconds(8),
            Duration.ofSeconds(8),
            List.of(10, 10_000, 1_000_000),
            10_000,
            List.of(1, 8, 64),
            240,
            TaskSizes.FULL,
            RecordSizes.FULL);

    /** Proves that everything runs; its figures mean nothing. */
    public static final Pace SMOKE = new Pace(
            1,
            Duration.ofMillis(300),
            Duration.ofMillis(400),
            List.of(8),
            List.of(Duration.ZERO, Duration.ofMillis(2)),
            Duration.ofMillis(10),
            Duration.ofSeconds(1),
            Duration.ofMillis(500),
            List.of(10, 1_000),
            100,
            List.of(4),
            16,
            TaskSizes.SMOKE,
            RecordSizes.SMOKE);

    /** The numbers of slots of the {@code latency} bench: a single slot waits for itself, unless it is asked for. */
    public List<Integer> latencySlots() {
        return slots.size() == 1
                ? slots
                : slots.stream().filter(number -> number > 1).toList();
    }

    /** The same with one number of slots, to examine that one. */
    Pace withSlots(int number) {
        List<Integer> one = List.of(number);
        return new Pace(
                rounds, warmUp, window, one, delays, work, arrivals, settle, scale, commands, one, files, tasks,
                record);
    }

    /** The same with so many rounds. */
    Pace withRounds(int number) {
        return new Pace(
                number, warmUp, window, slots, delays, work, arrivals, settle, scale, commands, callSlots, files, tasks,
                record);
    }

    /** The same with windows of so many seconds. */
    Pace withWindow(int seconds) {
        return new Pace(
                rounds,
                warmUp,
                Duration.ofSeconds(seconds),
                slots,
                delays,
                work,
                arrivals,
                settle,
                scale,
                commands,
                callSlots,
                files,
                tasks,
                record);
    }

    /** The same with so many commands, or TaskSets that wait. */
    Pace withCommands(int number) {
        return new Pace(
                rounds, warmUp, window, slots, delays, work, arrivals, settle, scale, number, callSlots, files, tasks,
                record);
    }

    /** The same with so many Tasks that run while processes are killed. */
    Pace withTroubled(int number) {
        return with(tasks.withTroubled(number));
    }

    /** The same with an iterator of so many children. */
    Pace withChildren(int number) {
        return with(tasks.withChildren(number));
    }

    private Pace with(TaskSizes sizes) {
        return new Pace(
                rounds, warmUp, window, slots, delays, work, arrivals, settle, scale, commands, callSlots, files, sizes,
                record);
    }
}
