package dev.quiver.supervisor.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.supervisor.engine.session.SessionWork;
import dev.quiver.supervisor.engine.slots.SlotRun;
import dev.quiver.supervisor.engine.store.StoreCalls;
import dev.quiver.supervisor.execution.ExecutorEvent;

/**
 * The tasks that a container took with it. Only the pod's status says why it ended, and the operator reads that a
 * moment later. Tasks that were begun are reported as lost once its word has come, or the patience is over. Belongs to
 * the engine's thread.
 */
final class ContainerEnd {

    private static final String ENDED = "the worker's container, or the agent in it, ended under it";

    /** Where nobody has said why. */
    static final String UNEXPLAINED = ENDED + "; lastState in the pod's status says why";

    private static final Duration ASK_EVERY = Duration.ofMillis(200);

    private record Loss(SlotRun run, ExecutorEvent.Gone gone) {}

    private final Duration patience;
    private List<Loss> losses = new ArrayList<>();
    private Optional<Long> leftAt = Optional.empty();
    private long endedAt;
    private long reportAt;
    private long askAt;
    private boolean asking;

    /**
     * Waits for the operator's word.
     *
     * @param patience how long for, at most; zero: not at all
     */
    ContainerEnd(Duration patience) {
        this.patience = patience;
    }

    /**
     * The container, or the agent in it, is there no more. The tasks that it took with it may be known only when it is
     * back.
     */
    void left(long now) {
        leftAt = Optional.of(now);
    }

    /** A container ended under this use of a slot, or its tasks were called off. */
    void took(SlotRun run, ExecutorEvent.Gone gone, long now) {
        if (patience.isZero() || !gone.started() || run.stopped()) {
            tell(new Loss(run, gone), UNEXPLAINED, now);
            return;
        }
        if (losses.isEmpty()) {
            endedAt = leftAt.orElse(now);
            reportAt = now + patience.toNanos();
            askAt = now;
        }
        losses.add(new Loss(run, gone));
    }

    /**
     * Asks, or reports what has waited for long enough; returns nanoseconds until it will.
     *
     * @param work whose session asks; absent where nobody can, or the pod is ending and has no time to wait
     */
    long turn(Optional<SessionWork> work, StoreCalls calls, long now) {
        if (losses.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long left = reportAt - now;
        if (left <= 0 || work.isEmpty()) {
            report(Optional.empty(), now);
            return Long.MAX_VALUE;
        }
        if (asking || askAt - now > 0) {
            return asking ? left : Math.min(left, askAt - now);
        }
        asking = true;
        SessionWork asked = work.get();
        List<Loss> of = losses;
        long since = endedAt;
        long until = reportAt;
        calls.untilAnswered(
                () -> asked.session().containerEnd(ago(since)),
                () -> until - System.nanoTime() > 0,
                why -> answered(of, why));
        return left;
    }

    /** A container that ends again and again is started again only after minutes. */
    private static Duration ago(long since) {
        return Duration.ofNanos(Math.min(System.nanoTime() - since, WorkerSession.OLDEST_END.toNanos()));
    }

    private void answered(List<Loss> of, Optional<String> why) {
        if (losses != of) {
            return; // reported meanwhile
        }
        asking = false;
        long now = System.nanoTime();
        askAt = now + ASK_EVERY.toNanos();
        if (why.isPresent()) {
            report(why, now);
        }
    }

    private void report(Optional<String> why, long now) {
        List<Loss> all = losses;
        losses = new ArrayList<>();
        asking = false;
        all.forEach(loss -> tell(loss, why.map(words -> ENDED + ": " + words).orElse(UNEXPLAINED), now));
    }

    private static void tell(Loss loss, String message, long now) {
        loss.run()
                .gone(loss.gone().endings(), loss.gone().started(), loss.gone().whole(), message, now);
    }
}
