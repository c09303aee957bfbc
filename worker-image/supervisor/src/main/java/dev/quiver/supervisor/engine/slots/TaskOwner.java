package dev.quiver.supervisor.engine.slots;

import dev.quiver.supervisor.execution.TrialResult;

/**
 * The side that answers to Redis for a claimed task. Queue and slots hold tasks of several sources, and of a session
 * that is over; of each they know only this. Belongs to the engine's thread.
 */
public interface TaskOwner {

    /** The session that claimed. */
    String session();

    /** Whether the task may be started now; otherwise {@linkplain #giveBack give it back}. */
    boolean starts(ClaimedTask task);

    /** A slot has it, and what was dispatched with it. */
    void runs(ClaimedTask task);

    /** It ended by itself. */
    void ended(ClaimedTask task, TrialResult ending, long now);

    /**
     * The dispatch ended before its turn came: it waits for another one.
     *
     * @param apart whether it is to be run alone from now on
     */
    void notBegun(ClaimedTask task, boolean apart, long now);

    /** How many tasks of this owner may be dispatched at once. */
    int batch();

    /** It left its slot without a result. */
    void gone(ClaimedTask task, boolean started, String message, long now);

    /** It can never be started here. */
    void impossible(ClaimedTask task, String reason, String message, long now);

    /** Back to the queue without using a trial: it was not begun. */
    void giveBack(ClaimedTask task, long now);

    /** The same of one that runs, and whose end is not waited for any longer. */
    void breakOff(ClaimedTask task, long now);

    /** It runs where Redis does not know it to be. */
    void moved(ClaimedTask task, long now);

    /** How long a slot takes for a task of the queue. */
    void turn(long nanos);

    /** A task of it waited too long for a slot. */
    void stalled();

    /** It gives its place back: the last that is heard of it. */
    void released(ClaimedTask task);
}
