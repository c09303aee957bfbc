package dev.quiver.supervisor.execution;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import dev.quiver.lifecycle.execution.RunnableTask;

/**
 * Runs one task in each of its slots. {@link #run}, {@link #cancel}, {@link #acknowledge}, {@link #poll} and {@link
 * #sleep} are called by one thread; events may come from any one thread, in order, also from inside those calls.
 *
 * <p>A slot is free once {@link ExecutorEvent.Free} said so and until {@link #run} took it.
 */
public interface TaskExecutor extends AutoCloseable {

    /** How many slots there are, 1 … 64. */
    int slots();

    /** Begins to report; called once, before anything else. The listener does not block. */
    void start(Consumer<ExecutorEvent> listener);

    /** Reports what happened and was not yet reported; never waits. */
    void poll();

    /**
     * Sleeps until there may be something to {@link #poll} or somebody calls {@link #wake}, at most so long.
     *
     * @param stay asked when no {@code wake} is missed any more: false if there is something to do already
     */
    void sleep(long nanos, BooleanSupplier stay);

    /** Ends the sleep. From any thread; costs next to nothing while nobody sleeps. */
    void wake();

    /** Whether tasks of an earlier process may be {@linkplain ExecutorEvent.Found found} in the slots. */
    default boolean resumed() {
        return false;
    }

    /** The run that the slot was given last, by this process or an earlier one; absent if it never was given one. */
    default Optional<SlotUse> lastUse(int slot) {
        return Optional.empty();
    }

    /** A task with this limit that was found is held from now on as if it had been handed over here. */
    default void adopt(int slot, long token, Optional<Duration> timeLimit) {}

    /** Hands a task over to a free slot. */
    Start run(int slot, RunnableTask task);

    /**
     * Calls a task off: stopped whether it cooperates or not. {@link ExecutorEvent.Gone} follows, or an end crosses.
     */
    void cancel(int slot, long token);

    /** The end was taken note of: the slot may be cleaned; {@link ExecutorEvent.Free} follows. */
    void acknowledge(int slot, long token);

    @Override
    void close();

    /** The outcome of a hand-over. */
    sealed interface Start {
        /**
         * It is on its way.
         *
         * @param token names this use of the slot from now on
         */
        record Running(long token) implements Start {}

        /** The slot takes nothing at present; the task was not started. */
        record Unavailable() implements Start {}

        /**
         * No executor can ever start this: the task has failed.
         *
         * @param reason one PascalCase word
         * @param message names field and value
         */
        record Impossible(String reason, String message) implements Start {}
    }
}
