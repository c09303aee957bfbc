package dev.quiver.lifecycle.execution;

import java.time.Duration;
import java.util.Optional;

/**
 * One trial of a task of any kind of work, with all that an executor and the failure sample need. Immutable; tasks of
 * one source may differ in everything.
 */
public interface RunnableTask {

    /** Names the task in the slots and in logs, unique in the keyspace: {@code source/task}. */
    String id();

    /** The name of a source's task in the slots. */
    static String id(String source, String task) {
        return source + "/" + task;
    }

    /** The name for people; never fails, even if the stored data is unreadable. */
    String name();

    /** This trial's number, from 1. */
    int trial();

    /** Failed trials that end the task; 0 while not known. */
    int maxTrials();

    /** Limit of one trial, from when a slot got the task; absent: none. */
    Optional<Duration> timeLimit();

    /**
     * From its time limit to the end of a process that does not end when it is asked to: at most an hour. Absent: the
     * grace of any command.
     */
    default Optional<Duration> grace() {
        return Optional.empty();
    }

    /** How long it is going to take; absent where nothing tells. */
    default Optional<TaskEstimate> estimate() {
        return Optional.empty();
    }

    /** The handler that a worker must serve to run the task; absent for commands, which every worker runs. */
    Optional<String> handler();

    /** Whether the value that it returns is kept. */
    default boolean wantsResult() {
        return false;
    }

    /** Whether it goes back without a trial when it comes upon a resource that is missing. */
    default boolean mayBeBlocked() {
        return false;
    }

    /** Whether its function may bring tasks beside its result, see {@link Effects}. */
    default boolean takesEffects() {
        return false;
    }

    /** Whether this trial makes the plan of a task that is executed afterwards: the record has it where it ends the task. */
    default boolean plans() {
        return false;
    }

    /** Whether the task is in doubt where this trial may have done what it does and does not pass: it runs alone then. */
    default boolean isUnsure() {
        return false;
    }

    /** Whether this trial is the contingency of a task, which tells whether it was done: its record is as of a plan. */
    default boolean isInDoubt() {
        return false;
    }

    /**
     * Whether what it returns becomes tasks: then its output goes to its source as it is, whatever its size.
     */
    default boolean brings() {
        return false;
    }

    /**
     * Whether an Arrow stream that it returns is kept as it is: then it is the output of its settlement, and no result.
     */
    default boolean keepsArrow() {
        return false;
    }

    /**
     * Whether what it writes is a report of test cases as JUnit XML, by which its end is judged.
     */
    default boolean reports() {
        return false;
    }

    /**
     * Whether what it writes is a list of tasks, a line each: it goes to its source in pages before the task is settled.
     */
    default boolean lists() {
        return false;
    }

    /** Whether it may run at two workers at the same time: then either of them may end it. */
    default boolean speculates() {
        return false;
    }

    /** Where its trials are recorded; absent where they are not. */
    default Optional<RecordedTask> recorded() {
        return Optional.empty();
    }

    /** KiB of each stream that are kept while it runs, since nobody knows yet whether it will pass; 0: none. */
    default int streamKib() {
        return recorded()
                .map(RecordedTask::recording)
                .filter(how -> how.keepsStreams(false))
                .map(Recording::streamKib)
                .orElse(0);
    }

    /** Whether all that its invocation needs was read; else its source reads the rest before the task may run. */
    default boolean isReady() {
        return true;
    }

    /** Bytes of what {@link #dispatched} lets go, about. */
    default long inputBytes() {
        return 0;
    }

    /**
     * The same task once it is in a slot, alone: what its invocation alone needed may be gone, since nobody renders it
     * again. So a task that runs for long takes no room for it.
     */
    default RunnableTask dispatched() {
        return this;
    }

    /**
     * The invocation of the task in this slot.
     *
     * @throws InputTooLargeException when the invocation does not fit into the slot's input
     * @throws IllegalArgumentException when the stored data can never be executed; the message names field and value
     */
    TaskInvocation render(SlotFacts facts);
}
