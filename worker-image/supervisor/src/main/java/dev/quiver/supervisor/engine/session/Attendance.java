package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.engine.slots.StopReason;
import dev.quiver.supervisor.execution.TaskProgress;

/**
 * Attends to running tasks of sources that want it, twice a second. It reports how far they are, and stops those that
 * were called off while their source runs on. Those are below a node that ended or was suspended, or another worker has
 * finished them. Tasks that are soon over are left alone. Belongs to the engine's thread.
 */
final class Attendance {

    private static final Logger LOG = LoggerFactory.getLogger(Attendance.class);

    /** With the time to stop, tasks below a cancelled node end within a second. */
    private static final Duration INTERVAL = Duration.ofMillis(500);

    private final Set<Conversation> asking = new HashSet<>();
    private final BooleanSupplier wanted;
    private final EngineContext context;
    private long askedAt;

    /** Asks nobody once {@code wanted} is false. */
    Attendance(BooleanSupplier wanted, EngineContext context, long now) {
        this.wanted = wanted;
        this.context = context;
        this.askedAt = now;
    }

    /** Asks about running tasks if it is time to; returns nanoseconds until it is. */
    long turn(Collection<Conversation> conversations, long now) {
        long left = INTERVAL.toNanos() - (now - askedAt);
        long next = Long.MAX_VALUE;
        for (Conversation conversation : conversations) {
            if (conversation.held() > 0 && conversation.source().attends()) {
                next = left > 0 ? left : INTERVAL.toNanos();
                if (left <= 0 && asking.add(conversation)) {
                    ask(conversation, now);
                }
            }
        }
        askedAt = left > 0 ? askedAt : now;
        return next;
    }

    private void ask(Conversation conversation, long now) {
        List<RunningTask> running = new ArrayList<>();
        context.slots().forEach(held -> {
            boolean attended = running.size() < WorkSource.MOST_ATTENDED
                    && held.owner() == conversation.owner()
                    && !held.stopped()
                    && (held.company() == 1 || !conversation.source().speculates())
                    && now - held.sinceNanos() >= INTERVAL.toNanos() / 2;
            if (attended) {
                TaskProgress progress = context.slots().progress(held);
                running.add(new RunningTask(
                        held.claim().id(),
                        progress.done(),
                        progress.total(),
                        TimeUnit.NANOSECONDS.toMillis(now - held.sinceNanos())));
            }
        });
        if (running.isEmpty()) {
            asking.remove(conversation);
            return;
        }
        int slowness = context.slowness().thousandths();
        context.calls()
                .untilAnswered(
                        () -> conversation.source().attend(running, slowness),
                        wanted,
                        calledOff -> answered(conversation, calledOff));
    }

    private void answered(Conversation conversation, Set<String> calledOff) {
        asking.remove(conversation);
        if (!calledOff.isEmpty()) {
            boolean copies = conversation.source().speculates();
            StopReason why = copies ? StopReason.SUPERSEDED : StopReason.CALLED_OFF;
            int stopped = context.slots().stop(held -> isMeant(conversation, calledOff, held), why);
            LOG.info("{} running tasks of {} are stopped: {}", stopped, conversation.uid(), why.sentence());
        }
    }

    private static boolean isMeant(Conversation conversation, Set<String> calledOff, ClaimedTask held) {
        return held.owner() == conversation.owner()
                && calledOff.contains(held.claim().id());
    }
}
