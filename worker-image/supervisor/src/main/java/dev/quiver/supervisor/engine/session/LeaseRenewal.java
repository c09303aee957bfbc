package dev.quiver.supervisor.engine.session;

import java.util.Collection;
import java.util.List;

import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerState;

/** Renews a session's lease and passes on what Redis says in return. Belongs to the engine's thread. */
final class LeaseRenewal {

    private final WorkerSession session;
    private final SessionNews news;
    private final EngineContext context;
    private final Heartbeat heartbeat;
    private final HeartbeatRotation round = new HeartbeatRotation();

    LeaseRenewal(WorkerSession session, SessionNews news, EngineContext context, long now) {
        this.session = session;
        this.news = news;
        this.context = context;
        this.heartbeat = new Heartbeat(now);
    }

    /** Whether a heartbeat is due. */
    boolean due(long now) {
        return heartbeat.nanosLeft(now, busy()) == 0;
    }

    /** Nanoseconds until a heartbeat will be due. */
    long nanosLeft(long now) {
        return heartbeat.nanosLeft(now, busy());
    }

    /** The registry should learn of a change soon. */
    void hurry(long now) {
        heartbeat.hurry(now);
    }

    /** Sends a heartbeat that asks what has become of these sets, or of some, if they are many. */
    void heartbeat(Collection<Conversation> conversations, WorkerState state, long now) {
        heartbeat.sent(now);
        List<String> sets = round.next(conversations.stream()
                .filter(conversation -> conversation.held() > 0)
                .map(Conversation::uid)
                .toList());
        context.calls().untilAnswered(() -> session.heartbeat(sets, state), news::wanted, this::heartbeatAnswered);
    }

    private boolean busy() {
        return context.permits().taken() > 0;
    }

    private void heartbeatAnswered(WorkerSession.HeartbeatOutcome outcome) {
        heartbeat.answered();
        switch (outcome) {
            case WorkerSession.HeartbeatOutcome.Fenced _ -> news.fenced();
            case WorkerSession.HeartbeatOutcome.Renewed renewed -> {
                renewed.sets().forEach(news::heard);
                news.operatorDrains(renewed.draining());
                if (renewed.poolGone()) {
                    news.poolGone();
                }
                news.poolOf(renewed.workers());
                if (renewed.reapDue()) {
                    news.reapDue();
                }
            }
        }
    }
}
