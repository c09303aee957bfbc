package dev.quiver.supervisor.engine.slots;

import dev.quiver.lifecycle.worker.Claim;

/**
 * A claimed task between its claim and its permit's release. Belongs to the engine's thread.
 */
public final class ClaimedTask {

    private final TaskOwner owner;
    private final Claim claim;
    private final Permits.Permit reserved;
    private boolean stopped;
    private boolean moveTold;
    private long sinceNanos;
    private int ahead;
    private int slot = -1;
    private long token;

    public ClaimedTask(TaskOwner owner, Claim claim, Permits.Permit reserved, long now) {
        this.owner = owner;
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

    /** Whether we called it off: then it leaves its slot without a result and goes back. */
    public boolean stopped() {
        return stopped;
    }

    void stop() {
        stopped = true;
    }

    public int slot() {
        return slot;
    }

    public long token() {
        return token;
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
     * How long each of so many slots took for a task of the queue while this one waited, known only of one that waited
     * for at least one of each; nanoseconds, 0 while not known.
     */
    public long turnOfASlot(int slots, long now) {
        return ahead < slots ? 0 : (now - sinceNanos) * slots / ahead;
    }

    /** It is in a slot now. */
    void runs(int inSlot, long withToken, long now) {
        slot = inSlot;
        token = withToken;
        sinceNanos = now;
    }

    /**
     * Whether Redis should learn now that it runs: it was claimed for the queue, and what is in the queue when a pod
     * dies counts as never started. The caller that gets true reports it: it is reported once at most.
     */
    public boolean claimMoveReport(long now, long afterNanos) {
        if (moveTold
                || slot < 0
                || now - sinceNanos < afterNanos
                || !claim.place().isQueued()) {
            return false;
        }
        moveTold = true;
        return true;
    }

    /** Gives its permit back, exactly once. */
    public void release(ReleaseReason reason) {
        owner.released(this);
        reserved.release(reason);
    }
}
