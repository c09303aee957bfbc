package dev.quiver.supervisor.execution;

import java.util.List;

/** The reports of a {@link TaskExecutor}. */
public sealed interface ExecutorEvent {

    /** The slot takes a task. */
    record Free(int slot) implements ExecutorEvent {}

    /**
     * A dispatch ended by itself. The slot stays taken until it is acknowledged.
     *
     * @param token what {@link TaskExecutor#run} returned for it
     * @param endings of its first tasks, in their order; the others were not begun
     * @param apart whether those others ran in one call that failed: each is to be run alone
     */
    record Ended(int slot, long token, List<TrialResult> endings, boolean apart) implements ExecutorEvent {

        /** A dispatch of one task ended by itself. */
        public Ended(int slot, long token, TrialResult ending) {
            this(slot, token, List.of(ending), false);
        }
    }

    /**
     * A dispatch is gone, because it was called off or its executor died; {@link Free} follows when the slot can be
     * used again.
     *
     * @param endings of the first tasks, which had ended before
     * @param started whether a process of the next task ever ran
     * @param whole whether that one and all others ran in one call
     */
    record Gone(int slot, long token, List<TrialResult> endings, boolean started, boolean whole)
            implements ExecutorEvent {

        /** A dispatch of one task is gone without a result. */
        public Gone(int slot, long token, boolean started) {
            this(slot, token, List.of(), started, false);
        }
    }

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

        /** No slot runs a task. */
        public Here() {
            this(0);
        }
    }

    /**
     * A slot runs a task, or has its result, that an earlier process dispatched. Its end is reported as usual, after
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
