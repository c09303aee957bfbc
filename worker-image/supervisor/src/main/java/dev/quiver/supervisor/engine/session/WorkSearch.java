package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.supervisor.engine.store.Counter;

/**
 * Looks for a set to work at while this supervisor is hungry: it has free permits, and no set that it knows has work.
 * It listens to the wake list. It also picks after a token that names no set it knows, and after a change of what it
 * serves. A pick is due at each safety-net tick as well. A supervisor that has work glances at the pool's order, too. A
 * small set therefore need not wait for the end of a large one. Belongs to the engine's thread.
 *
 * <p>A token is passed on if this supervisor is hungry no more, or if this pod cannot serve its sets. Another worker
 * would learn of the work at its next poll only.
 */
final class WorkSearch {

    /** The sources of a session, and what it does about one that was found. */
    interface Sources {

        /** Whether the session works at it; from any thread. */
        boolean knows(String uid);

        /** Those that this session holds tasks of and may start more of; each in its turn, if they are many. */
        List<String> worksAt();

        /** The sets of which this session holds as many tasks as it may. */
        Set<String> full();

        /** Whether that is so of this one. */
        boolean isFull(String uid);

        /** Whether tasks of this source can run in this pod. */
        boolean serves(WorkSource source);

        /** Whether tasks of a source that the session works at can run in this pod; true of any other. */
        boolean serves(String uid);

        /** Whether this pod has handlers, as others of its pool may have not. */
        boolean servesHandlers();

        /** A token named this source: whether it is one of the session's, to claim from at once. */
        boolean invited(String uid);

        /** The pool's order named this source: claim from it, before the others. */
        void invited(String uid, Optional<WorkSource> source);

        /** A token named this source: whether a claim was ready for it and is sent; from any thread. */
        boolean fires(String uid);

        /** A claim that was ready was sent. */
        void fired();
    }

    private static final Logger LOG = LoggerFactory.getLogger(WorkSearch.class);

    /** Picks in a row that brought no task before only a token helps: others may be quicker, not for ever. */
    private static final int PATIENCE = 3;

    /** While a pick is under way its poll may be due already. */
    private static final long SHORTEST_WAIT_NANOS = Duration.ofMillis(50).toNanos();

    /**
     * From one glance before its time to the next. It doubles, up to the time of glances, while all steps are outranked:
     * the source that stands higher is for other pods then.
     */
    private static final long SHORTEST_HURRY_NANOS = Duration.ofMillis(50).toNanos();

    /**
     * A pick's answer.
     *
     * @param readable false for a set that was written by an operator newer than this supervisor
     */
    private record Found(WorkerSession.PickOutcome outcome, Optional<WorkSource> source, boolean readable) {}

    /**
     * The outcome of a wait.
     *
     * @param claimed whether a claim that was ready for the token was sent already
     */
    private record Heard(Optional<String> token, boolean claimed) {}

    private final PollIntervals ticks = new PollIntervals(RandomGenerator.getDefault());
    private final WorkerSession session;
    private final Sources sources;
    private final SessionNews news;
    private final EngineContext context;
    private final PassedOver unserved = new PassedOver();
    private final Set<String> waitsForOthers = new HashSet<>();
    private final WakeToken token = new WakeToken(System.nanoTime());
    private boolean hungry;
    private boolean picking;
    private boolean listening;
    private boolean rangMeanwhile;
    private int fruitless;
    private int supervisors = 1;
    private long pollAt;
    private long glanceAt;
    private boolean outranked;
    private long hurryAt;
    private long hurryNanos = SHORTEST_HURRY_NANOS;

    WorkSearch(WorkerSession session, Sources sources, SessionNews news, EngineContext context) {
        this.session = session;
        this.sources = sources;
        this.news = news;
        this.context = context;
        this.glanceAt = System.nanoTime();
        this.hurryAt = glanceAt;
    }

    /** How many supervisors the pool has: its ticks are shared among them. */
    void poolOf(int size) {
        supervisors = Math.max(1, size);
    }

    /**
     * A claim brought tasks: what other work there is, a token says, which that very step has left. Where there are
     * handlers a pod without them may get that token first, so this one looks once by itself when it goes dry.
     */
    void fruitful() {
        fruitless = sources.servesHandlers() ? PATIENCE - 1 : PATIENCE;
    }

    /** A token's set brought nothing: the token may have stood for another set, too. */
    void misled() {
        fruitless = Math.min(fruitless, PATIENCE - 1);
    }

    /** The served handlers have changed: a set that was passed over may be for this pod now. */
    void afresh() {
        unserved.clear();
        waitsForOthers.clear();
        fruitless = 0;
        rangMeanwhile |= picking; // its answer is older than that
    }

    /**
     * A step found that only tasks for other pods wait in this source. Picks pass over it until a token comes or a poll
     * is due, since the next task there may be one for this pod.
     *
     * @param news whether some of them came since that was found last; then another pod hears of them
     */
    void onlyForOthers(String uid, boolean news) {
        waitsForOthers.add(uid);
        if (token.mayGoOn(System.nanoTime(), news)) {
            token.wentOn(System.nanoTime(), ticks.poll(supervisors));
            passOn();
        }
        fruitless = Math.min(fruitless, PATIENCE - 1);
    }

    /**
     * A step found tasks in this source that nobody is given now: its record is full, say. Picks pass over it until a token
     * comes or a poll is due, so that it hides no other source.
     */
    void gaveNothing(String uid) {
        waitsForOthers.add(uid);
        fruitless = Math.min(fruitless, PATIENCE - 1);
    }

    /** A step says whether a source of a higher priority has work. If so, the next glance is due soon. */
    void outranked(boolean is) {
        outranked |= is;
        if (!is) {
            hurryNanos = SHORTEST_HURRY_NANOS;
        }
    }

    /** Looks, if it is time to and it does not look already. */
    void turn(boolean isHungry) {
        hungry = isHungry;
        if (!hungry) {
            if (token.isTaken() && !picking) {
                token.used();
                passOn();
            }
            return;
        }
        if (!picking && fruitless < PATIENCE) {
            fruitless++;
            pollAt = System.nanoTime() + ticks.poll(supervisors).toNanos();
            pick();
        }
        if (!listening) {
            listen();
        }
    }

    /** Asks whose turn it is, if it is time to; returns nanoseconds until it is. There is work meanwhile. */
    long glance(long now) {
        turn(false);
        if (!picking && glanceAt - now <= 0) {
            glanceAt = now + ticks.glance(supervisors).toNanos();
            waitsForOthers.clear();
            outranked = false;
            pick();
        } else if (!picking && outranked && hurryAt - now <= 0) {
            hurryAt = now + hurryNanos;
            hurryNanos = Math.min(2 * hurryNanos, ticks.glance(supervisors).toNanos());
            outranked = false;
            pick();
        }
        if (picking) {
            return Long.MAX_VALUE;
        }
        return outranked ? Math.min(hurryAt - now, glanceAt - now) : glanceAt - now;
    }

    private void pick() {
        picking = true;
        rangMeanwhile = false;
        context.stats().add(Counter.PICKS);
        Set<String> others = new HashSet<>(waitsForOthers);
        others.addAll(sources.full());
        Set<String> skipped = unserved.uids(others);
        List<String> own = sources.worksAt();
        context.calls().untilAnswered(() -> find(own, skipped), news::wanted, this::found);
    }

    private Found find(List<String> own, Set<String> skipped) {
        WorkerSession.PickOutcome outcome = session.pick(own, skipped);
        if (!(outcome instanceof WorkerSession.PickOutcome.Picked(String uid)) || sources.knows(uid)) {
            return new Found(outcome, Optional.empty(), true);
        }
        try {
            return new Found(outcome, session.source(uid), true);
        } catch (IllegalArgumentException unreadable) {
            LOG.warn("set {} is left to others: {}", uid, unreadable.getMessage());
            return new Found(outcome, Optional.empty(), false);
        }
    }

    private void found(Found found) {
        picking = false;
        switch (found.outcome()) {
            case WorkerSession.PickOutcome.Picked(String uid)
            when !serves(uid, found) -> {
                // Not a fruitless look while the next one passes over more sets than this one did.
                if (unserved.add(uid)) {
                    fruitless = Math.max(0, fruitless - 1);
                }
                token.foundForOthers();
            }
            case WorkerSession.PickOutcome.Picked(String uid) -> {
                token.used();
                sources.invited(uid, found.source());
            }
            case WorkerSession.PickOutcome.Nothing _ when !hungry -> {
                // A glance: there is work here all the same.
            }
            case WorkerSession.PickOutcome.Nothing _
            when rangMeanwhile -> {
                // The token is younger than this answer: one more look.
                fruitless = Math.min(fruitless, PATIENCE - 1);
            }
            case WorkerSession.PickOutcome.Nothing _
            when !unserved.isEmpty() && token.goesOn(System.nanoTime()) -> {
                fruitless = PATIENCE;
                token.wentOn(System.nanoTime(), ticks.poll(supervisors));
                passOn();
            }
            case WorkerSession.PickOutcome.Nothing _ -> {
                fruitless = PATIENCE;
                token.used();
            }
            case WorkerSession.PickOutcome.Draining _ -> news.operatorDrains(true);
            case WorkerSession.PickOutcome.PoolGone _ -> news.poolGone();
            case WorkerSession.PickOutcome.Fenced _ -> news.fenced();
        }
    }

    private boolean serves(String uid, Found found) {
        return found.readable() && found.source().map(sources::serves).orElseGet(() -> sources.serves(uid));
    }

    private void listen() {
        listening = true;
        long nanos = Math.max(SHORTEST_WAIT_NANOS, untilPoll());
        Duration wait = Duration.ofNanos(nanos);
        context.calls()
                .untilAnswered(
                        () -> session.sendAwaitWork(wait).map(call -> call.read(this::claimed)),
                        () -> new Heard(session.awaitWork(wait), false),
                        news::wanted,
                        heard -> !heard.claimed(),
                        this::heard);
    }

    /** On the connection's thread: a claim that is ready goes on its way before anybody else is woken. */
    private Heard claimed(Optional<String> token) {
        return new Heard(token, token.filter(sources::fires).isPresent());
    }

    /** A single wait is cut short by the contract; the next turn waits on until the poll is due. */
    private long untilPoll() {
        return pollAt - System.nanoTime();
    }

    private void heard(Heard heard) {
        listening = false;
        if (heard.claimed()) {
            context.stats().add(Counter.WAKE_UPS);
            sources.fired();
            fruitless = PATIENCE;
        } else if (heard.token().isPresent()) {
            context.stats().add(Counter.WAKE_UPS);
            rang(heard.token().get());
        } else if (untilPoll() <= 0) {
            waitsForOthers.clear();
            fruitless = Math.min(fruitless, PATIENCE - 1);
        }
    }

    private void rang(String uid) {
        waitsForOthers.clear();
        if (!hungry) {
            passOn();
        } else if (sources.isFull(uid)) {
            onlyForOthers(uid, true);
        } else if (sources.invited(uid)) {
            if (context.permits().free() == 0) {
                passOn(); // all that comes free here has asked already
            }
            fruitless = PATIENCE - 1; // should its step bring nothing, the token may have stood for another set, too
        } else {
            token.taken();
            rangMeanwhile = picking;
            fruitless = 0;
        }
    }

    private void passOn() {
        context.calls()
                .untilAnswered(
                        () -> {
                            session.passOn();
                            return true;
                        },
                        news::wanted,
                        done -> {});
    }
}
