package dev.quiver.supervisor.execution;

import java.util.List;

/** The reports of a {@link TaskExecutor}. */
public sealed interface ExecutorEvent {

    /** The slot takes a task. */
    record Free(int slot) implements ExecutorEvent {}

    /**
     * A task ended by itself. The slot stays taken until it is acknowledged.
     *
     * @param token what {@link TaskExecutor#run} returned for it
     */
    record Ended(int slot, long token, AttemptResult ending) implements ExecutorEvent {}

    /**
     * A task is gone without a result, because it was called off or its executor died; {@link Free} follows when the
     * slot can be used again.
     *
     * @param started whether a process of it ever ran
     */
    record Gone(int slot, long token, boolean started) implements ExecutorEvent {}

    /**
     * From now on no slot takes a task; tasks that run may still end. Each slot that comes back says {@link Free}.
     *
     * @param why in words, for people
     */
    record Away(String why) implements ExecutorEvent {}

    /**
     * Somebody is there to run tasks; each free slot says {@link Free}.
     *
     * @param found how many {@link Found} follow directly
     */
    record Here(int found) implements ExecutorEvent {

        /** Nothing runs. */
        public Here() {
            this(0);
        }
    }

    /**
     * A slot runs a task, or has its result, that an earlier process handed over. Its end is reported as usual, after
     * this. Take it over by {@link TaskExecutor#adopt}, or call it off.
     *
     * @param token names this use of the slot
     */
    record Found(int slot, long token) implements ExecutorEvent {}

    /**
     * The served handlers have changed; before the first such event none is served.
     *
     * @param names all of them; empty when no handler process serves any more
     */
    record HandlersAnnounced(List<String> names) implements ExecutorEvent {}

    /**
     * The user's side broke the protocol. The slot's task is lost, and the slot is never free again.
     *
     * @param slot the slot, or -1 for all
     * @param message what was found
     */
    record Broken(int slot, String message) implements ExecutorEvent {}
}
