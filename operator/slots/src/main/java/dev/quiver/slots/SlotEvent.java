package dev.quiver.slots;

import java.util.List;

/** The reports of a {@link SlotBoard}, in order, from one thread. */
public sealed interface SlotEvent {
    /**
     * An agent connected and its memory is mapped. The next events are as many {@link Found} as are said here, then
     * what there is to say about the other slots.
     *
     * @param agentEpoch differs for each start of an agent
     * @param sameExecutors whether its executors are those known before (only the connection was new)
     * @param found how many slots are in use by tasks that this process did not dispatch
     */
    record AgentArrived(long agentEpoch, boolean sameExecutors, int found) implements SlotEvent {}

    /** The agent's connection ended. Results of its tasks may still come: the memory is held. */
    record AgentLeft() implements SlotEvent {}

    /** The worker container is ending: running tasks go on, nothing new is started. */
    record AgentDraining() implements SlotEvent {}

    /**
     * The handlers that can be called from now on have changed. Before the first such event there are none.
     *
     * @param names all of them, at most 64 of at most 128 bytes; empty when no handler process serves any more
     */
    record HandlersAnnounced(List<String> names) implements SlotEvent {}

    /**
     * The slot is free for a dispatch. When another agent arrives this is told again of each slot that was free
     * already. If a task is dispatched to such a slot in between, this comes after the dispatch, and says nothing
     * new.
     *
     * @param slot the slot
     */
    record Ready(int slot) implements SlotEvent {}

    /**
     * The dispatch of several tasks ended: precedes its {@link Finished}, {@link Cancelled} or {@link Lost}. The tasks
     * with an outcome have ended so. After Finished with a failure, and after Lost, that event is about the next one; all
     * others were not begun.
     *
     * @param slot the slot
     * @param generation its generation
     * @param outcomes of the first tasks, in their order
     * @param whole whether one call had taken all the others: a failure is about each of them, or any
     */
    record Outcomes(int slot, long generation, List<Outcome> outcomes, boolean whole) implements SlotEvent {}

    /**
     * A trial ended. The slot, its output and its tails stay as they are until {@link SlotBoard#acknowledge}.
     *
     * @param result how
     */
    record Finished(SlotResult result) implements SlotEvent {}

    /**
     * A task that was called off is gone with all its processes. {@link Ready} follows.
     *
     * @param slot the slot
     * @param generation its generation
     * @param started whether it had been started
     */
    record Cancelled(int slot, long generation, boolean started) implements SlotEvent {}

    /**
     * The executor that held the task is gone, and the task with it. {@link Ready} follows.
     *
     * @param slot the slot
     * @param generation its generation
     * @param started whether it had been started; if not, no trial was used
     */
    record Lost(int slot, long generation, boolean started) implements SlotEvent {}

    /**
     * A slot that this process did not dispatch is in use: the supervisor came back to a region that it had left.
     * Either {@link SlotBoard#cancel} it, or take it over by {@link SlotBoard#adopt}. Its end is reported as usual in
     * both cases, and at once if the state is complete or retry.
     *
     * @param slot the slot
     * @param generation its generation
     * @param state what it is doing: pending, running, complete or retry
     */
    record Found(int slot, long generation, SlotState state) implements SlotEvent {}

    /**
     * The user's side broke a rule. The slot (or all, for a connection) is set aside. No further event comes from it
     * until another executor arrives, and a task that it held must be given up.
     *
     * @param violation what was found
     */
    record Violated(Violation violation) implements SlotEvent {}
}
