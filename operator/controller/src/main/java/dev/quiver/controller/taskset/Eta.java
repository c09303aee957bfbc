package dev.quiver.controller.taskset;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/**
 * How long a run will still take, from its own numbers. An estimate: rounded so that it does not pretend, and so that
 * it seldom changes. Pure.
 *
 * @param left rounded up
 * @param unit what it was rounded to
 */
record Eta(Duration left, Duration unit) {

    /** Below this mean, overheads outweigh run times, and the pace so far says more. */
    private static final Duration SHORT_TASK = Duration.ofSeconds(1);

    /** An estimate for a run that goes on; absent before the first task is decided and while nothing runs. */
    static Optional<Eta> of(TaskSetSnapshot run) {
        long decided = run.succeeded() + run.failed();
        long remaining = run.total() - decided;
        if (decided == 0
                || run.trials() == 0
                || remaining <= 0
                || run.startedAt().isEmpty()
                || run.running() == 0) {
            return Optional.empty();
        }
        Duration meanTrial = run.runTime().dividedBy(run.trials());
        double millis;
        if (meanTrial.compareTo(SHORT_TASK) >= 0 || resumed(run)) {
            double trialsPerTask = Math.max(1.0, (double) run.trials() / decided);
            double halfDone = run.running() / 2.0;
            millis = Math.max(0.5, remaining * trialsPerTask - halfDone) * meanTrial.toMillis() / run.running();
        } else {
            Duration elapsed = Duration.between(run.startedAt().get(), run.storeTime());
            millis = (double) elapsed.toMillis() * remaining / decided;
        }
        return Optional.of(rounded(
                Duration.ofMillis((long) Math.min(millis, Duration.ofDays(3650).toMillis()))));
    }

    /** Then the time since its start says nothing of the tasks that were decided before. */
    private static boolean resumed(TaskSetSnapshot run) {
        return run.startedAt().filter(run.createdAt()::isBefore).isPresent();
    }

    static Eta rounded(Duration exact) {
        Duration unit;
        if (exact.compareTo(Duration.ofMinutes(1)) < 0) {
            unit = Duration.ofSeconds(5);
        } else if (exact.compareTo(Duration.ofHours(1)) < 0) {
            unit = Duration.ofMinutes(1);
        } else if (exact.compareTo(Duration.ofDays(1)) < 0) {
            unit = Duration.ofMinutes(10);
        } else {
            unit = Duration.ofHours(1);
        }
        long units = Math.max(1, Math.ceilDiv(exact.toMillis(), unit.toMillis()));
        return new Eta(unit.multipliedBy(units), unit);
    }

    /** For the column: {@code 40s}, {@code 3m}, {@code 2h10m}, {@code 3d4h}. */
    String text() {
        if (left.toDays() > 0) {
            return left.toDays() + "d" + part(left.toHoursPart(), "h");
        }
        if (left.toHours() > 0) {
            return left.toHours() + "h" + part(left.toMinutesPart(), "m");
        }
        return left.toMinutes() > 0 ? left.toMinutes() + "m" : left.toSeconds() + "s";
    }

    /** The time at which the run would finish, on the grid of the unit, so that it does not change with each look. */
    Instant at(Instant now) {
        long grid = unit.toSeconds();
        return Instant.ofEpochSecond(Math.ceilDiv(now.plus(left).getEpochSecond(), grid) * grid);
    }

    private static String part(int amount, String unit) {
        return amount == 0 ? "" : amount + unit;
    }
}
