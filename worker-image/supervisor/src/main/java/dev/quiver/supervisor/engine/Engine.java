package dev.quiver.supervisor.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;
import dev.quiver.supervisor.engine.session.Adoption;
import dev.quiver.supervisor.engine.session.EngineContext;
import dev.quiver.supervisor.engine.session.Handlers;
import dev.quiver.supervisor.engine.session.ReapRound;
import dev.quiver.supervisor.engine.session.ResultPacks;
import dev.quiver.supervisor.engine.session.SessionOpener;
import dev.quiver.supervisor.engine.session.SessionWork;
import dev.quiver.supervisor.engine.session.Slowness;
import dev.quiver.supervisor.engine.slots.HeldBytes;
import dev.quiver.supervisor.engine.slots.Permits;
import dev.quiver.supervisor.engine.slots.SlotTable;
import dev.quiver.supervisor.engine.store.Counter;
import dev.quiver.supervisor.engine.store.EngineStats;
import dev.quiver.supervisor.engine.store.Mailbox;
import dev.quiver.supervisor.engine.store.StoreCalls;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.ExecutorEvent;
import dev.quiver.supervisor.execution.TaskExecutor;

/**
 * Claims tasks of its pool, runs them in the executor's slots, settles them and keeps the session alive, until it is
 * drained and closed. All of it happens on one thread of its own; the public methods are thread-safe.
 *
 * <p>An unexpected exception ends the thread and stands in {@link EngineStatus#fault}: the process should be replaced,
 * Redis gives its tasks to others.
 */
public final class Engine implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final Duration LONGEST_NAP = Duration.ofSeconds(1);
    private static final Duration PUBLISH_EVERY = Duration.ofMillis(5);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(3);
    private static final int LETTERS_A_TURN = 256;

    private final Mailbox mailbox;
    private final EngineStats stats = new EngineStats();
    private final StoreTrouble trouble;
    private final Permits permits = new Permits();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread = Thread.ofPlatform().name("engine").unstarted(this::loop);
    private final TaskExecutor executor;
    private final ReapRound reapRound;
    private final StoreCalls calls;
    private final SlotTable slots;
    private final HeldBytes memory = HeldBytes.ofHeap();
    private final Slowness slowness = new Slowness();
    private final Adoption adoption;
    private final SessionOpener opener;
    private final ResultPacks packs;
    private final Drain drain;
    private final ContainerEnd containerEnd;
    private final Supplier<byte[]> log;
    private final Owner owner = new Owner();
    private Optional<SessionWork> work = Optional.empty();
    private Optional<String> poolGone = Optional.empty();
    private Optional<String> violation = Optional.empty();
    private Handlers handlers = Handlers.NONE;
    private Optional<String> fault = Optional.empty();
    private boolean changed = true;
    private long publishedAt = System.nanoTime();
    private volatile boolean closing;
    private volatile boolean aborted;
    private volatile EngineStatus status;

    /**
     * An engine that does nothing before {@link #start}.
     *
     * @param sessions where sessions are opened
     * @param reaper driven about once a second while a session is held
     * @param executor where tasks run; started by the engine, closed by the caller after the engine
     * @param trouble told when Redis does not answer, and when it does again
     */
    public Engine(
            WorkerSessions sessions,
            Reaper reaper,
            TaskExecutor executor,
            EngineSettings settings,
            StoreTrouble trouble) {
        this(sessions, reaper, executor, settings, trouble, ResultPacks.NONE);
    }

    /**
     * The same with large results.
     *
     * @param packs takes results that are too large for a row
     */
    public Engine(
            WorkerSessions sessions,
            Reaper reaper,
            TaskExecutor executor,
            EngineSettings settings,
            StoreTrouble trouble,
            ResultPacks packs) {
        this.executor = executor;
        this.packs = packs;
        this.mailbox = new Mailbox(executor::wake);
        this.trouble = trouble;
        this.calls = new StoreCalls(mailbox, trouble, stats, this::failed);
        this.reapRound = new ReapRound(reaper, calls, () -> !closing);
        this.slots = new SlotTable(executor);
        this.adoption = new Adoption(executor, slots, stats);
        this.drain = new Drain(settings.drain());
        this.containerEnd = new ContainerEnd(settings.lossPatience());
        this.log = settings.log();
        this.opener =
                new SessionOpener(sessions, settings.worker(), calls, adoption::left, this::opened, owner::poolGone);
        this.status = snapshot();
    }

    /** Begins. */
    public void start() {
        executor.start(event -> mailbox.post(() -> on(event)));
        thread.start();
    }

    /** The engine's state of a few milliseconds ago; from any thread. */
    public EngineStatus status() {
        return status.with(trouble.message());
    }

    /** The engine's counters; from any thread. */
    public EngineStats stats() {
        return stats;
    }

    /**
     * Takes no more work. Completes when nothing is held any more. Tasks that were not started went back at once.
     * Running tasks have ended, or were stopped and given back when the patience of the settings was over.
     */
    public CompletableFuture<Void> drain(DrainCause cause) {
        mailbox.post(() -> requestDrain(cause));
        return drained.copy();
    }

    /**
     * Waits until the pool is gone and everything is drained, or the engine's thread has ended; false after so long.
     */
    public boolean awaitEnd(Duration atMost) throws InterruptedException {
        return ended.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Closes the session and ends the thread; without a drain before it, what is held counts as lost. */
    @Override
    public void close() {
        mailbox.post(() -> closing = true);
        try {
            thread.join(CLOSE_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        calls.close();
    }

    /** Ends the thread and leaves session and tasks as they are, as a kill would; for tests. */
    void abort() {
        aborted = true;
        close();
    }

    private void loop() {
        try {
            executor.poll();
            while (readLetters()) {
                long nap = Math.min(turn(System.nanoTime()), LONGEST_NAP.toNanos());
                if (nap > 0 && mailbox.isEmpty()) {
                    executor.sleep(nap, mailbox::isEmpty);
                }
                executor.poll();
            }
        } catch (RuntimeException e) {
            failed(e);
        }
        opener.shut();
        status = snapshot();
        if (!aborted) {
            work.ifPresent(SessionWork::close);
        }
        ended.countDown();
    }

    /** Does what was posted, for a bounded time; false when the engine is to end. */
    private boolean readLetters() {
        for (int i = 0; i < LETTERS_A_TURN; i++) {
            Runnable letter = mailbox.poll();
            if (letter == null) {
                break;
            }
            letter.run();
            changed = true;
        }
        return !closing;
    }

    private void failed(RuntimeException e) {
        LOG.error("the engine ends: this process should be replaced", e);
        fault = Optional.of(e.toString());
        closing = true;
        status = snapshot();
        drained.complete(null);
    }

    private long turn(long now) {
        long next = Math.min(drain.nanosLeft(now), calls.turn(now));
        advanceDrain(now);
        permits.slots(slots.usable());
        next = Math.min(next, containerEnd.turn(drain.claims() ? work : Optional.empty(), calls, now));
        if (work.isPresent()) {
            next = Math.min(next, adoption.turn(work.get(), calls, now));
            next = Math.min(next, work.get().turn(now, drain.claims() && adoption.done(), !drain.claims()));
            next = Math.min(next, reapRound.turn(now));
        } else {
            slots.acknowledgeLeft();
            next = drain.claims() ? Math.min(next, opener.turn(now)) : next;
        }
        return Math.min(next, publish(now));
    }

    /**
     * Shows what changed, at most every few milliseconds: at a hundred thousand events a second it would be the work.
     */
    private long publish(long now) {
        long left = changed ? publishedAt + PUBLISH_EVERY.toNanos() - now : Long.MAX_VALUE;
        if (left > 0) {
            return left;
        }
        changed = false;
        publishedAt = now;
        status = snapshot();
        return Long.MAX_VALUE;
    }

    private void advanceDrain(long now) {
        DrainState before = drain.state();
        DrainState state = drain.advance(now, permits.taken());
        if (state == before) {
            return;
        }
        LOG.info("drain: {}", state);
        changed = true;
        switch (state) {
            case SERVING, DRAINING -> {}
            case FORCING -> work.ifPresent(held -> held.stopAll(now));
            case ABANDONING -> work.ifPresent(held -> held.giveUp(now));
            case DRAINED -> {
                work.ifPresent(held -> held.hurryHeartbeat(now));
                announceDrained();
            }
        }
    }

    private void announceDrained() {
        if (drain.state() == DrainState.DRAINED && drain.isFinal()) {
            drained.complete(null);
            if (poolGone.isPresent()) {
                ended.countDown();
            }
        }
    }

    private void requestDrain(DrainCause cause) {
        long now = System.nanoTime();
        if (drain.request(cause, now)) {
            LOG.info("drain: asked for by {}, {} tasks are held", cause, permits.taken());
            work.ifPresent(held -> {
                held.returnWaiting(now);
                held.hurryHeartbeat(now);
            });
        }
        announceDrained();
    }

    private void opened(WorkerSession session) {
        LOG.info("session {} is open", session.id());
        stats.add(Counter.SESSIONS);
        long now = System.nanoTime();
        EngineContext context = new EngineContext(slots, permits, calls, stats, log, memory, packs, slowness);
        SessionWork opened = new SessionWork(session, context, owner, now);
        work = Optional.of(opened);
        adoption.opened(now);
        if (violation.isPresent() || !handlers.names().isEmpty()) {
            opened.hurryHeartbeat(now);
        }
    }

    private void on(ExecutorEvent event) {
        long now = System.nanoTime();
        switch (event) {
            case ExecutorEvent.Free(int slot) -> slots.becameFree(slot);
            case ExecutorEvent.Ended ended -> {
                if (!adoption.keeps(ended.slot(), ended.token(), ended)) {
                    slots.vacate(ended.slot(), ended.token())
                            .ifPresentOrElse(
                                    run -> run.ended(ended.endings(), ended.apart(), now),
                                    () -> adoption.unclaimed(ended));
                }
            }
            case ExecutorEvent.Gone gone -> {
                if (!adoption.keeps(gone.slot(), gone.token(), gone)) {
                    slots.vacate(gone.slot(), gone.token()).ifPresent(run -> containerEnd.took(run, gone, now));
                }
            }
            case ExecutorEvent.Here(int found) -> {
                slots.here();
                adoption.here(found);
            }
            case ExecutorEvent.Found(int slot, long token) -> adoption.found(slot, token);
            case ExecutorEvent.Away(String why) -> {
                slots.away(why);
                containerEnd.left(now);
                work.ifPresent(held -> held.returnWaiting(now));
            }
            case ExecutorEvent.HandlersAnnounced(List<String> names) -> announced(new Handlers(names), now);
            case ExecutorEvent.Broken broken -> broke(broken, now);
        }
    }

    private void announced(Handlers served, long now) {
        if (!served.equals(handlers)) {
            LOG.info("handlers served: {}", served.names().isEmpty() ? "none" : served.names());
            handlers = served;
            work.ifPresent(held -> held.handlersChanged(now));
        }
    }

    private void broke(ExecutorEvent.Broken broken, long now) {
        LOG.error("the user's side broke the protocol of the slots: {}", broken.message());
        stats.add(Counter.VIOLATIONS);
        violation = violation.or(() -> Optional.of(broken.message()));
        work.ifPresent(held -> held.hurryHeartbeat(now));
        int from = broken.slot() < 0 ? 0 : broken.slot();
        int to = broken.slot() < 0 ? executor.slots() : broken.slot() + 1;
        for (int slot = from; slot < to; slot++) {
            adoption.broke(slot);
            slots.broke(slot).ifPresent(run -> run.gone(List.of(), true, true, broken.message(), now));
        }
    }

    private EngineStatus snapshot() {
        return new EngineStatus(
                work.map(held -> held.session().id()),
                work.isPresent() ? Optional.empty() : opener.absence(),
                slots.absence(),
                trouble.message(),
                drain.state(),
                slots.free(),
                slots.busy(),
                work.map(held -> held.queue().size()).orElse(0),
                permits.depth(),
                work.map(SessionWork::unsettled).orElse(0),
                poolGone,
                violation,
                fault);
    }

    /** Acts on the news of a session. */
    private final class Owner implements SessionWork.Owner {

        @Override
        public void fenced(SessionWork fenced) {
            if (work.isPresent() && work.get() == fenced) {
                work = Optional.empty();
                adoption.abandoned();
                Thread.ofVirtual().name("close " + fenced.session().id()).start(fenced::close);
            }
        }

        @Override
        public void operatorDrains(boolean draining) {
            if (draining) {
                requestDrain(DrainCause.OPERATOR);
            } else if (drain.withdraw()) {
                LOG.info("drain: withdrawn by the operator");
            }
        }

        @Override
        public void poolGone(String why) {
            if (poolGone.isEmpty()) {
                LOG.warn("{}", why);
                poolGone = Optional.of(why);
                requestDrain(DrainCause.POOL_GONE);
            }
        }

        @Override
        public void poolOf(int supervisors) {
            reapRound.poolOf(supervisors);
        }

        @Override
        public Optional<String> trouble() {
            return violation;
        }

        @Override
        public void again(ExecutorEvent event) {
            on(event);
        }

        @Override
        public Handlers handlers() {
            return handlers;
        }

        @Override
        public void reapDue() {
            reapRound.hurry(System.nanoTime());
        }
    }
}
