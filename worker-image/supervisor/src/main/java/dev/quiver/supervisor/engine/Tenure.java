package dev.quiver.supervisor.engine;

import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.taskset.BeatOutcome;
import dev.quiver.lifecycle.taskset.Claim;
import dev.quiver.lifecycle.taskset.ExecutionSpec;
import dev.quiver.lifecycle.taskset.TaskSetStatus;
import dev.quiver.lifecycle.taskset.WorkSession;
import dev.quiver.supervisor.execution.ExecutorEvent;
import dev.quiver.supervisor.execution.TaskExecutor;

/**
 * Everything that one session answers for: its sets, the ring, the results that wait. When the session is condemned the
 * tenure is over and every fence in it is void. Belongs to the engine's thread unless said otherwise.
 */
final class Tenure {

    private static final Logger LOG = LoggerFactory.getLogger(Tenure.class);

    /** What the engine must do about a session's news. */
    interface Owner {
        void condemned(Tenure tenure);

        void operatorDrains(boolean draining);

        void poolGone(String why);

        /** A tick of the reaper is this caller's turn. */
        void reapDue();

        /** So many supervisors share what their pool does now and then. */
        void poolOf(int supervisors);

        /** What the registry should say is wrong with this pod. */
        Optional<String> trouble();

        /** Something that the executor said of a task before it was this session's. */
        void again(ExecutorEvent event);

        /** What the pod serves besides commands. */
        Handlers handlers();
    }

    private final Desks desks = new Desks();
    private final Ring ring = new Ring();
    private final WorkSession session;
    private final Floor floor;
    private final Owner owner;
    private final Results results;
    private final Steps steps;
    private final WorkSearch search;
    private final Renewal renewal;
    private volatile boolean over;

    Tenure(WorkSession session, Floor floor, Owner owner, long now) {
        this.session = session;
        this.floor = floor;
        this.owner = owner;
        this.results = new Results(this, floor);
        this.steps = new Steps(this, floor);
        this.search = new WorkSearch(this, floor);
        this.renewal = new Renewal(this, floor, owner, now);
    }

    WorkSession session() {
        return session;
    }

    Ring ring() {
        return ring;
    }

    Results results() {
        return results;
    }

    /** Whether calls of this session still matter; from any thread. */
    boolean wanted() {
        return !over;
    }

    /** Whether the set has a desk; from any thread. */
    boolean knows(String uid) {
        return desks.knows(uid);
    }

    /** Results that Redis has not counted and that no call carries. */
    int unsettled() {
        return desks.unsettled();
    }

    /**
     * Lets everything act that is due; returns nanoseconds until something will be by time alone.
     *
     * @param claims whether tasks may be claimed
     * @param draining what the registry is told
     */
    long turn(long now, boolean claims, boolean draining) {
        returnStale(now);
        feed(now);
        desks.clearResting(now);
        Desk claiming = claims ? desks.claiming().orElse(null) : null;
        floor.places()
                .depth(
                        claiming == null
                                ? 0
                                : claiming.timing().tasks(floor.slots().usable()));
        long next = Long.MAX_VALUE;
        for (Desk desk : desks.all()) {
            next = Math.min(next, steps.turn(desk, desk == claiming, now));
        }
        if (claiming == null) {
            search.turn(claims && floor.places().free() > 0);
        } else {
            next = Math.min(next, search.glance(now));
        }
        return Math.min(Math.min(next, ring.nanosLeft(now)), renew(now, draining));
    }

    private long renew(long now, boolean draining) {
        if (renewal.due(now)) {
            results.tellMoves(now);
            renewal.beat(desks.all(), now, draining);
        }
        return renewal.nanosLeft(now);
    }

    /** The registry should learn of a change soon. */
    void hurryBeat(long now) {
        renewal.hurry(now);
    }

    /** So many supervisors share what their pool does now and then. */
    void poolOf(int supervisors) {
        search.poolOf(supervisors);
        owner.poolOf(supervisors);
    }

    /** Redis says what became of a set. */
    void heard(String uid, BeatOutcome.SetNews news) {
        desks.find(uid).ifPresent(desk -> {
            boolean stops = switch (news) {
                case RUNNING -> desk.learned(TaskSetStatus.RUNNING);
                case CLAIMABLE -> {
                    desk.invited();
                    yield false;
                }
                case SUSPENDED -> desk.learned(TaskSetStatus.SUSPENDED);
                case ENDED, GONE -> desk.learned(TaskSetStatus.CANCELLED);
            };
            if (stops) {
                stop(desk);
            }
        });
    }

    /** A token named this set: whether it is one of ours, to claim from at once. */
    boolean invited(String uid) {
        Optional<Desk> desk = over ? Optional.empty() : desks.find(uid);
        desk.ifPresent(Desk::invited);
        return desk.isPresent() && desk.get().claims();
    }

    /** The pool's order named this set: claim from it, before the others. */
    void invited(String uid, Optional<ExecutionSpec> spec) {
        if (over) {
            return;
        }
        desks.find(uid)
                .or(() -> spec.map(known -> desks.open(uid, known, owner.handlers())))
                .ifPresent(desk -> {
                    desk.invited();
                    desks.prefer(desk);
                });
    }

    /** A task that the supervisor before had started is this session's now. */
    void adopted(ExecutionSpec spec, Claim claim, Strays.Stray stray, long now) {
        Desk desk = desks.open(claim.uid(), spec, owner.handlers());
        desk.joined();
        Held held = new Held(this, desk, claim, floor.places().adopt(), now);
        floor.slots().adopt(held, stray.slot(), stray.token(), now);
        stray.end().ifPresent(owner::again);
    }

    /** What can be called has changed: sets are looked at anew, and the registry learns of it now. */
    void handlersChanged(long now) {
        desks.all().forEach(desk -> desk.served(owner.handlers()));
        search.afresh();
        hurryBeat(now);
    }

    /** Whether tasks of this set can run in this pod. */
    boolean serves(ExecutionSpec spec) {
        return owner.handlers().serve(spec);
    }

    /** Whether tasks of a set that has a desk can run in this pod; true of any other. */
    boolean serves(String uid) {
        return desks.find(uid).map(Desk::served).orElse(true);
    }

    /** Whether this pod has handlers, as others of its pool may have not. */
    boolean servesHandlers() {
        return !owner.handlers().names().isEmpty();
    }

    /** A claim brought tasks. */
    void fruitful() {
        search.fruitful();
    }

    void operatorDrains(boolean draining) {
        owner.operatorDrains(draining);
    }

    void poolGone() {
        owner.poolGone("the pool's name belongs to another WorkerPool or to none");
    }

    /** Moves waiting tasks into free slots. */
    private void feed(long now) {
        while (ring.oldest().isPresent()) {
            Held held = ring.oldest().get();
            if (!held.desk().starts()) {
                ring.removeOldest();
                results.giveBack(held, now);
                continue;
            }
            long turn = held.turnOfASlot(floor.slots().usable(), now);
            Optional<TaskExecutor.Start> start = floor.slots().start(held, now);
            if (start.isEmpty()) {
                return;
            }
            switch (start.get()) {
                case TaskExecutor.Start.Running _ -> {
                    ring.removeOldest();
                    if (turn > 0) {
                        held.desk().timing().turn(turn);
                    }
                }
                case TaskExecutor.Start.Unavailable _ -> {
                    // The next free slot is tried; without one the task waits.
                }
                case TaskExecutor.Start.Impossible(String reason, String message) -> {
                    ring.removeOldest();
                    results.impossible(held, reason, message, now);
                }
            }
        }
    }

    private void returnStale(long now) {
        if (ring.nanosLeft(now) > 0) {
            return;
        }
        ring.oldest().ifPresent(held -> held.desk().timing().stalled());
        returnWaiting(now);
    }

    /** Gives back everything that was not started. */
    void returnWaiting(long now) {
        ring.take(held -> true).forEach(held -> results.giveBack(held, now));
    }

    /** The set's tasks may not run any more: what waits goes back now, what runs when it has been stopped. */
    void stop(Desk desk) {
        long now = System.nanoTime();
        ring.take(held -> held.desk() == desk).forEach(held -> results.giveBack(held, now));
        int running = floor.slots().stop(held -> held.desk() == desk);
        if (running > 0) {
            LOG.info(
                    "set {} is {}: {} running tasks are stopped",
                    desk.uid(),
                    desk.ended() ? "over" : "suspended",
                    running);
        }
    }

    /** Stops everything; it goes back without using a trial. */
    void stopAll(long now) {
        returnWaiting(now);
        floor.slots().stop(held -> held.tenure() == this);
    }

    /** Gives back what still runs, without waiting for its end any longer. */
    void giveUp(long now) {
        floor.slots().forEach(held -> {
            if (held.tenure() == this) {
                floor.slots().vacate(held.slot(), held.token());
                results.giveBack(held, now);
            }
        });
    }

    /** The session is no more: results are refused, running tasks stopped. */
    void condemned() {
        if (over) {
            return;
        }
        over = true;
        steps.abandon();
        int refused = 0;
        for (Desk desk : desks.all()) {
            for (Desk.Result result : desk.take(Integer.MAX_VALUE)) {
                steps.release(result, ReleaseReason.REFUSED);
                refused += result.leaves() ? 1 : 0;
            }
        }
        floor.stats().add(Counter.REFUSED, refused);
        ring.take(held -> true).forEach(held -> held.release(ReleaseReason.REFUSED));
        int stopped = floor.slots().stop(held -> held.tenure() == this);
        LOG.warn(
                "session {} was condemned: {} results are refused, {} running tasks are stopped",
                session.id(),
                refused,
                stopped);
        owner.condemned(this);
    }

    /** Closes the session; what it still holds is taken back by the reaper. Blocks for one call at most. */
    void close() {
        over = true;
        session.close();
    }
}
