package dev.quiver.supervisor.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.quiver.lifecycle.redis.SentCall;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerPreparation;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;
import dev.quiver.lifecycle.worker.WorkerState;
import dev.quiver.supervisor.engine.session.MemorySource;

/**
 * The store's words without a store, so that the engine's own decisions can be tested in an order of our choosing.
 * There are replies that get lost, a session fenced between two calls. The real behaviour of Redis is tested against
 * Redis.
 */
final class MemoryWork implements WorkerSessions {

    private final Map<String, MemorySet> sets = new LinkedHashMap<>();
    private MemorySession session;
    private int sessions;
    private int lostReplies;
    private int passedOn;
    private int adoptions;
    private final List<Duration> endsAsked = new ArrayList<>();
    private Optional<String> containerEnd = Optional.empty();
    private boolean draining;
    private Optional<Function<Collection<RunningTask>, Set<String>>> attendance = Optional.empty();
    private volatile long stepNanos;
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private boolean rings;
    private Optional<CompletableFuture<Optional<String>>> listener = Optional.empty();
    private Thread lastPrepared;
    private WorkerState said = WorkerState.of(0, false);

    synchronized void add(String uid, int tasks) {
        add(uid, tasks, new MemorySet(Optional.empty(), List.of()));
    }

    /** From now on the set stands above those of a lower priority; it has 0 otherwise. */
    synchronized void rank(String uid, int priority) {
        sets.get(uid).priority = priority;
    }

    private Stream<Map.Entry<String, MemorySet>> ready() {
        return sets.entrySet().stream()
                .filter(each -> each.getValue().status == SourceStatus.RUNNING)
                .filter(each -> !each.getValue().queue.isEmpty());
    }

    /** A set of calls of a handler. */
    synchronized void addCalls(String uid, String handler, int tasks) {
        add(uid, tasks, new MemorySet(Optional.of(handler), List.of()));
    }

    /** A set of calls of a handler that wants so many in one dispatch. */
    synchronized void addBatches(String uid, String handler, int batch, int tasks) {
        MemorySet set = new MemorySet(Optional.of(handler), List.of());
        set.batch = Optional.of(batch);
        add(uid, tasks, set);
    }

    /** A queue of calls of these handlers, in turn, as the Tasks of a pool are. */
    synchronized void addMixed(String uid, int tasks, String... handlers) {
        add(uid, tasks, new MemorySet(Optional.empty(), List.of(handlers)));
    }

    private void add(String uid, int tasks, MemorySet set) {
        for (long id = 0; id < tasks; id++) {
            set.queue.add(id);
        }
        set.fed = tasks;
        sets.put(uid, set);
        notifyAll();
    }

    /** Waits for work end by {@link #ring} alone from now on. */
    synchronized void silence() {
        rings = true;
        notifyAll();
    }

    synchronized void feed(String uid) {
        MemorySet set = sets.get(uid);
        set.queue.add((long) set.fed++);
    }

    /** Gives this token to the worker that waits, on the caller's thread as on a connection's; false without one. */
    boolean ring(String token) {
        Optional<CompletableFuture<Optional<String>>> waits;
        synchronized (this) {
            waits = listener;
            listener = Optional.empty();
        }
        return waits.map(wait -> wait.complete(Optional.of(token))).orElse(false);
    }

    /** The thread that prepared the last step. */
    synchronized Thread lastPrepared() {
        return lastPrepared;
    }

    /** The operator has seen how the container ended. */
    synchronized void containerEnds(String words) {
        containerEnd = Optional.of(words);
    }

    /** How far back each question for the operator's word on that looked. */
    synchronized List<Duration> askedForTheEnd() {
        return List.copyOf(endsAsked);
    }

    private synchronized Optional<String> containerEnd(Duration ago) {
        endsAsked.add(ago);
        return containerEnd;
    }

    synchronized void status(String uid, SourceStatus status) {
        sets.get(uid).status = status;
        notifyAll();
    }

    /** Sources that are entered from now on want their running tasks to be attended to; asked says which were called off. */
    synchronized void attend(Function<Collection<RunningTask>, Set<String>> asked) {
        attendance = Optional.of(asked);
    }

    private record Attended(WorkSource plain, Function<Collection<RunningTask>, Set<String>> asked)
            implements WorkSource {

        @Override
        public String id() {
            return plain.id();
        }

        @Override
        public List<String> handlers() {
            return plain.handlers();
        }

        @Override
        public StepCall prepare(StepRequest request) {
            return plain.prepare(request);
        }

        @Override
        public boolean attends() {
            return true;
        }

        @Override
        public Set<String> attend(Collection<RunningTask> running) {
            return asked.apply(running);
        }
    }

    synchronized void drain(boolean flag) {
        draining = flag;
    }

    /** Each step takes so long on its way. */
    void roundTrip(Duration ofAStep) {
        stepNanos = ofAStep.toNanos();
    }

    /** The next replies are lost after the call was done. */
    synchronized void loseReplies(int count) {
        lostReplies = count;
    }

    synchronized void fence() {
        session.fenced = true;
        for (MemorySet set : sets.values()) {
            set.held.keySet().forEach(id -> set.queue.addFirst(Long.valueOf(id)));
            set.held.clear();
        }
        notifyAll();
    }

    synchronized int passed(String uid) {
        return sets.get(uid).passed.size();
    }

    synchronized int failedTrials(String uid) {
        return sets.get(uid).failedTrials;
    }

    synchronized Set<String> lossMessages(String uid) {
        return Set.copyOf(sets.get(uid).lossMessages);
    }

    synchronized int lost(String uid) {
        return sets.get(uid).lost;
    }

    /** The trouble that the last heartbeat told. */
    synchronized Optional<String> trouble() {
        return said.trouble();
    }

    /** The handlers that the last heartbeat told. */
    synchronized List<String> handlers() {
        return said.handlers();
    }

    synchronized int returned(String uid) {
        return sets.get(uid).returned;
    }

    synchronized int queued(String uid) {
        return sets.get(uid).queue.size();
    }

    synchronized int held(String uid) {
        return sets.get(uid).held.size();
    }

    synchronized int mostClaimed(String uid) {
        return sets.get(uid).mostClaimed;
    }

    synchronized int moved(String uid) {
        return sets.get(uid).moved;
    }

    /** Where Redis believes the held tasks to be. */
    synchronized List<Place> places(String uid) {
        return sets.get(uid).held.values().stream().map(Claim::place).toList();
    }

    /** Picks that woke another worker, since there was only work for others. */
    synchronized int passedOn() {
        return passedOn;
    }

    synchronized boolean holdsForSlots(String uid) {
        return sets.get(uid).held.values().stream()
                .noneMatch(claim -> claim.place().isQueued());
    }

    synchronized int adoptions() {
        return adoptions;
    }

    synchronized int sessions() {
        return sessions;
    }

    @Override
    public synchronized WorkerSessions.Outcome open(WorkerIdentity worker, Duration left) {
        if (session != null) {
            session.fenced = true;
        }
        session = new MemorySession("s" + ++sessions);
        return new WorkerSessions.Outcome.Opened(session);
    }

    /** From now on steps and adoptions are done, and their replies come no earlier than {@link #release}. */
    void hold() {
        gate = new CountDownLatch(1);
    }

    /** Replies come again. */
    void release() {
        gate.countDown();
    }

    private void awaitRelease() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized <T> T reply(Supplier<T> done) {
        T answer = done.get();
        if (lostReplies > 0) {
            lostReplies--;
            throw new StoreUnreachableException("the reply was lost", null);
        }
        return answer;
    }

    private final class MemorySession implements WorkerSession {

        private final String id;
        private final Map<String, StepCall> pending = new HashMap<>();
        private long calls;
        private boolean fenced;

        private MemorySession(String id) {
            this.id = id;
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public WorkerSession.PickOutcome pick(Collection<String> own, Collection<String> skipped) {
            return reply(() -> {
                if (fenced) {
                    return new WorkerSession.PickOutcome.Fenced();
                }
                Optional<String> next = ready().map(Map.Entry::getKey)
                        .filter(uid -> !skipped.contains(uid))
                        .min(Comparator.comparingInt((String uid) -> -sets.get(uid).priority)
                                .thenComparingInt(uid -> sets.get(uid).picked));
                next.ifPresent(uid -> sets.get(uid).picked++);
                return next.<WorkerSession.PickOutcome>map(WorkerSession.PickOutcome.Picked::new)
                        .orElseGet(WorkerSession.PickOutcome.Nothing::new);
            });
        }

        @Override
        public Optional<String> containerEnd(Duration ago) {
            return MemoryWork.this.containerEnd(ago);
        }

        @Override
        public void prepared(Collection<WorkerPreparation> runs) {
            // Nobody records here.
        }

        @Override
        public List<Orphan> orphans() {
            return reply(() -> sets.values().stream()
                    .flatMap(set -> set.held.values().stream())
                    .map(claim -> new Orphan(claim.uid(), claim.id(), claim.trial(), claim.place()))
                    .toList());
        }

        @Override
        public List<Claim> adopt(Collection<Takeover> takeovers) {
            List<Claim> all = reply(() -> {
                List<Claim> adopted = new ArrayList<>();
                calls++;
                adoptions++;
                for (MemorySet set : sets.values()) {
                    for (Claim claim : List.copyOf(set.held.values())) {
                        set.held.remove(claim.id());
                        Optional<Takeover> named = takeovers.stream()
                                .filter(each -> each.uid().equals(claim.uid())
                                        && each.id().equals(claim.id()))
                                .findFirst();
                        if (named.filter(each -> !each.place().isQueued()).isPresent()) {
                            Place place = named.get().place();
                            Claim ours = new Claim(claim.uid(), claim.id(), calls, place, claim.task());
                            set.held.put(ours.id(), ours);
                            adopted.add(ours);
                        } else {
                            set.queue.addFirst(Long.valueOf(claim.id()));
                            set.lost += named.isPresent() ? 0 : 1;
                        }
                    }
                }
                return adopted;
            });
            awaitRelease();
            return all;
        }

        @Override
        public Optional<WorkSource> source(String uid) {
            return reply(() -> Optional.ofNullable(sets.get(uid))
                    .map(set -> new MemorySource(uid, set.handler, set.batch, request -> prepare(uid, request)))
                    .map(plain -> attendance
                            .<WorkSource>map(asked -> new Attended(plain, asked))
                            .orElse(plain)));
        }

        private StepCall prepare(String uid, StepRequest request) {
            synchronized (MemoryWork.this) {
                if (pending.containsKey(uid)) {
                    throw new IllegalStateException("a step of " + uid + " is under way");
                }
                MemoryStep step = new MemoryStep(this, uid, request, ++calls);
                pending.put(uid, step);
                lastPrepared = Thread.currentThread();
                return step;
            }
        }

        @Override
        public WorkerSession.HeartbeatOutcome heartbeat(Collection<String> asked, WorkerState state) {
            return reply(() -> {
                if (fenced) {
                    return new WorkerSession.HeartbeatOutcome.Fenced();
                }
                Map<String, WorkerSession.HeartbeatOutcome.SetNews> news = new HashMap<>();
                for (String uid : asked) {
                    MemorySet set = sets.get(uid);
                    news.put(
                            uid,
                            set == null
                                    ? WorkerSession.HeartbeatOutcome.SetNews.GONE
                                    : switch (set.status) {
                                        case RUNNING -> WorkerSession.HeartbeatOutcome.SetNews.RUNNING;
                                        case SUSPENDED -> WorkerSession.HeartbeatOutcome.SetNews.SUSPENDED;
                                        case OVER -> WorkerSession.HeartbeatOutcome.SetNews.ENDED;
                                    });
                }
                said = state;
                return new WorkerSession.HeartbeatOutcome.Renewed(news, draining, false, false, 1);
            });
        }

        @Override
        public Optional<String> awaitWork(Duration atMost) {
            synchronized (MemoryWork.this) {
                try {
                    MemoryWork.this.wait(Math.min(atMost.toMillis(), 50));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return Optional.of("");
            }
        }

        @Override
        public Optional<SentCall<Optional<String>>> sendAwaitWork(Duration atMost) {
            synchronized (MemoryWork.this) {
                if (!rings) {
                    return Optional.empty();
                }
                CompletableFuture<Optional<String>> wait = new CompletableFuture<>();
                listener = Optional.of(wait);
                long never = System.nanoTime() + Duration.ofHours(1).toNanos();
                return Optional.of(SentCall.of(wait, never, () -> {}));
            }
        }

        @Override
        public void passOn() {
            synchronized (MemoryWork.this) {
                passedOn++;
                MemoryWork.this.notifyAll();
            }
        }

        @Override
        public void close() {
            fenced = true;
        }
    }

    private final class MemoryStep implements StepCall {

        private final MemorySession owner;
        private final String uid;
        private final StepRequest request;
        private final long number;
        private StepCall.Outcome done;

        private MemoryStep(MemorySession owner, String uid, StepRequest request, long number) {
            this.owner = owner;
            this.uid = uid;
            this.request = request;
            this.number = number;
        }

        @Override
        public String uid() {
            return uid;
        }

        @Override
        public StepCall.Outcome run() {
            LockSupport.parkNanos(stepNanos);
            StepCall.Outcome outcome = reply(() -> done = done == null ? perform() : done);
            awaitRelease();
            synchronized (MemoryWork.this) {
                owner.pending.remove(uid);
            }
            return outcome;
        }

        private StepCall.Outcome perform() {
            if (owner.fenced) {
                return new StepCall.Outcome.Fenced();
            }
            MemorySet set = sets.get(uid);
            List<StepCall.Verdict> verdicts = request.settlements().stream()
                    .map(settlement -> settle(set, settlement))
                    .toList();
            List<Claim> claims = new ArrayList<>();
            for (Place place : request.places()) {
                Optional<Long> next = set.queue.stream()
                        .filter(id -> set.task(uid, id)
                                .handler()
                                .map(request.served()::contains)
                                .orElse(true))
                        .findFirst();
                if (set.status == SourceStatus.RUNNING && next.isPresent()) {
                    long id = next.get();
                    set.queue.remove(id);
                    Claim claim = new Claim(uid, Long.toString(id), number, place, set.task(uid, id));
                    set.held.put(claim.id(), claim);
                    claims.add(claim);
                }
            }
            set.mostClaimed = Math.max(set.mostClaimed, claims.size());
            boolean outranked = ready().anyMatch(other -> other.getValue().priority > set.priority);
            return new StepCall.Outcome.Done(
                    verdicts,
                    claims,
                    set.status,
                    set.queue.size(),
                    !set.held.isEmpty(),
                    OptionalLong.empty(),
                    outranked,
                    Optional.empty());
        }

        private StepCall.Verdict settle(MemorySet set, Settlement settlement) {
            Claim claim = settlement.claim();
            if (set.status == SourceStatus.OVER) {
                return StepCall.Verdict.VOID;
            }
            if (settlement instanceof Settlement.Moved && set.held.containsKey(claim.id())) {
                set.moved++;
                return StepCall.Verdict.COUNTED;
            }
            if (!set.held.remove(claim.id(), claim)) {
                return StepCall.Verdict.ALREADY;
            }
            switch (settlement) {
                case Settlement.Passed _, Settlement.Pending _ -> set.passed.add(Long.valueOf(claim.id()));
                case Settlement.Failed _ -> {
                    set.failedTrials++;
                    set.troubles.merge(Long.valueOf(claim.id()), 1, Integer::sum);
                    set.queue.addFirst(Long.valueOf(claim.id()));
                    return StepCall.Verdict.RETRIED;
                }
                case Settlement.Lost lost -> {
                    set.lost++;
                    set.lossMessages.add(lost.failure().message());
                    set.troubles.merge(Long.valueOf(claim.id()), 1, Integer::sum);
                    set.queue.addFirst(Long.valueOf(claim.id()));
                    return StepCall.Verdict.RETRIED;
                }
                case Settlement.Returned _ -> {
                    set.returned++;
                    set.queue.addFirst(Long.valueOf(claim.id()));
                }
                case Settlement.Moved _ -> throw new IllegalStateException("handled above");
            }
            return StepCall.Verdict.COUNTED;
        }
    }
}
