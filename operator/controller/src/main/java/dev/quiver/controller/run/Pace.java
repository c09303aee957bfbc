package dev.quiver.controller.run;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The recent pace of a run: its counts at a few moments of the last half minute. The time is longer if few tasks are
 * decided. When the pace changes, by more workers or a JVM that has warmed up, the measurement begins anew. Immutable,
 * pure.
 *
 * @param startedAt the start or resume that these moments follow
 * @param moments by Redis' clock, in order, at most a few dozen
 */
public record Pace(Optional<Instant> startedAt, List<Moment> moments) {

    /** The pace of a run that was not observed. */
    public static final Pace UNSEEN = new Pace(Optional.empty(), List.of());

    /** A shorter time would take an accidentally slow or quick start for a pace. */
    static final Duration LEAST = Duration.ofSeconds(5);

    /** Tasks enough that chance makes their pace half or double in less than one of ten thousand looks. */
    static final int ENOUGH = 20;

    /** Fewer trials are little evidence about the others. */
    static final int SOME = 6;

    private static final Duration USUAL = Duration.ofSeconds(30);
    private static final Duration NEAREST = Duration.ofSeconds(1);
    private static final int MOMENTS = 16;
    private static final double CHANGED = 2;

    /**
     * The counts of a run at a time.
     *
     * @param runTime of the trials that have ended
     * @param held sum of the times that workers held tasks since the first moment
     */
    record Moment(Instant at, long decided, long trials, Duration runTime, long running, Duration held) {
        static Moment of(RunProgress run, Optional<Moment> last) {
            Duration held = last.map(m -> m.held.plus(Duration.between(m.at, run.storeTime())
                            .multipliedBy(m.running + run.running())
                            .dividedBy(2)))
                    .orElse(Duration.ZERO);
            return new Moment(run.storeTime(), run.decided(), run.trials(), run.runTime(), run.running(), held);
        }

        Duration since(Moment earlier) {
            return Duration.between(earlier.at, at);
        }

        private boolean follows(Moment earlier) {
            return !at.isBefore(earlier.at) && decided >= earlier.decided && trials >= earlier.trials;
        }
    }

    public Pace {
        moments = List.copyOf(moments);
    }

    /** The pace with this observation added. */
    public Pace seen(RunProgress run) {
        Moment now = Moment.of(run, moments.isEmpty() ? Optional.empty() : Optional.of(moments.getLast()));
        boolean anew = moments.isEmpty() || !startedAt.equals(run.startedAt()) || !now.follows(moments.getLast());
        List<Moment> all = anew ? new ArrayList<>() : new ArrayList<>(moments);
        int last = all.size() - 1;
        if (last > 0 && all.get(last).since(all.get(last - 1)).compareTo(spacing(all)) < 0) {
            all.remove(last);
        }
        all.add(now);
        while (all.size() > 2 && isEnough(all.get(1), now)) {
            all.removeFirst();
        }
        return new Pace(run.startedAt(), changed(all) ? List.of(now) : all);
    }

    /** Decided tasks a second; absent while the observed time is too short, or the tasks are too few. */
    Optional<Double> perSecond() {
        return moments.isEmpty() || span().compareTo(LEAST) < 0 || decided() < ENOUGH
                ? Optional.empty()
                : Optional.of(rate(moments.getFirst(), moments.getLast()));
    }

    /** The mean run time of the trials that ended recently; absent before some have. The shortest end first. */
    Optional<Duration> meanOfEnded() {
        return mean(Moment::runTime);
    }

    /**
     * The time that tasks were held recently for each trial that ended; absent before some have. The longest end last.
     */
    Optional<Duration> meanOfHeld() {
        return mean(Moment::held);
    }

    private Optional<Duration> mean(Function<Moment, Duration> sum) {
        if (moments.isEmpty() || trials() < SOME) {
            return Optional.empty();
        }
        Duration all = sum.apply(moments.getLast()).minus(sum.apply(moments.getFirst()));
        return Optional.of(all.dividedBy(trials()));
    }

    private Duration span() {
        return moments.getLast().since(moments.getFirst());
    }

    private long decided() {
        return moments.getLast().decided() - moments.getFirst().decided();
    }

    private long trials() {
        return moments.getLast().trials() - moments.getFirst().trials();
    }

    private static Duration spacing(List<Moment> all) {
        Duration share = all.getLast().since(all.getFirst()).dividedBy(MOMENTS);
        return share.compareTo(NEAREST) > 0 ? share : NEAREST;
    }

    /** Whether the moments before this one are not needed. */
    private static boolean isEnough(Moment from, Moment now) {
        return now.since(from).compareTo(USUAL) >= 0 && now.decided() - from.decided() >= ENOUGH;
    }

    /** Whether the pace of the last seconds differs from the whole observed pace by more than chance. */
    private static boolean changed(List<Moment> all) {
        Moment first = all.getFirst();
        Moment now = all.getLast();
        Optional<Moment> recent = all.reversed().stream()
                .filter(moment -> now.since(moment).compareTo(LEAST) >= 0)
                .findFirst();
        if (recent.isEmpty() || recent.get().since(first).compareTo(LEAST) < 0) {
            return false;
        }
        double before = rate(first, recent.get());
        double lately = rate(recent.get(), now);
        double seconds = now.since(recent.get()).toMillis() / 1000.0;
        return Math.max(before, lately) * seconds >= ENOUGH
                && Math.max(before, lately) > CHANGED * Math.min(before, lately);
    }

    private static double rate(Moment from, Moment to) {
        return (to.decided() - from.decided())
                * 1000.0
                / Math.max(1, to.since(from).toMillis());
    }
}
