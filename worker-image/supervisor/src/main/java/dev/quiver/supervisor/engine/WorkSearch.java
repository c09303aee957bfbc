package dev.quiver.supervisor.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.taskset.ExecutionSpec;
import dev.quiver.lifecycle.taskset.PickOutcome;

/**
 * Looks for a set to work at while there are places and no set of ours has work: picks, and when the pool has nothing,
 * listens to the wake list until it rings or the safety-net tick is due. Belongs to the engine's thread.
 *
 * <p>It listens only while hungry: a token taken by a supervisor without a place would be lost for the others.
 */
final class WorkSearch {

    private static final Logger LOG = LoggerFactory.getLogger(WorkSearch.class);

    private enum State {
        READY,
        PICKING,
        LISTENING
    }

    /** Picks in a row that brought no task before it listens again: others may be quicker, not for ever. */
    private static final int PATIENCE = 3;

    private record Found(PickOutcome outcome, Optional<ExecutionSpec> spec, boolean passedOn) {}

    private final Ticks ticks = new Ticks(RandomGenerator.getDefault());
    private final Tenure tenure;
    private final Floor floor;
    private final Unserved unserved = new Unserved();
    private final WakeToken token = new WakeToken(System.nanoTime());
    private State state = State.READY;
    private int fruitless;
    private int supervisors = 1;
    private long pollAt;

    WorkSearch(Tenure tenure, Floor floor) {
        this.tenure = tenure;
        this.floor = floor;
    }

    /** How many supervisors the pool has: its ticks are shared among them. */
    void poolOf(int size) {
        supervisors = Math.max(1, size);
    }

    /** A claim brought tasks: the next pick need not wait. */
    void fruitful() {
        fruitless = 0;
    }

    /** What this pod serves has changed: what it passed over may be for it now. */
    void afresh() {
        unserved.clear();
        fruitless = 0;
    }

    /** Looks, if it is not looking already. */
    void turn() {
        if (state != State.READY) {
            return;
        }
        if (fruitless < PATIENCE) {
            fruitless++;
            pollAt = System.nanoTime() + ticks.poll(supervisors).toNanos();
            pick();
        } else {
            listen();
        }
    }

    private void pick() {
        state = State.PICKING;
        floor.stats().add(Counter.PICKS);
        Set<String> skipped = unserved.uids();
        boolean passOn = !skipped.isEmpty() && token.goesOn(System.nanoTime());
        floor.calls().untilAnswered(() -> find(skipped, passOn), tenure::wanted, this::found);
    }

    private Found find(Set<String> skipped, boolean passOn) {
        PickOutcome outcome = tenure.session().pick(skipped, passOn);
        Optional<ExecutionSpec> spec =
                outcome instanceof PickOutcome.Picked(String uid) && !tenure.knows(uid) ? spec(uid) : Optional.empty();
        return new Found(outcome, spec, passOn && outcome instanceof PickOutcome.Nothing);
    }

    /** What the set executes; absent when it is gone, or was written by an operator newer than this supervisor. */
    private Optional<ExecutionSpec> spec(String uid) {
        try {
            return tenure.session().spec(uid);
        } catch (IllegalArgumentException unreadable) {
            LOG.warn("set {} is left to others: {}", uid, unreadable.getMessage());
            return Optional.empty();
        }
    }

    private void found(Found found) {
        state = State.READY;
        switch (found.outcome()) {
            case PickOutcome.Picked(String uid)
            when !serves(found.spec()) -> {
                // Not a fruitless look while the next one passes over more sets than this one did.
                if (unserved.add(uid)) {
                    fruitless = Math.max(0, fruitless - 1);
                }
                token.foundForOthers();
            }
            case PickOutcome.Picked(String uid) -> {
                token.used();
                tenure.invited(uid, found.spec());
            }
            case PickOutcome.Nothing _ -> {
                fruitless = PATIENCE;
                if (found.passedOn()) {
                    token.wentOn(System.nanoTime(), ticks.poll(supervisors));
                }
                token.used();
            }
            case PickOutcome.Draining _ -> tenure.operatorDrains(true);
            case PickOutcome.PoolGone _ -> tenure.poolGone();
            case PickOutcome.Condemned _ -> tenure.condemned();
        }
    }

    private boolean serves(Optional<ExecutionSpec> spec) {
        return spec.map(tenure::serves).orElse(true);
    }

    private void listen() {
        state = State.LISTENING;
        floor.calls().untilAnswered(() -> tenure.session().awaitWork(untilPoll()), tenure::wanted, this::listened);
    }

    /** A single wait is cut short by the contract; the next turn waits on until the poll is due. */
    private Duration untilPoll() {
        return Duration.ofNanos(Math.max(0, pollAt - System.nanoTime()));
    }

    private void listened(boolean rang) {
        state = State.READY;
        if (rang) {
            fruitless = 0;
            token.taken();
            floor.stats().add(Counter.WAKE_UPS);
        } else if (untilPoll().isZero()) {
            fruitless = PATIENCE - 1;
        }
    }
}
