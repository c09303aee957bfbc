package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;
import dev.quiver.supervisor.engine.store.StoreCalls;

/** Asks for a session until there is one, and says why there is none. Belongs to the engine's thread. */
public final class SessionOpener {

    private static final Logger LOG = LoggerFactory.getLogger(SessionOpener.class);
    private static final Duration ASK_AGAIN = Duration.ofSeconds(1);

    private final WorkerSessions sessions;
    private final WorkerIdentity worker;
    private final StoreCalls calls;
    private final Supplier<Duration> left;
    private final Consumer<WorkerSession> onOpened;
    private final Consumer<String> onPoolGone;
    private String absence = "no session has been opened yet";
    private boolean asking;
    private boolean shut;
    private long askAt;

    public SessionOpener(
            WorkerSessions sessions,
            WorkerIdentity worker,
            StoreCalls calls,
            Supplier<Duration> left,
            Consumer<WorkerSession> onOpened,
            Consumer<String> onPoolGone) {
        this.sessions = sessions;
        this.worker = worker;
        this.calls = calls;
        this.left = left;
        this.onOpened = onOpened;
        this.onPoolGone = onPoolGone;
        this.askAt = System.nanoTime();
    }

    /** Why there is no session; meaningless while there is one. */
    public Optional<String> absence() {
        return Optional.of(absence);
    }

    /** Asks if it is time; returns nanoseconds until it will be. Not called while a session is held. */
    public long turn(long now) {
        if (asking || shut) {
            return Long.MAX_VALUE;
        }
        if (askAt - now > 0) {
            return askAt - now;
        }
        asking = true;
        Duration leave = left.get();
        calls.untilAnswered(() -> sessions.open(worker, leave), () -> !shut, this::answered);
        return Long.MAX_VALUE;
    }

    private void answered(WorkerSessions.Outcome outcome) {
        asking = false;
        switch (outcome) {
            case WorkerSessions.Outcome.Opened(WorkerSession session) -> onOpened.accept(session);
            case WorkerSessions.Outcome.PoolUnknown _ -> wait("pool " + worker.pool() + " is not known in Redis yet");
            case WorkerSessions.Outcome.PoolFull _ ->
                wait("pool " + worker.pool()
                        + " already has 4,096 worker sessions, the most allowed; waiting for one to end");
            case WorkerSessions.Outcome.PoolReplaced _ -> {
                shut = true;
                // Anybody may read these words, and its uid is all it takes to drain the other pool.
                absence = "pool " + worker.pool() + " belongs to another WorkerPool";
                onPoolGone.accept(absence);
            }
        }
    }

    private void wait(String why) {
        if (!why.equals(absence)) {
            LOG.warn("no session: {}", why);
        }
        absence = why;
        askAt = System.nanoTime() + ASK_AGAIN.toNanos();
    }

    /** No session is wanted any more. */
    public void shut() {
        shut = true;
    }
}
