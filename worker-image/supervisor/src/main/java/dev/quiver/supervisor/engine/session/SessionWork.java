package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerPreparation;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerState;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.engine.slots.PrefetchQueue;
import dev.quiver.supervisor.engine.slots.ReleaseReason;
import dev.quiver.supervisor.engine.slots.StopReason;
import dev.quiver.supervisor.engine.store.Counter;
import dev.quiver.supervisor.execution.ExecutorEvent;
import dev.quiver.supervisor.execution.TaskExecutor;

/**
 * Everything that one session answers for: its sources, the prefetch queue, the results that wait. When the session is
 * fenced, its work is over and every fence in it is void. Belongs to the engine's thread unless said otherwise.
 */
public final class SessionWork implements SessionNews, Steps.Session, WorkSearch.Sources, Adoption.Heir {

    private static final Logger LOG = LoggerFactory.getLogger(SessionWork.class);

    /** The engine's part in a session's news. */
    public interface Owner {
        void fenced(SessionWork work);

        void operatorDrains(boolean draining);

        void poolGone(String why);

        /** A tick of the reaper is this caller's turn. */
        void reapDue();

        /** So many supervisors share what their pool does now and then. */
        void poolOf(int supervisors);

        /** The trouble of this pod, for the registry. */
        Optional<String> trouble();

        /** Something that the executor said of a task before it was this session's. */
        void again(ExecutorEvent event);

        /** The handlers that the pod serves besides commands. */
        Handlers handlers();
    }

    private static final Duration MOVE_AFTER = Duration.ofMillis(100);

    private final Conversations conversations;
    private final PrefetchQueue queue = new PrefetchQueue();
    private final HeartbeatRotation turns = new HeartbeatRotation();
    private final WorkerSession session;
    private final EngineContext context;
    private final Owner owner;
    private final Steps steps;
    private final WorkSearch search;
    private final LeaseRenewal renewal;
    private final Unready unready;
    private final Reports reports;
    private final Listings listings;
    private final Attendance attendance;
    private final Preparations preparations;
    private volatile boolean over;

    public SessionWork(WorkerSession session, EngineContext context, Owner owner, long now) {
        this.session = session;
        this.context = context;
        this.owner = owner;
        this.unready = new Unready(this::wanted, queue, context);
        this.reports = new Reports(context);
        this.listings = new Listings(this::wanted, context);
        this.preparations = new Preparations(System::currentTimeMillis, context.log());
        this.conversations = new Conversations(conversation -> new Results(
                conversation,
                session.id(),
                this::wanted,
                queue,
                held -> unready.add(conversation.source(), held),
                reports,
                listings,
                preparations,
                context));
        this.steps = new Steps(this, this, queue, unready, context);
        this.search = new WorkSearch(session, this, this, context);
        this.renewal = new LeaseRenewal(session, this, context, now);
        this.attendance = new Attendance(this::wanted, context, now);
    }

    @Override
    public WorkerSession session() {
        return session;
    }

    public PrefetchQueue queue() {
        return queue;
    }

    @Override
    public boolean wanted() {
        return !over;
    }

    @Override
    public boolean knows(String uid) {
        return conversations.knows(uid);
    }

    /** Results that Redis has not counted and that no call carries. */
    public int unsettled() {
        return conversations.unsettled();
    }

    /**
     * Lets everything act that is due; returns nanoseconds until something will be by time alone.
     *
     * @param claims whether tasks may be claimed
     * @param draining what the registry is told
     */
    public long turn(long now, boolean claims, boolean draining) {
        Optional<Conversation> awaited = claims ? awaited(now) : Optional.empty();
        if (awaited.filter(Conversation::armed).isEmpty()) {
            steps.disarm();
        }
        returnStale(now);
        if (draining) {
            returnWaiting(now); // claims that were under way when the drain began
        }
        feed(now);
        unready.readNext();
        reports.readNext();
        context.slots().acknowledgeLeft();
        conversations
                .clearResting(now)
                .forEach(left -> preparations.left(left.uid()).map(List::of).ifPresent(this::report));
        report(preparations.due(now));
        Conversation claiming = claims ? conversations.claiming().orElse(null) : null;
        context.permits().depth(claiming == null ? 0 : claiming.depth(context.slots()));
        long next = preparations.nanosLeft(now);
        boolean idle = claims && claiming == null;
        for (Conversation conversation : conversations.all()) {
            next = Math.min(next, steps.turn(conversation, conversation == claiming, idle, now));
        }
        awaited.filter(still -> steps.quiet()).ifPresent(steps::arm);
        if (claiming == null) {
            search.turn(claims && context.permits().free() + steps.along() > 0);
        } else {
            next = Math.min(next, search.glance(now));
        }
        next = Math.min(next, attendance.turn(conversations.all(), now));
        return Math.min(Math.min(next, queue.nanosLeft(now)), renew(now, draining));
    }

    /** The set whose token would find us with nothing to do but to claim; absent while there is. */
    private Optional<Conversation> awaited(long now) {
        boolean quiet =
                context.slots().usable() > 0 && steps.quiet() && queue.size() == 0 && conversations.unsettled() == 0;
        return quiet && conversations.claiming().isEmpty() ? conversations.awaited(now) : Optional.empty();
    }

    @Override
    public boolean fires(String uid) {
        return !over && steps.fires(uid);
    }

    @Override
    public void misled() {
        search.misled();
    }

    @Override
    public void fired() {
        steps.disarm();
    }

    /**
     * Sends the reports once: a refusal, for want of memory for example, is not tried again, since nothing waits for
     * them.
     */
    private void report(List<WorkerPreparation> runs) {
        if (runs.isEmpty()) {
            return;
        }
        context.calls()
                .untilAnswered(
                        () -> {
                            tell(runs);
                            return true;
                        },
                        this::wanted,
                        told -> {});
    }

    private void tell(List<WorkerPreparation> runs) {
        try {
            session.prepared(runs);
        } catch (StoreRefusedException refused) {
            if (refused.passing()) {
                throw refused;
            }
        }
    }

    @Override
    public void claimed(Conversation conversation, RunnableTask task, long now) {
        preparations.claimed(conversation.uid(), task, now);
    }

    private long renew(long now, boolean draining) {
        if (renewal.due(now)) {
            tellMoves(now);
            WorkerState state = new WorkerState(
                    context.slots().busy(),
                    draining,
                    owner.handlers().names(),
                    owner.trouble(),
                    context.slowness().speedMilli());
            renewal.heartbeat(conversations.all(), state, now);
        }
        return renewal.nanosLeft(now);
    }

    /** Tasks claimed for the queue that run for a while: if this process dies they were lost, not waiting. */
    private void tellMoves(long now) {
        context.slots().forEach(held -> {
            if (ours(held) && !held.stopped() && held.claimMoveReport(now, MOVE_AFTER.toNanos())) {
                held.owner().moved(held, now);
            }
        });
    }

    private boolean ours(ClaimedTask held) {
        return held.owner().session().equals(session.id());
    }

    /** The registry should learn of a change soon. */
    public void hurryHeartbeat(long now) {
        renewal.hurry(now);
    }

    @Override
    public void poolOf(int supervisors) {
        search.poolOf(supervisors);
        owner.poolOf(supervisors);
    }

    @Override
    public void heard(String uid, WorkerSession.HeartbeatOutcome.SetNews news) {
        conversations.find(uid).ifPresent(conversation -> {
            boolean stops = switch (news) {
                case RUNNING -> conversation.learned(SourceStatus.RUNNING);
                case CLAIMABLE -> {
                    conversation.invited();
                    yield false;
                }
                case SUSPENDED -> conversation.learned(SourceStatus.SUSPENDED);
                case ENDED, GONE -> conversation.learned(SourceStatus.OVER);
            };
            if (stops) {
                stop(conversation);
            }
        });
    }

    @Override
    public List<String> worksAt() {
        return turns.next(conversations.all().stream()
                .filter(conversation -> conversation.held() > 0 && conversation.active() && !conversation.full())
                .map(Conversation::uid)
                .toList());
    }

    @Override
    public Set<String> full() {
        return conversations.all().stream()
                .filter(Conversation::full)
                .map(Conversation::uid)
                .collect(Collectors.toSet());
    }

    @Override
    public boolean isFull(String uid) {
        return conversations.find(uid).filter(Conversation::full).isPresent();
    }

    @Override
    public boolean invited(String uid) {
        Optional<Conversation> conversation = over ? Optional.empty() : conversations.find(uid);
        conversation.ifPresent(Conversation::invited);
        return conversation.isPresent() && conversation.get().claims();
    }

    @Override
    public void invited(String uid, Optional<WorkSource> source) {
        if (over) {
            return;
        }
        conversations
                .find(uid)
                .or(() -> source.map(entered -> conversations.open(entered, owner.handlers())))
                .ifPresent(conversation -> {
                    conversation.invited();
                    conversations.prefer(conversation);
                });
    }

    @Override
    public void adopted(List<Adoption.Adopted> claims, OrphanedTasks.OrphanedTask orphan, long now) {
        List<ClaimedTask> held = new ArrayList<>();
        for (Adoption.Adopted adopted : claims) {
            held.add(adopted == null ? null : joined(adopted, now));
        }
        context.slots().adopt(held, orphan.slot(), orphan.token(), now);
        held.stream()
                .filter(java.util.Objects::nonNull)
                .forEach(task -> task.owner().runs(task));
        orphan.end().ifPresent(owner::again);
    }

    private ClaimedTask joined(Adoption.Adopted adopted, long now) {
        Conversation conversation = conversations.open(adopted.source(), owner.handlers());
        conversation.joined();
        claimed(conversation, adopted.claim().task(), now);
        return new ClaimedTask(
                conversation.owner(), adopted.claim(), context.permits().adopt(), now);
    }

    @Override
    public void lost(Adoption.Adopted adopted, String message, long now) {
        ClaimedTask held = joined(adopted, now);
        held.owner().gone(held, true, message, now);
    }

    /** The served handlers have changed: sets are looked at anew, and the registry learns of it now. */
    public void handlersChanged(long now) {
        steps.disarm();
        conversations.all().forEach(conversation -> conversation.served(owner.handlers()));
        search.afresh();
        hurryHeartbeat(now);
    }

    @Override
    public boolean serves(WorkSource source) {
        return owner.handlers().serve(source.handlers());
    }

    @Override
    public boolean serves(String uid) {
        return conversations.find(uid).map(Conversation::served).orElse(true);
    }

    @Override
    public boolean servesHandlers() {
        return !owner.handlers().names().isEmpty();
    }

    @Override
    public void onlyForOthers(Conversation conversation, long mark) {
        search.onlyForOthers(conversation.uid(), conversation.foundOthers(mark));
    }

    @Override
    public void gaveNothing(Conversation conversation) {
        search.gaveNothing(conversation.uid());
    }

    @Override
    public void outranked(boolean is) {
        search.outranked(is);
    }

    @Override
    public void fruitful() {
        search.fruitful();
    }

    @Override
    public void operatorDrains(boolean draining) {
        owner.operatorDrains(draining);
    }

    @Override
    public void reapDue() {
        owner.reapDue();
    }

    @Override
    public void poolGone() {
        owner.poolGone("the pool's name belongs to another WorkerPool or to none");
    }

    /** Moves waiting tasks into free slots. */
    private void feed(long now) {
        while (queue.oldest().isPresent()) {
            ClaimedTask held = queue.oldest().get();
            if (!held.owner().starts(held)) {
                queue.removeOldest();
                held.owner().giveBack(held, now);
                continue;
            }
            long turn = held.turnOfASlot(context.slots().usable(), now);
            int share = context.slots().share(held.owner().batch(), queue.size());
            Optional<TaskExecutor.Start> start = context.slots().start(queue.oldest(share), now);
            if (start.isEmpty()) {
                return;
            }
            switch (start.get()) {
                case TaskExecutor.Start.Running(long _, int tasks) -> {
                    queue.removeOldest(tasks);
                    held.owner().runs(held);
                    if (turn > 0) {
                        held.owner().turn(turn);
                    }
                }
                case TaskExecutor.Start.Unavailable _ -> {
                    // The next free slot is tried; without one the task waits.
                }
                case TaskExecutor.Start.Impossible(String reason, String message) -> {
                    queue.removeOldest();
                    held.owner().impossible(held, reason, message, now);
                }
            }
        }
    }

    private void returnStale(long now) {
        if (queue.nanosLeft(now) > 0) {
            return;
        }
        queue.oldest().ifPresent(held -> held.owner().stalled());
        returnWaiting(now);
    }

    /** Gives back everything that was not started. */
    public void returnWaiting(long now) {
        steps.disarm();
        queue.take(held -> true).forEach(held -> held.owner().giveBack(held, now));
    }

    @Override
    public void stop(Conversation conversation) {
        long now = System.nanoTime();
        queue.take(held -> held.owner() == conversation.owner())
                .forEach(held -> held.owner().giveBack(held, now));
        int running = context.slots()
                .stop(
                        held -> held.owner() == conversation.owner(),
                        conversation.ended() ? StopReason.RUN_ENDED : StopReason.SUSPENDED);
        if (running > 0) {
            LOG.info(
                    "set {} is {}: {} running tasks are stopped",
                    conversation.uid(),
                    conversation.ended() ? "over" : "suspended",
                    running);
        }
    }

    /** Stops everything; it goes back without using a trial. */
    public void stopAll(long now) {
        returnWaiting(now);
        context.slots().stop(this::ours, StopReason.DRAINED);
    }

    /** Gives back what still runs, without waiting for its end any longer. */
    public void giveUp(long now) {
        context.slots().forEach(held -> {
            if (ours(held)) {
                context.slots().vacate(held.slot(), held.token());
                held.owner().breakOff(held, now);
            }
        });
    }

    @Override
    public void fenced() {
        if (over) {
            return;
        }
        over = true;
        steps.abandon();
        int refused = 0;
        for (Conversation conversation : conversations.all()) {
            for (Conversation.Result result : conversation.take(Integer.MAX_VALUE)) {
                steps.release(result, ReleaseReason.REFUSED);
                refused += result.leaves() ? 1 : 0;
            }
        }
        context.stats().add(Counter.REFUSED, refused);
        queue.take(held -> true).forEach(held -> held.release(ReleaseReason.REFUSED));
        unready.takeAll().forEach(held -> held.release(ReleaseReason.REFUSED));
        Stream.concat(reports.takeWaiting().stream(), listings.takeAll().stream())
                .forEach(held -> {
                    context.slots().acknowledge(held);
                    held.release(ReleaseReason.REFUSED);
                });
        int stopped = context.slots().stop(this::ours, StopReason.FENCED);
        LOG.warn(
                "session {} was fenced: {} results are refused, {} running tasks are stopped",
                session.id(),
                refused,
                stopped);
        owner.fenced(this);
    }

    /** Closes the session; what it still holds is taken back by the reaper. Blocks for two calls at most. */
    public void close() {
        boolean fenced = over;
        over = true;
        List<WorkerPreparation> runs = fenced ? List.of() : preparations.leaveAll();
        if (!runs.isEmpty()) {
            try {
                session.prepared(runs);
            } catch (StoreException away) {
                LOG.debug("the record of {} runs has no end of this worker: {}", runs.size(), away.getMessage());
            }
        }
        session.close();
    }
}
