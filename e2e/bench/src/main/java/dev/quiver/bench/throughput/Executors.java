package dev.quiver.bench.throughput;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.bench.Lab;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.NoopExecutor;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;

/**
 * An executor that finishes the no-op tasks on the other side of the slots.
 *
 * @param contender name in the figures
 * @param pool prefix of the names of its pools
 * @param program in the container's place
 * @param execution of each task
 * @param source more tasks than any worker finishes
 * @param batch tasks of one dispatch; absent: by their run time
 * @param recorded what becomes of the record of its trials
 */
public record Executors(
        String contender,
        String pool,
        ExecutorProgram program,
        Execution execution,
        TaskSource source,
        Optional<Integer> batch,
        Recorded recorded) {

    /** The fate of the record of trials. */
    public enum Recorded {
        /** There is none. */
        NOT,
        /** It stays in the stream. */
        UNREAD,
        /** A program reads it, as fast as it can. */
        READ
    }

    /** More tasks than any worker finishes. */
    private static final TaskSource COUNT = new TaskSource.Count(1_000_000_000L);

    /** Tasks without input that are dispatched one at a time. */
    public Executors(String contender, String pool, ExecutorProgram program, Execution execution, Recorded recorded) {
        this(contender, pool, program, execution, COUNT, Optional.of(1), recorded);
    }

    /** One thread for all slots, as the peers have one process for all jobs. */
    public static Executors oneThread(Lab lab, String contender) throws Exception {
        ExecutorProgram one = NoopExecutor.with(lab, Map.of("QUIVER_BENCH_EXECUTOR", "one"));
        return new Executors(contender, "one", one, Headquarters.NOOP, Recorded.NOT);
    }

    /** The same, whose trials are recorded. */
    public Executors recorded(String itsContender, Recorded how) {
        return new Executors(itsContender, pool, program, execution, source, batch, how);
    }

    /**
     * Three executors. The first has one thread for all slots, as the peers have one process for all jobs: it shows the
     * cost of Quiver alone. The second is the same with the history on. The third has a process for each slot, as the
     * agent has: it adds the kernel's switching between processes.
     */
    static List<Executors> withoutCommands(Lab lab) throws Exception {
        ExecutorProgram one = NoopExecutor.with(lab, Map.of("QUIVER_BENCH_EXECUTOR", "one"));
        ExecutorProgram runners = NoopExecutor.with(lab, Map.of("QUIVER_BENCH_EXECUTOR", "runners"));
        return List.of(
                new Executors(Field.QUIVER, "one", one, Headquarters.NOOP, Recorded.NOT),
                new Executors("quiver, history on", "history", one, Headquarters.NOOP, Recorded.UNREAD),
                new Executors("quiver, process per slot", "runners", runners, Headquarters.NOOP, Recorded.NOT));
    }
}
