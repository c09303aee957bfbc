package dev.quiver.controller.run;

import java.time.Duration;
import java.util.Optional;

/**
 * The rest of a run whose tasks have times of earlier runs. Pure.
 *
 * @param tasks that have such a time
 * @param given tasks that were given out for the first time, others too
 * @param whole how long all tasks with a time take, one after the other
 * @param fresh the same of those that were never given out
 */
public record EstimatedRest(long tasks, long given, Duration whole, Duration fresh) {

    /** Passes after which their times tell how fast the workers of this run are. */
    private static final long ENOUGH = 8;

    private static final double MOST_SLOWNESS = 4;

    /**
     * How long the run will take: what was never given out and half of what runs, spread over the slots.
     *
     * @param queued tasks that wait for a slot, those to be tried again included
     * @param slots that work at it
     * @param passed tasks that passed
     * @param passedTime how long these ran together
     * @return absent where no slot works at it, or nothing is left
     */
    public Optional<Eta> left(RunProgress run, long queued, long slots, long passed, Duration passedTime) {
        if (slots <= 0 || queued + run.running() <= 0 || tasks <= 0) {
            return Optional.empty();
        }
        long freshTasks = Math.max(0, run.total() - given);
        long further = Math.max(0, freshTasks - Math.max(0, tasks - given));
        long again = Math.max(0, queued - freshTasks);
        double usual = (double) whole.toMillis() / tasks;
        double out = whole.toMillis() - fresh.toMillis();
        double usualOfGiven = given == 0 ? usual : Math.max(1, out / Math.min(given, tasks));
        double work = fresh.toMillis() + further * usual + again * usualOfGiven + run.running() * usualOfGiven / 2;
        double slowness = slowness(passed, passedTime, passed * usualOfGiven);
        // Whatever runs takes half of its time on average, however many slots there are.
        double least = run.running() > 0 ? usualOfGiven / 2 : 0;
        double millis = slowness * Math.max(least, work / slots);
        return Optional.of(Eta.rounded(
                Duration.ofMillis((long) Math.min(millis, Duration.ofDays(3650).toMillis()))));
    }

    private static double slowness(long passed, Duration time, double expected) {
        return passed < ENOUGH || expected <= 0
                ? 1
                : Math.clamp(time.toMillis() / expected, 1 / MOST_SLOWNESS, MOST_SLOWNESS);
    }
}
