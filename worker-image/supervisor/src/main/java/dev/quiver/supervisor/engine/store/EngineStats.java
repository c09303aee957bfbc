package dev.quiver.supervisor.engine.store;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/** The engine's counts since it was made. Written by the engine, read from any thread. */
public final class EngineStats {

    private final Map<Counter, LongAdder> counters = new EnumMap<>(Counter.class);
    private volatile TaskListener tasks = (kind, outcome, nanos) -> {};
    private volatile LongConsumer roundTrips = nanos -> {};

    public EngineStats() {
        for (Counter counter : Counter.values()) {
            counters.put(counter, new LongAdder());
        }
    }

    /** The count so far. */
    public long of(Counter counter) {
        return counters.get(counter).sum();
    }

    /** Lets somebody measure each step's round trip, nanoseconds; called on the engine's thread, must not block. */
    public void onRoundTrip(LongConsumer listener) {
        roundTrips = listener;
    }

    /** Hears of each trial that ended. */
    @FunctionalInterface
    public interface TaskListener {
        /**
         * Called on the engine's thread, must not block.
         *
         * @param kind of the task, see {@link dev.quiver.lifecycle.worker.WorkSource#label}
         * @param outcome one of a few words
         * @param nanos from its start to its end; 0 of one that never started
         */
        void ended(String kind, String outcome, long nanos);
    }

    /** Lets somebody measure the time of each trial. */
    public void onTask(TaskListener listener) {
        tasks = listener;
    }

    public void ended(String kind, String outcome, long nanos) {
        tasks.ended(kind, outcome, nanos);
    }

    public void add(Counter counter) {
        counters.get(counter).increment();
    }

    public void add(Counter counter, long count) {
        if (count > 0) {
            counters.get(counter).add(count);
        }
    }

    public void roundTrip(long nanos) {
        roundTrips.accept(nanos);
    }
}
