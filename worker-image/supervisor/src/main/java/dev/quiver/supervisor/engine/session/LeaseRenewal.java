package dev.quiver.supervisor.engine.session;

import java.util.Collection;
import java.util.List;

import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerState;

/** Renews a session's lease and passes on what Redis says in return. Belongs to the engine's thread. */
final class LeaseRenewal {

    private final SessionWork tenure;
    private final WorkerSession session;
    private final EngineContext floor;
    private final SessionWork.Owner owner;
    private final Heartbeat heartbeat;
    private final BeatRotation round = new BeatRotation();

    LeaseRenewal(SessionWork tenure, EngineContext floor, SessionWork.Owner owner, long now) {
        this.tenure = tenure;
        this.session = tenure.session();
        this.floor = floor;
        this.owner = owner;
        this.heartbeat = new Heartbeat(now);
    }

    /** Whether a beat is due. */
    boolean due(long now) {
        return heartbeat.nanosLeft(now, busy()) == 0;
    }

    /** Nanoseconds until a beat will be due. */
    long nanosLeft(long now) {
        return heartbeat.nanosLeft(now, busy());
    }

    /** The registry should learn of a change soon. */
    void hurry(long now) {
        heartbeat.hurry(now);
    }

    /** Sends a beat that asks what has become of these sets, or of some, if they are many. */
    void beat(Collection<Conversation> desks, long now, boolean draining) {
        heartbeat.sent(now);
        List<String> sets = round.next(desks.stream()
                .filter(desk -> desk.held() > 0)
                .map(Conversation::uid)
                .toList());
        WorkerState state =
                new WorkerState(floor.slots().busy(), draining, owner.handlers().names(), owner.trouble());
        floor.calls().untilAnswered(() -> session.beat(sets, state), tenure::wanted, this::beaten);
    }

    private boolean busy() {
        return floor.places().taken() > 0;
    }

    private void beaten(WorkerSession.BeatOutcome outcome) {
        heartbeat.answered();
        switch (outcome) {
            case WorkerSession.BeatOutcome.Condemned _ -> tenure.condemned();
            case WorkerSession.BeatOutcome.Renewed renewed -> {
                renewed.sets().forEach(tenure::heard);
                owner.operatorDrains(renewed.draining());
                if (renewed.poolGone()) {
                    tenure.poolGone();
                }
                tenure.poolOf(renewed.workers());
                if (renewed.reapDue()) {
                    owner.reapDue();
                }
            }
        }
    }
}
