package dev.quiver.controller.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * An estimate of the time that a run will still take, from its own numbers. It is rounded, so that it shows its
 * uncertainty and seldom changes. Pure.
 *
 * @param left rounded up
 * @param unit of the rounding
 */
public record Eta(Duration left, Duration unit) {

    /** Below this mean, overheads outweigh run times, and only the pace predicts the rest. */
    private static final Duration SHORT_TASK = Duration.ofSeconds(1);

    /** Two estimates that differ by more than this factor show that neither can be trusted yet. */
    private static final double AGREED = 2;

    /**
     * An estimate for a run that goes on; absent while nothing runs, and until it is likely to be right within a factor
     * of two. The pace of short tasks has to be seen for some seconds. Long tasks need enough ends that their mean
     * agrees with the time that workers held each, since the shortest end first.
     */
    public static Optional<Eta> of(RunProgress run, Pace pace) {
        long remaining = run.total() - run.decided();
        if (run.trials() == 0 || remaining <= 0 || run.running() == 0) {
            return Optional.empty();
        }
        Duration mean = pace.meanOfEnded().orElseGet(() -> run.runTime().dividedBy(run.trials()));
        Optional<Double> millis = mean.compareTo(SHORT_TASK) < 0
                ? pace.perSecond().map(rate -> 1000 * remaining / rate)
                : meanMillis(run, pace).map(agreed -> ofLong(run, remaining, agreed));
        return millis.map(exact -> rounded(
                Duration.ofMillis((long) Math.min(exact, Duration.ofDays(3650).toMillis()))));
    }

    /** The time of a trial, where it is known. */
    private static Optional<Double> meanMillis(RunProgress run, Pace pace) {
        boolean begun = run.startedAt()
                .filter(at -> Duration.between(at, run.storeTime()).compareTo(Pace.LEAST) < 0)
                .isPresent();
        if (begun || run.decided() == 0) {
            return Optional.empty();
        }
        if (pace.meanOfEnded().isEmpty()) {
            // In an operator that has just started, all earlier trials stand for the rest, if they are enough.
            return run.trials() >= Math.max(Pace.SOME, 2 * run.running())
                    ? Optional.of((double) run.runTime().toMillis() / run.trials())
                    : Optional.empty();
        }
        double ended = pace.meanOfEnded().get().toMillis();
        double held = pace.meanOfHeld().orElseThrow().toMillis();
        return Math.max(ended, held) <= AGREED * Math.min(ended, held)
                ? Optional.of(Math.sqrt(ended * held))
                : Optional.empty();
    }

    private static double ofLong(RunProgress run, long remaining, double meanMillis) {
        double trialsPerTask = Math.max(1.0, (double) run.trials() / run.decided());
        double halfDone = run.running() / 2.0;
        return Math.max(0.5, remaining * trialsPerTask - halfDone) * meanMillis / run.running();
    }

    public static Eta rounded(Duration exact) {
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

    /** The text for the column: {@code 40s}, {@code 3m}, {@code 2h10m}, {@code 3d4h}. */
    public String text() {
        if (left.toDays() > 0) {
            return left.toDays() + "d" + part(left.toHoursPart(), "h");
        }
        if (left.toHours() > 0) {
            return left.toHours() + "h" + part(left.toMinutesPart(), "m");
        }
        return left.toMinutes() > 0 ? left.toMinutes() + "m" : left.toSeconds() + "s";
    }

    /** The time at which the run would finish, on the grid of the unit, so that it does not change with each look. */
    public Instant at(Instant now) {
        long grid = unit.toSeconds();
        return Instant.ofEpochSecond(Math.ceilDiv(now.plus(left).getEpochSecond(), grid) * grid);
    }

    private static String part(int amount, String unit) {
        return amount == 0 ? "" : amount + unit;
    }
}
