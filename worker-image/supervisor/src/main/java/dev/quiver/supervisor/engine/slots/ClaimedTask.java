package dev.quiver.supervisor.engine.slots;

import java.util.Optional;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.worker.Claim;

/**
 * A claimed task between its claim and its permit's release. Belongs to the engine's thread.
 */
public final class ClaimedTask {

    private final TaskOwner owner;
    private final Claim bare;
    private Claim claim;
    private HeldBytes.Share input; // null where nothing is held of it
    private final Permits.Permit reserved;
    private StopReason stopped; // null while nobody called it off
    private boolean moveTold;
    private long sinceNanos;
    private int ahead;
    private boolean apart;
    private SlotRun run; // null while it waits

    public ClaimedTask(TaskOwner owner, Claim claim, Permits.Permit reserved, long now) {
        this.owner = owner;
        this.bare = claim;
        this.claim = claim;
        this.reserved = reserved;
        this.sinceNanos = now;
    }

    /** The owner, who learns the fate of the task. */
    public TaskOwner owner() {
        return owner;
    }

    public Claim claim() {
        return claim;
    }

    /** The missing parts of its invocation were read: it begins to wait for a slot. */
    public void completed(RunnableTask task, long now) {
        sinceNanos = now;
        claim = with(task);
    }

    private Claim with(RunnableTask task) {
        return task == bare.task() ? bare : bare.with(task);
    }

    /** So much memory is held for its input, until it is dispatched or leaves. */
    public void holds(HeldBytes.Share share) {
        letInputGo();
        input = share;
    }

    private void letInputGo() {
        if (input != null) {
            input.close();
            input = null;
        }
    }

    /** Whether we called it off: then it leaves its slot without a result and goes back. */
    public boolean stopped() {
        return stopped != null;
    }

    /** Why we called it off; absent where we did not. */
    public Optional<StopReason> stopReason() {
        return Optional.ofNullable(stopped);
    }

    void stop(StopReason why) {
        stopped = why;
    }

    /** The slot that has it, or had it last; -1 if none did. */
    public int slot() {
        return run == null ? -1 : run.slot();
    }

    public long token() {
        return run == null ? 0 : run.token();
    }

    /** The use of a slot that it is part of, or was last; null while it waits. */
    public SlotRun run() {
        return run;
    }

    /** How many tasks were dispatched together with it, itself among them. */
    public int company() {
        return run == null ? 1 : run.size();
    }

    /**
     * Whether other tasks may be dispatched together with it. They may not if a trial of it went wrong or was lost, or
     * another worker runs it, too. They may not either if all that it prints is kept, since a call of several tasks prints
     * for all of them. One that must not be done twice is alone as well, or the end of the call would be that of others.
     */
    boolean joins(ClaimedTask other) {
        return owner == other.owner
                && sociable()
                && other.sociable()
                && claim.task().handler().equals(other.claim.task().handler())
                && claim.task().timeLimit().equals(other.claim.task().timeLimit());
    }

    private boolean sociable() {
        return !apart
                && !claim.copy()
                && claim.trial() == 1
                && claim.task().handler().isPresent()
                && claim.task().streamKib() == 0
                && !claim.task().isUnsure();
    }

    /** From now on it runs alone. */
    public void runApart() {
        apart = true;
    }

    /** When it came to where it is: the queue, then the slot. */
    public long sinceNanos() {
        return sinceNanos;
    }

    /** It waits in the queue behind so many others. */
    void queuedBehind(int others) {
        ahead = others;
    }

    /**
     * The nanoseconds that each of {@code slots} slots took for a task of the queue while this one waited. They are
     * known only if it waited for at least one task of each; 0 while not known.
     */
    public long turnOfASlot(int slots, long now) {
        return ahead == 0 || ahead < slots ? 0 : (now - sinceNanos) * slots / ahead;
    }

    /**
     * It is in a slot now, and its input with it. Tasks that were dispatched together and were not begun may come
     * back. They keep what their claims brought, and what was read for them is read again.
     */
    void runs(SlotRun with, long now) {
        run = with;
        sinceNanos = now;
        claim = company() > 1 ? bare : with(bare.task().dispatched());
        if (company() == 1 || !bare.task().isReady()) {
            letInputGo();
        }
    }

    /** It waits again: the dispatch ended before its turn came. */
    void waits(long now) {
        run = null;
        sinceNanos = now;
    }

    /**
     * Whether Redis should learn now that it runs. It was claimed for the queue, and a task in the queue counts as
     * never started if the pod dies. The caller that gets true reports it: it is reported once at most.
     */
    public boolean claimMoveReport(long now, long afterNanos) {
        if (moveTold
                || run == null
                || now - sinceNanos < afterNanos
                || !claim.place().isQueued()) {
            return false;
        }
        moveTold = true;
        return true;
    }

    /** Gives its permit back, exactly once. */
    public void release(ReleaseReason reason) {
        letInputGo();
        owner.released(this);
        reserved.release(reason);
    }
}
