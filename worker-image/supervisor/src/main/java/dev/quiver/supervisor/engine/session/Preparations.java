package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.worker.WorkerPreparation;

/**
 * How this worker got ready for each recorded run, and when it left. A run that goes on is reported after a second, and
 * every run at its end, so a short one takes one entry. A run that is a source of its own ends with that source. One of
 * several runs of a source, a tree, ends when this worker has held no task of it for a second. Its next task is another
 * beginning, and the record takes all of them as one. A worker may run thousands of trees in a second, so the trees
 * that it reports are bounded. Belongs to the engine's thread.
 */
final class Preparations {

    /** Trees that are reported at once, and one a second behind them. */
    static final int TREES = 16;

    private static final Duration REPORT_AFTER = Duration.ofSeconds(1);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private static final class Preparation {
        private final String run;
        private final boolean tree;
        private final long startedAt;
        private final long sinceNanos;
        private Optional<Long> readyAt = Optional.empty();
        private boolean reported;
        private int held;
        private long idleSince;
        private long idleAt;

        Preparation(String run, boolean tree, long startedAt, long sinceNanos) {
            this.run = run;
            this.tree = tree;
            this.startedAt = startedAt;
            this.sinceNanos = sinceNanos;
        }

        boolean idle() {
            return tree && held == 0;
        }

        /** Nanoseconds until it is to be reported; {@link Long#MAX_VALUE} while it is not to be. */
        long nanosLeft(long now) {
            if (idle()) {
                return idleSince + SECOND - now;
            }
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
    private int idle; // trees of which no task is held
    private int trees = TREES; // that may begin now
    private long treesSince;

    /**
     * Starts without a run.
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
        Optional<RecordedTask> recorded =
                task.recorded().filter(known -> known.name().isEmpty());
        if (recorded.isEmpty()) {
            return;
        }
        String run = recorded.get().run();
        Preparation preparation = runs.get(run);
        if (preparation == null) {
            boolean tree = !run.equals(source);
            if (tree && !mayBegin(now)) {
                return;
            }
            preparation = new Preparation(run, tree, clock.getAsLong(), now);
            runs.put(run, preparation);
            pending++;
        } else if (preparation.idle()) {
            idle--;
        }
        preparation.held++;
    }

    private boolean mayBegin(long now) {
        long seconds = (now - treesSince) / SECOND;
        if (trees == TREES || seconds >= TREES) {
            trees = TREES;
            treesSince = now;
        } else if (seconds > 0) {
            trees = Math.min(TREES, trees + (int) seconds);
            treesSince += seconds * SECOND;
        }
        if (trees == 0) {
            return false;
        }
        trees--;
        return true;
    }

    /** A slot has this task. */
    void runs(RunnableTask task) {
        if (pending == 0) {
            return;
        }
        Preparation preparation = of(task);
        if (preparation != null && preparation.readyAt.isEmpty()) {
            preparation.readyAt = Optional.of(clock.getAsLong());
        }
    }

    /** A claimed task is this worker's no more. */
    void released(RunnableTask task, long now) {
        Preparation preparation = runs.isEmpty() ? null : of(task);
        if (preparation == null || preparation.held == 0) {
            return;
        }
        preparation.held--;
        if (preparation.idle()) {
            idle++;
            preparation.idleSince = now;
            preparation.idleAt = clock.getAsLong();
        }
    }

    private Preparation of(RunnableTask task) {
        return task.recorded().map(recorded -> runs.get(recorded.run())).orElse(null);
    }

    /** Those that are to be reported now. */
    List<WorkerPreparation> due(long now) {
        if (pending == 0 && idle == 0) {
            return List.of();
        }
        List<WorkerPreparation> due = new ArrayList<>();
        for (Iterator<Preparation> all = runs.values().iterator(); all.hasNext(); ) {
            Preparation preparation = all.next();
            if (preparation.nanosLeft(now) > 0) {
                continue;
            }
            if (preparation.idle()) {
                all.remove();
                due.add(end(preparation));
            } else {
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
        if (pending > 0 || idle > 0) {
            for (Preparation preparation : runs.values()) {
                left = Math.min(left, preparation.nanosLeft(now));
            }
        }
        return left;
    }

    /** Forgets a source without work here; returns what is to be reported of a run that is the source. */
    Optional<WorkerPreparation> left(String source) {
        return Optional.ofNullable(runs.remove(source)).map(this::end);
    }

    /** The same of all. */
    List<WorkerPreparation> leaveAll() {
        List<WorkerPreparation> all = runs.values().stream().map(this::end).toList();
        runs.clear();
        return all;
    }

    /** Ends a preparation that was taken out. */
    private WorkerPreparation end(Preparation preparation) {
        pending -= preparation.reported ? 0 : 1;
        idle -= preparation.idle() ? 1 : 0;
        long at = preparation.idle() ? preparation.idleAt : clock.getAsLong();
        return preparation.facts(Optional.of(at), log.get());
    }
}
