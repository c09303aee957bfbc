package dev.quiver.supervisor.execution;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import dev.quiver.lifecycle.execution.RunnableTask;

/** Each task runs for as long as the test says, then passes or fails. Thread-safe. */
public final class TimedExecutor extends TellingExecutor {

    /** How long a task runs that never ends. */
    public static final Duration FOR_EVER = Duration.ofDays(1);

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final Map<Integer, Long> tokens = new HashMap<>();
    private final Map<String, Integer> started = new ConcurrentHashMap<>();
    private final int slots;
    private final Function<RunnableTask, Duration> lengths;
    private final Predicate<RunnableTask> failing;
    private Consumer<ExecutorEvent> listener;

    /** An executor with so many slots whose tasks take that long, and which of them fail. */
    public TimedExecutor(int slots, Function<RunnableTask, Duration> lengths, Predicate<RunnableTask> failing) {
        this.slots = slots;
        this.lengths = lengths;
        this.failing = failing;
    }

    /** How many runs of the set's tasks were started. */
    public int started(String uid) {
        return started.getOrDefault(uid, 0);
    }

    private static String source(RunnableTask task) {
        return task.id().substring(0, task.id().indexOf('/'));
    }

    @Override
    public int slots() {
        return slots;
    }

    @Override
    public synchronized void start(Consumer<ExecutorEvent> events) {
        listener = events;
        listener.accept(new ExecutorEvent.Here());
        for (int slot = 0; slot < slots; slot++) {
            listener.accept(new ExecutorEvent.Free(slot));
        }
    }

    @Override
    public synchronized Start run(int slot, RunnableTask task) {
        long token = tokens.merge(slot, 1L, Long::sum);
        started.merge(source(task), 1, Integer::sum);
        Duration length = lengths.apply(task);
        TrialResult ending = failing.test(task)
                ? new TrialResult(TrialResult.Kind.FAILED, 1, 0, "NonZeroExit", "it always fails", length)
                : TrialResult.passed(length);
        clock.schedule(() -> end(slot, token, ending), length.toMillis(), TimeUnit.MILLISECONDS);
        return new Start.Running(token);
    }

    private synchronized void end(int slot, long token, TrialResult ending) {
        if (tokens.get(slot) == token) {
            listener.accept(new ExecutorEvent.Ended(slot, token, ending));
        }
    }

    @Override
    public synchronized void cancel(int slot, long token) {
        if (tokens.get(slot) == token) {
            tokens.merge(slot, 1L, Long::sum); // what would end later is of another use
            listener.accept(new ExecutorEvent.Gone(slot, token, true));
            listener.accept(new ExecutorEvent.Free(slot));
        }
    }

    @Override
    public synchronized void acknowledge(int slot, long token) {
        listener.accept(new ExecutorEvent.Free(slot));
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
