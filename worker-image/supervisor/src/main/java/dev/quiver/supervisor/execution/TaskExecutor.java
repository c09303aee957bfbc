package dev.quiver.supervisor.execution;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import dev.quiver.lifecycle.execution.RunnableTask;

/**
 * Runs tasks in its slots, in each one at a time. {@link #run}, {@link #cancel}, {@link #acknowledge}, {@link #poll} and {@link
 * #sleep} are called by one thread; events may come from any one thread, in order, also from inside those calls.
 *
 * <p>A slot is free once {@link ExecutorEvent.Free} said so and until {@link #run} took it.
 */
public interface TaskExecutor extends AutoCloseable {

    /** The most tasks of one dispatch. */
    int MOST_AT_ONCE = 64;

    /** How many slots there are, 1 … 64. */
    int slots();

    /** Bytes that the input of a slot takes at most; no task with a larger one can be run. */
    long inputBytes();

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

    /** The last task that the slot was given, by this process or an earlier one; absent if it never was given any. */
    default Optional<SlotUse> lastUse(int slot) {
        return Optional.empty();
    }

    /** A task with this limit that was found is held from now on as if it had been dispatched here. */
    default void adopt(int slot, long token, Optional<Duration> timeLimit) {}

    /**
     * Whether this use of the slot has passed and the next task may be dispatched without {@link #acknowledge}, which the
     * dispatch then is. Until one of the two, the end counts as not taken note of.
     */
    default boolean takesNext(int slot, long token) {
        return false;
    }

    /** How far the only task of this use of the slot is, by its own account; absent while nothing runs. */
    default Optional<TaskProgress> progress(int slot, long token) {
        return Optional.empty();
    }

    /** Hands a task over to a free slot, or to one that {@linkplain #takesNext takes the next}. */
    Start run(int slot, RunnableTask task);

    /** Whether {@link #run(int, List)} may take more than one task in this slot now. */
    default boolean takesBatches(int slot) {
        return false;
    }

    /**
     * Hands calls of handlers over to a free slot, which runs one after the other. Takes as many as it can, at least the
     * first: any outcome but {@link Start.Running} is about that one. All have the time limit of the first.
     *
     * @param tasks one or more, at most {@value #MOST_AT_ONCE}
     */
    default Start run(int slot, List<RunnableTask> tasks) {
        return run(slot, tasks.getFirst());
    }

    /**
     * Calls a task off: stopped whether it cooperates or not. {@link ExecutorEvent.Gone} follows, or an end crosses.
     */
    void cancel(int slot, long token);

    /** The end was taken note of: the slot may be cleaned; {@link ExecutorEvent.Free} follows. */
    void acknowledge(int slot, long token);

    @Override
    void close();

    /** The outcome of a dispatch. */
    sealed interface Start {
        /**
         * They are on their way.
         *
         * @param token names this use of the slot from now on
         * @param tasks how many of those offered, in their order
         */
        record Running(long token, int tasks) implements Start {

            /** A single task is on its way. */
            public Running(long token) {
                this(token, 1);
            }
        }

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
