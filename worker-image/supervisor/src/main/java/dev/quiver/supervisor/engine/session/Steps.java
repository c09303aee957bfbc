package dev.quiver.supervisor.engine.session;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.engine.slots.HeldBytes;
import dev.quiver.supervisor.engine.slots.Permits;
import dev.quiver.supervisor.engine.slots.PrefetchQueue;
import dev.quiver.supervisor.engine.slots.ReleaseReason;
import dev.quiver.supervisor.engine.slots.SlotRun;
import dev.quiver.supervisor.engine.store.Counter;

/**
 * Sends steps: one for each set at a time, settling what waits and claiming what has a place. Belongs to the engine's
 * thread.
 */
final class Steps {

    /** The parts of the session that the answers of steps change. */
    interface Session {

        /** A source gave a task. */
        void claimed(Conversation conversation, RunnableTask task, long now);

        /** A claim brought tasks. */
        void fruitful();

        /** The token of a source brought nothing: it may have stood for another one, too. */
        void misled();

        /** Tasks wait in this source that nobody is given now. */
        void gaveNothing(Conversation conversation);

        /** A step says whether a source of a higher priority has work: the next free slot is for that one then. */
        void outranked(boolean is);

        /** Only tasks of other pods' handlers wait in this source. */
        void onlyForOthers(Conversation conversation, long mark);

        /** The source's tasks may not run any more. */
        void stop(Conversation conversation);
    }

    /** A step without a known outcome; two of them are never equal. */
    private static final class Flight {
        private final Conversation conversation;
        private final List<Conversation.Result> settling;
        private final Permits.Reservation reservation;
        private final List<Place> places;
        /** Places that it asked for along, without a word that there is work. */
        private final int along;

        /** Memory that what it settles takes. */
        private final HeldBytes.Share memory;

        private final boolean armed;
        /** For an armed claim, the thread that sends it writes this before it does. */
        private long sentNanos;

        Flight(
                Conversation conversation,
                List<Conversation.Result> settling,
                Permits.Reservation reservation,
                List<Place> places,
                int along,
                HeldBytes.Share memory,
                long sentNanos) {
            this.conversation = conversation;
            this.settling = settling;
            this.reservation = reservation;
            this.places = places;
            this.along = along;
            this.memory = memory;
            this.armed = sentNanos == 0;
            this.sentNanos = sentNanos;
        }
    }

    /** The contract's bound of one step. */
    private static final int MOST = Math.min(StepCall.MAX_SETTLEMENTS, StepCall.MAX_CLAIMS);

    private final Set<Flight> underWay = new HashSet<>();
    private final Session session;
    private final SessionNews news;
    private final PrefetchQueue queue;
    private final Unready unready;
    private final EngineContext context;
    private Flight armedFlight;
    private volatile ArmedClaim armed;

    /**
     * Sends steps for a session.
     *
     * @param queue where claimed tasks wait for a slot
     * @param unready where they wait for what a claim does not bring
     */
    Steps(Session session, SessionNews news, PrefetchQueue queue, Unready unready, EngineContext context) {
        this.session = session;
        this.news = news;
        this.queue = queue;
        this.unready = unready;
        this.context = context;
    }

    /**
     * Sends a set's next step if it is time; returns nanoseconds until it will be, {@link Long#MAX_VALUE} if only an
     * event can make it so.
     *
     * @param claims whether this set may claim now
     * @param idle whether nothing else has a use for what is free: then a step that settles asks for work along, too
     */
    long turn(Conversation conversation, boolean claims, boolean idle, long now) {
        if (conversation.stepping()) {
            return Long.MAX_VALUE;
        }
        boolean feeding = queue.size() > 0;
        int batch = BatchSize.of(feeding, conversation.timing().roundTripNanos(), MOST);
        int settling = conversation.fitting(batch, context.memory());
        boolean stuck = settling == 0; // another set's outputs are on their way, and their answer comes
        int claimable = claims && conversation.claims() && !context.memory().isFullOfInputs()
                ? Math.min(
                        Math.min(batch, Math.max(0, conversation.room(conversation.leaving(settling)))),
                        context.permits().free(conversation.leaving(settling)))
                : 0;
        StepTiming.When when = StepTiming.decide(new StepTiming.Facts(
                stuck ? 0 : conversation.results(),
                stuck ? 0 : conversation.oldestNanos(now),
                claimable,
                queue.size(),
                context.permits().depth(),
                batch));
        return switch (when) {
            case StepTiming.When.Idle _ -> Long.MAX_VALUE;
            case StepTiming.When.In(long nanos) -> nanos;
            case StepTiming.When.Now _ -> {
                int along = idle && claimable == 0 && conversation.claimsAlong() ? along(conversation, settling) : 0;
                send(conversation, settling, claimable, along, now);
                yield Long.MAX_VALUE;
            }
        };
    }

    /** The slots that the step frees; the rest is for the set that a token names. */
    private int along(Conversation conversation, int settling) {
        int leaving = conversation.leaving(settling);
        int room = Math.max(0, conversation.room(leaving));
        return Math.min(Math.min(leaving, room), context.permits().free(leaving));
    }

    /** Permits that wait for work that nobody has heard of: to be hungry is to have these or free ones. */
    int along() {
        int along = armed == null ? 0 : armedFlight.along;
        for (Flight flight : underWay) {
            along += flight.along;
        }
        return along;
    }

    /** Whether no step is under way, as far as is known. */
    boolean quiet() {
        return underWay.isEmpty();
    }

    /** Readies a claim of this set for the token that may come, with all that is free. */
    void arm(Conversation conversation) {
        int most = Math.min(BatchSize.USUAL, Math.max(0, conversation.room(0)));
        int claimable = Math.min(most, context.permits().free());
        if (armed != null || claimable == 0) {
            return;
        }
        Permits.Reservation reservation = context.permits().reserve(claimable, 0);
        List<Place> places = context.slots().promise(claimable, List.of(), queue.position());
        Flight flight = new Flight(
                conversation,
                List.of(),
                reservation,
                places,
                claimable,
                context.memory().output(0),
                0);
        armedFlight = flight;
        conversation.armed(true);
        armed = new ArmedClaim(
                conversation.source(),
                new StepRequest(List.of(), places, conversation.handlers().names(), pace()),
                call -> fire(flight, call));
    }

    private StepRequest.Pace pace() {
        return context.slowness().pace(context.slots().usable());
    }

    private void fire(Flight flight, StepCall call) {
        flight.sentNanos = System.nanoTime();
        context.calls()
                .untilAnswered(call::sendWhereAwaited, call::run, news::wanted, outcome -> answered(flight, outcome));
    }

    /** A token named a set: sends the claim that was readied for it, if there is one; from any thread. */
    boolean fires(String uid) {
        ArmedClaim ready = armed;
        try {
            return ready != null && ready.fire(uid);
        } catch (RuntimeException fault) {
            context.calls().broke(fault);
            return true;
        }
    }

    /** Takes back the readied claim; one that was sent meanwhile is under way like any other. */
    void disarm() {
        if (armed == null) {
            return;
        }
        armedFlight.conversation.armed(false);
        if (armed.withdraw()) {
            armedFlight.places.forEach(context.slots()::unused);
            armedFlight.reservation.close();
        } else {
            armedFlight.conversation.stepping(true);
            underWay.add(armedFlight);
        }
        armed = null;
        armedFlight = null;
    }

    private void send(Conversation conversation, int settling, int claimable, int along, long now) {
        int leaving = conversation.leaving(settling);
        int asked = claimable + along;
        List<Conversation.Result> taken = conversation.take(settling);
        HeldBytes.Share memory = context.memory()
                .output(taken.stream().mapToLong(Conversation.Result::memory).sum());
        List<Conversation.Result> results =
                taken.stream().map(Conversation.Result::read).toList();
        List<Settlement> settlements = results.stream()
                .map(result -> result.settlement().orElseThrow())
                .toList();
        Permits.Reservation reservation = context.permits().reserve(asked, leaving);
        List<Place> places = context.slots().promise(asked, slotsToBeFree(results), queue.position());
        StepCall call = conversation
                .source()
                .prepare(new StepRequest(
                        settlements, places, conversation.handlers().names(), pace()));
        conversation.stepping(true);
        Flight flight = new Flight(conversation, results, reservation, places, along, memory, now);
        underWay.add(flight);
        context.calls().untilAnswered(call::send, call::run, news::wanted, outcome -> answered(flight, outcome));
    }

    /** Slots that this step's answer frees: tasks that it claims can be meant for them. */
    private static List<SlotRun> slotsToBeFree(List<Conversation.Result> results) {
        Map<SlotRun, Integer> settled = new LinkedHashMap<>();
        for (Conversation.Result result : results) {
            if (result.acknowledge()) {
                settled.merge(result.held().run(), 1, Integer::sum);
            }
        }
        return settled.entrySet().stream()
                .filter(entry -> entry.getValue() == entry.getKey().needed())
                .map(Map.Entry::getKey)
                .toList();
    }

    private void answered(Flight flight, StepCall.Outcome outcome) {
        if (flight == armedFlight) {
            disarm();
        }
        if (!underWay.remove(flight)) {
            return;
        }
        long now = System.nanoTime();
        flight.memory.close();
        flight.conversation.stepping(false);
        flight.places.forEach(context.slots()::unused);
        context.stats().add(Counter.STEPS);
        context.stats().roundTrip(now - flight.sentNanos);
        try (Permits.Reservation reservation = flight.reservation) {
            switch (outcome) {
                case StepCall.Outcome.Done done -> {
                    flight.conversation.timing().roundTrip(now - flight.sentNanos);
                    settled(flight.settling, done.verdicts());
                    claimed(flight.conversation, done.claims(), reservation, now);
                    boolean fruitless =
                            !flight.places.isEmpty() && done.claims().isEmpty();
                    if (fruitless && flight.armed) {
                        session.misled();
                    }
                    if (fruitless && done.claimable() > 0 && done.others().isEmpty()) {
                        session.gaveNothing(flight.conversation);
                    }
                    done.others().ifPresent(mark -> session.onlyForOthers(flight.conversation, mark));
                    session.outranked(done.outranked());
                    done.rest().ifPresent(this::finish);
                    if (flight.conversation.learned(done.status(), done.claimable(), done.member(), fruitless)) {
                        session.stop(flight.conversation);
                    }
                }
                case StepCall.Outcome.Gone _ -> {
                    for (Conversation.Result result : flight.settling) {
                        context.stats().add(Counter.CANCELLED, result.leaves() ? 1 : 0);
                        release(result, ReleaseReason.CANCELLED);
                    }
                    flight.conversation.learned(SourceStatus.OVER);
                    session.stop(flight.conversation);
                }
                case StepCall.Outcome.Fenced _ -> {
                    flight.settling.forEach(flight.conversation::add);
                    news.fenced();
                }
            }
        }
    }

    /** Does the rest of a step off this thread, while another step may be under way. */
    private void finish(Runnable rest) {
        context.calls()
                .untilAnswered(
                        () -> {
                            rest.run();
                            return true;
                        },
                        news::wanted,
                        done -> {});
    }

    /** The session is over: what calls without an answer had taken is given back, and their answers are ignored. */
    void abandon() {
        disarm();
        for (Flight flight : underWay) {
            flight.places.forEach(context.slots()::unused);
            flight.settling.forEach(flight.conversation::add);
            flight.reservation.close();
            flight.memory.close();
        }
        underWay.clear();
    }

    private void settled(List<Conversation.Result> results, List<StepCall.Verdict> verdicts) {
        for (int i = 0; i < results.size(); i++) {
            StepCall.Verdict verdict = verdicts.get(i);
            Conversation.Result result = results.get(i);
            if (result.leaves()) {
                context.stats().add(counter(result.settlement().orElseThrow(), verdict));
            }
            release(
                    result,
                    verdict == StepCall.Verdict.VOID
                            ? ReleaseReason.CANCELLED
                            : released(result.settlement().orElseThrow()));
        }
    }

    private void claimed(Conversation conversation, List<Claim> claims, Permits.Reservation reservation, long now) {
        context.stats().add(Counter.CLAIMED, claims.size());
        if (!claims.isEmpty()) {
            session.fruitful();
        }
        for (Claim claim : claims) {
            session.claimed(conversation, claim.task(), now);
            conversation.joined();
            ClaimedTask held = new ClaimedTask(conversation.owner(), claim, reservation.take(), now);
            if (claim.task().isReady()) {
                held.holds(
                        context.memory().input(HeldBytes.OF_INPUT * claim.task().inputBytes()));
                queue.add(held);
            } else {
                unready.add(conversation.source(), held);
            }
        }
    }

    /** Ends a result's stay: its slot is cleaned, its place is free. */
    void release(Conversation.Result result, ReleaseReason reason) {
        if (!result.leaves()) {
            return;
        }
        if (result.acknowledge()) {
            context.slots().acknowledge(result.held());
        }
        result.held().release(reason);
    }

    private static ReleaseReason released(Settlement settlement) {
        return settlement instanceof Settlement.Returned ? ReleaseReason.GIVEN_BACK : ReleaseReason.SETTLED;
    }

    private static Counter counter(Settlement settlement, StepCall.Verdict verdict) {
        return switch (verdict) {
            case VOID -> Counter.CANCELLED;
            case ALREADY -> Counter.ALREADY;
            case RETRIED, COUNTED ->
                switch (settlement) {
                    case Settlement.Passed _, Settlement.Pending _ -> Counter.PASSED;
                    case Settlement.Failed _ -> Counter.FAILED;
                    case Settlement.Lost _ -> Counter.LOST;
                    case Settlement.Returned _, Settlement.Moved _ -> Counter.RETURNED;
                };
        };
    }
}
