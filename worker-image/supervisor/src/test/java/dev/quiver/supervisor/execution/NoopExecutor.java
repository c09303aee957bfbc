package dev.quiver.supervisor.execution;

import java.time.Duration;
import java.util.function.Consumer;

import dev.quiver.lifecycle.execution.RunnableTask;

/** Ends every task at once as passed: what is left is the engine and Redis. */
public final class NoopExecutor extends TellingExecutor {

    private static final TrialResult PASSED = TrialResult.passed(Duration.ZERO);

    private final int slots;
    private Consumer<ExecutorEvent> listener;
    private long token;

    /** An executor with so many slots. */
    public NoopExecutor(int slots) {
        this.slots = slots;
    }

    @Override
    public int slots() {
        return slots;
    }

    @Override
    public void start(Consumer<ExecutorEvent> events) {
        listener = events;
        listener.accept(new ExecutorEvent.Here());
        for (int slot = 0; slot < slots; slot++) {
            listener.accept(new ExecutorEvent.Free(slot));
        }
    }

    @Override
    public Start run(int slot, RunnableTask task) {
        long mine = ++token;
        listener.accept(new ExecutorEvent.Ended(slot, mine, PASSED));
        return new Start.Running(mine);
    }

    @Override
    public void cancel(int slot, long ofToken) {
        // It has ended already.
    }

    @Override
    public void acknowledge(int slot, long ofToken) {
        listener.accept(new ExecutorEvent.Free(slot));
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
