package dev.quiver.supervisor.engine;

import dev.quiver.lifecycle.taskset.Claim;
import dev.quiver.lifecycle.taskset.Place;

/**
 * A claimed task between its claim and its place's release. Belongs to the engine's thread.
 */
final class Held {

    private final Tenure tenure;
    private final Desk desk;
    private final Claim claim;
    private final Places.Place reserved;
    private boolean stopped;
    private boolean moveTold;
    private long sinceNanos;
    private int ahead;
    private int slot = -1;
    private long token;

    Held(Tenure tenure, Desk desk, Claim claim, Places.Place reserved, long now) {
        this.tenure = tenure;
        this.desk = desk;
        this.claim = claim;
        this.reserved = reserved;
        this.sinceNanos = now;
    }

    Tenure tenure() {
        return tenure;
    }

    Desk desk() {
        return desk;
    }

    Claim claim() {
        return claim;
    }

    /** Whether we called it off: then it leaves its slot without a result and goes back. */
    boolean stopped() {
        return stopped;
    }

    void stop() {
        stopped = true;
    }

    int slot() {
        return slot;
    }

    long token() {
        return token;
    }

    /** When it came to where it is: the ring, then the slot. */
    long sinceNanos() {
        return sinceNanos;
    }

    /** It waits in the ring behind so many others. */
    void queuedBehind(int others) {
        ahead = others;
    }

    /**
     * How long each of so many slots took for a task of the ring while this one waited, known only of one that waited for
     * at least one of each; nanoseconds, 0 while not known.
     */
    long turnOfASlot(int slots, long now) {
        return ahead < slots ? 0 : (now - sinceNanos) * slots / ahead;
    }

    /** It is in a slot now. */
    void runs(int inSlot, long withToken, long now) {
        slot = inSlot;
        token = withToken;
        sinceNanos = now;
    }

    /**
     * Whether Redis should learn now where it runs: it was claimed for the ring, and what is in the ring when a supervisor
     * dies counts as never started; or it runs in another place than was meant, where a supervisor that is started again
     * would not know it. Who gets true reports it: it is said once at most.
     */
    boolean claimMoveReport(long now, long afterNanos) {
        if (moveTold
                || slot < 0
                || now - sinceNanos < afterNanos
                || claim.place().equals(Place.slot(slot, token))) {
            return false;
        }
        moveTold = true;
        return true;
    }

    /** Gives its place back, exactly once. */
    void release(ReleaseReason reason) {
        desk.left();
        reserved.release(reason);
    }
}
