package dev.quiver.supervisor.engine.session;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.engine.slots.PrefetchQueue;
import dev.quiver.supervisor.engine.slots.ReleaseReason;
import dev.quiver.supervisor.engine.slots.TaskOwner;
import dev.quiver.supervisor.engine.store.Counter;
import dev.quiver.supervisor.execution.TrialResult;

/**
 * Results of the tasks of one source, put down in its conversation, where the next step takes them from. Belongs to the
 * engine's thread.
 */
final class Results implements TaskOwner {

    private static final Logger LOG = LoggerFactory.getLogger(Results.class);

    /** Bytes of an output that are read as its task ends; a larger one stays in its slot until its step. */
    private static final int SMALL = 4096;

    private final Conversation conversation;
    private final String session;
    private final BooleanSupplier wanted;
    private final PrefetchQueue queue;
    private final Consumer<ClaimedTask> unready;
    private final Reports reports;
    private final Listings listings;
    private final Preparations preparations;
    private final EngineContext context;

    /**
     * Results of one conversation.
     *
     * @param wanted false once the session is over
     * @param queue where a task waits whose dispatch ended before its turn
     * @param unready takes such a task that was adopted, and whose input nobody here has read
     * @param reports judge the ends of tasks that report
     * @param listings bring what tasks list
     * @param preparations hear when a slot has a task, and when it is this worker's no more
     */
    Results(
            Conversation conversation,
            String session,
            BooleanSupplier wanted,
            PrefetchQueue queue,
            Consumer<ClaimedTask> unready,
            Reports reports,
            Listings listings,
            Preparations preparations,
            EngineContext context) {
        this.conversation = conversation;
        this.session = session;
        this.wanted = wanted;
        this.queue = queue;
        this.unready = unready;
        this.reports = reports;
        this.listings = listings;
        this.preparations = preparations;
        this.context = context;
    }

    @Override
    public String session() {
        return session;
    }

    @Override
    public boolean starts(ClaimedTask task) {
        return conversation.starts(task.claim().task());
    }

    @Override
    public void runs(ClaimedTask held) {
        preparations.runs(held.claim().task());
    }

    @Override
    public void ended(ClaimedTask held, TrialResult ending, long now) {
        if (held.claim().task().reports() && wanted.getAsBoolean()) {
            reports.judge(held, ending, judged -> settle(held, judged, now));
        } else if (held.claim().task().lists() && wanted.getAsBoolean()) {
            listings.bring(conversation.source(), held, ending, listed -> settle(held, listed, now));
        } else {
            settle(held, ending, now);
        }
    }

    private void settle(ClaimedTask held, TrialResult ending, long now) {
        if (!wanted.getAsBoolean()) {
            LOG.warn(
                    "the result of task {} is refused: its session {} was fenced",
                    held.claim().task().id(),
                    session);
            context.stats().add(Counter.REFUSED);
            context.slots().acknowledge(held);
            held.release(ReleaseReason.REFUSED);
            return;
        }
        // A task that was adopted ran before we knew of it.
        long ran = ending.ran().toNanos();
        conversation.timing().task(Math.max((now - held.sinceNanos()) / held.company(), ran));
        conversation.batch().ran(ran);
        context.stats().ended(conversation.source().label(), ending.kind().label(), ran);
        conversation.batch().together(held.company());
        if (ending.kind() == TrialResult.Kind.PASSED) {
            held.claim()
                    .task()
                    .estimate()
                    .ifPresent(expected -> context.slowness().passed(expected, ending.ran()));
        }
        Supplier<Settlement> settlement = () -> TrialRecords.recorded(
                Settlements.of(held.claim(), ending),
                held,
                ending,
                now,
                context.packs()); // while the slot has the output
        if (ending.kind() == TrialResult.Kind.PASSED
                && held.claim().task().wantsResult()
                && ending.output().bytes() > SMALL) {
            conversation.add(Conversation.Result.unread(held, settlement, Settlements.read(held.claim(), ending), now));
            return;
        }
        Settlement known = settlement.get();
        boolean early = conversation.timing().shortTasks();
        if (early) {
            context.slots().leave(held);
        }
        conversation.add(new Conversation.Result(held, known, !early, now));
    }

    @Override
    public void notBegun(ClaimedTask held, boolean apart, long now) {
        context.slots().acknowledge(held);
        if (apart) {
            held.runApart();
        }
        if (!wanted.getAsBoolean()) {
            held.release(ReleaseReason.REFUSED);
        } else if (held.stopped()) {
            giveBack(held, now);
        } else if (held.claim().task().isReady()) {
            queue.putBack(held, now);
        } else {
            unready.accept(held);
        }
    }

    @Override
    public int batch() {
        return conversation.batch().tasks();
    }

    @Override
    public void gone(ClaimedTask held, boolean started, String message, long now) {
        if (!wanted.getAsBoolean()) {
            held.release(ReleaseReason.REFUSED);
        } else if (held.stopped()) {
            add(held, started ? TrialRecords.stopped(held, now) : new Settlement.Returned(held.claim()), now);
        } else {
            TrialResult ending = Settlements.lost(message);
            add(
                    held,
                    TrialRecords.recorded(
                            Settlements.gone(held.claim(), started, message), held, ending, now, ResultPacks.NONE),
                    now);
        }
    }

    @Override
    public void impossible(ClaimedTask held, String reason, String message, long now) {
        TrialResult ending = TrialResult.notStarted(reason, message);
        add(
                held,
                TrialRecords.recorded(Settlements.of(held.claim(), ending), held, ending, now, ResultPacks.NONE),
                now);
    }

    /** Gives a task back; if its set is over, Redis only forgets that it was held. */
    @Override
    public void giveBack(ClaimedTask held, long now) {
        add(held, new Settlement.Returned(held.claim()), now);
    }

    @Override
    public void breakOff(ClaimedTask held, long now) {
        add(held, TrialRecords.stopped(held, now), now);
    }

    /** Claimed for the queue and running for a while: if this process dies it was lost, not waiting. */
    @Override
    public void moved(ClaimedTask held, long now) {
        add(held, new Settlement.Moved(held.claim(), Place.slot(held.slot(), held.token())), now);
    }

    @Override
    public void turn(long nanos) {
        conversation.timing().turn(nanos);
    }

    @Override
    public void stalled() {
        conversation.timing().stalled();
        conversation.batch().stalled();
    }

    @Override
    public void released(ClaimedTask held) {
        preparations.released(held.claim().task(), System.nanoTime());
        conversation.left();
    }

    private void add(ClaimedTask held, Settlement settlement, long now) {
        conversation.add(new Conversation.Result(held, settlement, false, now));
    }
}
