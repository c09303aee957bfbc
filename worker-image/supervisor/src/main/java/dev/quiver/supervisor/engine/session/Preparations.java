package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.worker.WorkerPreparation;

/**
 * How this worker got ready for each recorded run that is a source of its own, and when it left. A run that goes on is
 * reported after a second, and every run at its end, so a short one takes one entry. Belongs to the engine's thread.
 */
final class Preparations {

    private static final Duration REPORT_AFTER = Duration.ofSeconds(1);

    private static final class Preparation {
        private final String run;
        private final long startedAt;
        private final long sinceNanos;
        private Optional<Long> readyAt = Optional.empty();
        private boolean reported;

        Preparation(String run, long startedAt, long sinceNanos) {
            this.run = run;
            this.startedAt = startedAt;
            this.sinceNanos = sinceNanos;
        }

        /** Nanoseconds until it is to be reported; {@link Long#MAX_VALUE} while it is not to be. */
        long nanosLeft(long now) {
            return reported || readyAt.isEmpty() ? Long.MAX_VALUE : sinceNanos + REPORT_AFTER.toNanos() - now;
        }

        WorkerPreparation facts(Optional<Long> finishedAt, byte[] log) {
            return new WorkerPreparation(run, startedAt, readyAt, finishedAt, log);
        }
    }

    private final Map<String, Preparation> runs = new LinkedHashMap<>();
    private final LongSupplier clock;
    private final Supplier<byte[]> log;
    private int pending; // those that were not reported yet

    /**
     * Of no run yet.
     *
     * @param clock milliseconds since 1970
     * @param log end of the worker's log
     */
    Preparations(LongSupplier clock, Supplier<byte[]> log) {
        this.clock = clock;
        this.log = log;
    }

    /** A task of this source was claimed. */
    void claimed(String source, RunnableTask task, long now) {
        if (runs.containsKey(source)
                || task.recorded()
                        .filter(recorded ->
                                recorded.run().equals(source) && recorded.name().isEmpty())
                        .isEmpty()) {
            return;
        }
        runs.put(source, new Preparation(source, clock.getAsLong(), now));
        pending++;
    }

    /** A slot has a task of this source. */
    void runs(String source) {
        if (pending == 0) {
            return;
        }
        Preparation preparation = runs.get(source);
        if (preparation != null && preparation.readyAt.isEmpty()) {
            preparation.readyAt = Optional.of(clock.getAsLong());
        }
    }

    /** Those that are to be reported now. */
    List<WorkerPreparation> due(long now) {
        if (pending == 0) {
            return List.of();
        }
        List<WorkerPreparation> due = new ArrayList<>();
        for (Preparation preparation : runs.values()) {
            if (preparation.nanosLeft(now) <= 0) {
                preparation.reported = true;
                pending--;
                due.add(preparation.facts(Optional.empty(), log.get()));
            }
        }
        return due;
    }

    /** Nanoseconds until one is to be reported; {@link Long#MAX_VALUE} without one. */
    long nanosLeft(long now) {
        long left = Long.MAX_VALUE;
        if (pending > 0) {
            for (Preparation preparation : runs.values()) {
                left = Math.min(left, preparation.nanosLeft(now));
            }
        }
        return left;
    }

    /** Nothing of this source is left to do here; what is to be reported of it. */
    Optional<WorkerPreparation> left(String source) {
        Preparation preparation = runs.remove(source);
        if (preparation == null) {
            return Optional.empty();
        }
        pending -= preparation.reported ? 0 : 1;
        return Optional.of(preparation.facts(Optional.of(clock.getAsLong()), log.get()));
    }

    /** The same of all. */
    List<WorkerPreparation> leaveAll() {
        List<WorkerPreparation> all = new ArrayList<>();
        for (String source : List.copyOf(runs.keySet())) {
            left(source).ifPresent(all::add);
        }
        return all;
    }
}
