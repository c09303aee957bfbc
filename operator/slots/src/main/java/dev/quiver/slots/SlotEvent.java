package dev.quiver.slots;

/** What a {@link SlotBoard} reports, in order, from one thread. */
public sealed interface SlotEvent {
    /**
     * An agent connected and its memory is mapped. Followed by one {@link Ready}, {@link Found} or {@link Lost} for each
     * slot.
     *
     * @param agentEpoch differs for each start of an agent
     * @param sameExecutors whether its executors are those known before (only the connection was new)
     */
    record AgentArrived(long agentEpoch, boolean sameExecutors) implements SlotEvent {}

    /** The agent's connection ended. Results of its tasks may still come: the memory is held. */
    record AgentLeft() implements SlotEvent {}

    /** The worker container is ending: running tasks go on, nothing new is started. */
    record AgentDraining() implements SlotEvent {}

    /**
     * The slot is free for a hand-over.
     *
     * @param slot the slot
     */
    record Ready(int slot) implements SlotEvent {}

    /**
     * An attempt ended. The slot, its output and its tails stay as they are until {@link SlotBoard#acknowledge}.
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
     * A slot that this process did not hand over is in use: the supervisor came back to a region that it had left.
     * Cancel it, or take it over; an end is reported as usual.
     *
     * @param slot the slot
     * @param generation its generation
     * @param state what it is doing
     */
    record Found(int slot, long generation, SlotState state) implements SlotEvent {}

    /**
     * The user's side broke a rule. The slot (or all, for a connection) is set aside: no further event comes from it
     * until another executor arrives, and a task that it held must be given up.
     *
     * @param violation what was found
     */
    record Violated(Violation violation) implements SlotEvent {}
}
