package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.ordinals.OrdinalFeed;
import dev.quiver.lifecycle.ordinals.OrdinalScripts;
import dev.quiver.lifecycle.redis.LossyProxy;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** One random life of a TaskSet; the same seed gives the same life. */
final class RandomRun {

    private static final String SET = "u";

    private enum Loss {
        NONE,
        REPLY,
        REQUEST
    }

    /** A supervisor as the test knows it. */
    private static final class Worker {
        final WorkerSession session;
        final String pod;
        final List<Claim> claims = new ArrayList<>();
        final List<Claim> settled = new ArrayList<>();

        Worker(WorkerSession session, String pod) {
            this.session = session;
            this.pod = pod;
        }
    }

    private final Random random;
    private final LossyProxy proxy;
    private final RedisStore lossyStore;
    private final RedisStore sureStore;
    private final Keyspace keyspace;
    private final World world;
    private final WorkerSessions sessions;
    private final TaskSetModel model;
    private final boolean fed;
    private final int maxWorkers;
    private final List<Worker> workers = new ArrayList<>();
    private int names;

    RandomRun(long seed, LossyProxy proxy, RedisStore lossy, RedisStore sure, LeaseTimes times) {
        this.random = new Random(seed);
        this.proxy = proxy;
        this.lossyStore = lossy;
        this.sureStore = sure;
        this.keyspace = Keyspace.of("random", Long.toString(seed));
        this.world = new World(new Lifecycle(sure, times), keyspace);
        this.sessions = new Lifecycle(lossy, times).sessions(keyspace);
        int tasks = 1 + random.nextInt(60);
        this.fed = random.nextBoolean();
        TaskSetLimits limits = World.limits(1 + random.nextInt(3), 1 + random.nextInt(3), maxFailedTasks())
                .atOnce(atOnce());
        this.model = new TaskSetModel(limits, fed ? 0 : tasks, !fed);
        TaskSource source = fed ? new TaskSource.Lines() : new TaskSource.Count(tasks);
        this.maxWorkers = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0;
        world.control.open(new TaskSetOpening(SET, "p", World.spec(source), limits, maxWorkers, 0, false));
        giveOrder(tasks);
    }

    /** An order of all tasks, of some, or none; in any order. */
    private void giveOrder(int tasks) {
        int ordered = random.nextInt(3) == 0 ? 0 : random.nextBoolean() ? tasks : 1 + random.nextInt(tasks);
        List<Integer> millis = IntStream.range(0, ordered)
                .map(i -> 1 + random.nextInt(60_000))
                .boxed()
                .toList();
        List<Integer> sequence =
                new ArrayList<>(IntStream.range(0, ordered).boxed().toList());
        Collections.shuffle(sequence, random);
        if (ordered > 0) {
            new HandWrittenOrder(sequence, millis).write(sureStore, keyspace, SET);
        }
        model.millis = millis;
    }

    /** How fast a worker says that it is, at this step. */
    private StepRequest.Pace pace() {
        return new StepRequest.Pace(List.of(1000, 1000, 0, 3000, 10_000).get(random.nextInt(5)), 2);
    }

    /** The counts of the order are those of the tasks that were never given out. */
    private void checkOrder() {
        if (model.millis.isEmpty() || model.status.isFinal()) {
            return;
        }
        List<String> seen = sureStore.ask(redis -> redis.hmget(world.key(SET), "cursor", "tail", "fresh_ms")).stream()
                .map(value -> value.getValueOrElse("0"))
                .toList();
        assertThat(Integer.parseInt(seen.get(0)) + Integer.parseInt(seen.get(1)))
                .as("tasks that were given out")
                .isEqualTo(model.given.size());
        assertThat(Long.parseLong(seen.get(2))).as("fresh_ms").isEqualTo(model.freshMillis());
    }

    private int atOnce() {
        return random.nextInt(3) == 0 ? 1 + random.nextInt(8) : 0;
    }

    private int maxFailedTasks() {
        return switch (random.nextInt(6)) {
            case 0, 1 -> 1 + random.nextInt(10);
            case 2 -> TaskSetLimits.FAIL_FAST;
            default -> 0;
        };
    }

    void run() {
        world.reaper.tick();
        int acts = 30 + random.nextInt(120);
        for (int i = 0; i < acts; i++) {
            act();
            model.check(world.look(SET));
            checkOrder();
        }
        finish();
        leaveNothing();
    }

    private void act() {
        int dice = random.nextInt(100);
        if (workers.isEmpty() || dice < 8 && workers.size() < 5) {
            workers.add(enter());
        } else if (dice < 68) {
            Worker worker = workers.get(random.nextInt(workers.size()));
            List<Settlement> settlements = settleSome(worker);
            step(worker, settlements, random.nextInt(9), loss());
            if (random.nextInt(4) == 0) {
                settleAgain(worker);
            }
        } else if (dice < 78) {
            die(workers.remove(random.nextInt(workers.size())));
        } else if (dice < 82) {
            end(new StatusChange.Suspend(), TaskSetState.RUNNING, TaskSetState.SUSPENDED);
        } else if (dice < 90) {
            end(new StatusChange.Resume(), TaskSetState.SUSPENDED, TaskSetState.RUNNING);
        } else if (dice < 95) {
            feed();
        } else if (dice < 97) {
            passTime(random.nextBoolean());
        } else if (dice < 98) {
            model.maxParallel = atOnce();
            world.control.adjust(SET, maxWorkers, model.maxParallel, Duration.ZERO);
        } else if (random.nextInt(8) == 0) {
            end(new StatusChange.Cancel(), model.status.isFinal() ? null : model.status, TaskSetState.CANCELLED);
        }
    }

    private Worker enter() {
        return enter("w" + names++);
    }

    private Worker enter(String pod) {
        ping();
        WorkerSessions.Outcome outcome = sessions.open(World.worker(pod));
        return new Worker(((WorkerSessions.Outcome.Opened) outcome).session(), pod);
    }

    private Loss loss() {
        int dice = random.nextInt(10);
        return dice == 0 ? Loss.REPLY : dice == 1 ? Loss.REQUEST : Loss.NONE;
    }

    private List<Settlement> settleSome(Worker worker) {
        List<Settlement> settlements = new ArrayList<>();
        Collections.shuffle(worker.claims, random);
        for (Claim claim : worker.claims.subList(0, random.nextInt(worker.claims.size() + 1))) {
            int dice = random.nextInt(12);
            settlements.add(
                    dice < 5
                            ? World.passed(claim)
                            : dice > 9
                                    ? World.pending(claim)
                                    : dice < 8
                                            ? World.failed(claim, retry())
                                            : dice < 9 ? World.lost(claim) : new Settlement.Returned(claim));
        }
        return settlements;
    }

    private Retry retry() {
        int dice = random.nextInt(80);
        if (dice == 79) {
            return new Retry.EndsSource("rule 1");
        }
        return dice < 10 ? Retry.NEVER : dice < 40 ? new Retry.After(Duration.ofHours(1)) : Retry.AT_ONCE;
    }

    /** The time of all delayed tasks comes; whoever looks first, a step or a reaper, queues them. */
    private void passTime(boolean reaperLooks) {
        if (model.status.isFinal()) {
            return;
        }
        String delayed = new TaskSetKeys(keyspace, SET).source().delayed();
        List<String> ids = sureStore.ask(redis -> redis.zrange(delayed, 0, -1));
        assertThat(ids).hasSize(model.delayed.size());
        assertThat(sureStore
                        .ask(redis -> redis.zscore(keyspace.delayed(), SET).thenApply(Optional::ofNullable))
                        .isPresent())
                .as("the keyspace knows of delayed tasks")
                .isEqualTo(!ids.isEmpty());
        if (ids.isEmpty()) {
            return;
        }
        ids.forEach(id -> sureStore.ask(redis -> redis.zadd(delayed, 1, id)));
        sureStore.ask(redis -> redis.zadd(keyspace.delayed(), 1, SET));
        model.delayed.clear();
        if (reaperLooks || workers.isEmpty()) {
            world.reaper.tick();
        } else {
            step(workers.get(random.nextInt(workers.size())), List.of(), random.nextInt(9), Loss.NONE);
        }
    }

    private List<Place> places(int wanted) {
        return IntStream.range(0, wanted)
                .mapToObj(i -> random.nextInt(4) == 0 ? Place.queued(i) : Place.slot(i, 1))
                .toList();
    }

    /** Settles once more what was settled before, perhaps while the same session holds the task anew. */
    private void settleAgain(Worker worker) {
        if (worker.settled.isEmpty()) {
            return;
        }
        Claim old = worker.settled.get(random.nextInt(worker.settled.size()));
        StepCall call = World.prepare(worker.session, SET, List.of(World.passed(old)), List.of());
        ping();
        assertThat(((StepCall.Outcome.Done) call.run()).verdicts())
                .containsExactly(model.status.isFinal() ? StepCall.Verdict.VOID : StepCall.Verdict.ALREADY);
    }

    private void step(Worker worker, List<Settlement> settlements, int wanted, Loss loss) {
        step(worker, settlements, wanted, loss, pace());
    }

    private StepCall.Outcome.Done step(
            Worker worker, List<Settlement> settlements, int wanted, Loss loss, StepRequest.Pace pace) {
        StepCall call = World.prepare(worker.session, SET, settlements, places(wanted), pace);
        lose(call, loss);
        ping();
        StepCall.Outcome.Done done = (StepCall.Outcome.Done) call.run();
        for (int i = 0; i < settlements.size(); i++) {
            StepCall.Verdict verdict = done.verdicts().get(i);
            StepCall.Verdict expected = model.expected(settlements.get(i));
            if (loss != Loss.REPLY || verdict != StepCall.Verdict.ALREADY && verdict != StepCall.Verdict.VOID) {
                assertThat(verdict).isEqualTo(expected);
            }
        }
        settle(worker, settlements);
        done.claims().forEach(claim -> model.claim(claim, worker));
        worker.claims.addAll(done.claims());
        assertThat(done.claims().size()).isLessThanOrEqualTo(wanted);
        assertThat(done.status() == SourceStatus.OVER).isEqualTo(model.status.isFinal());
        assertThat(done.status() == SourceStatus.SUSPENDED).isEqualTo(model.status == TaskSetState.SUSPENDED);
        assertThat(done.claimable()).isEqualTo(model.claimable());
        return done;
    }

    private void settle(Worker worker, List<Settlement> settlements) {
        settlements.forEach(model::settle);
        settlements.forEach(settlement -> worker.claims.remove(settlement.claim()));
        settlements.forEach(settlement -> worker.settled.add(settlement.claim()));
        model.decide();
    }

    private void lose(StepCall call, Loss loss) {
        ping();
        if (loss == Loss.NONE) {
            return;
        }
        if (loss == Loss.REPLY) {
            proxy.loseNextReply();
        } else {
            proxy.loseNextRequest();
        }
        assertThatThrownBy(call::run).isInstanceOf(StoreUnreachableException.class);
        assertThat(proxy.armed()).isFalse();
    }

    /** A connection that stands and knows the script, so that a loss hits the call and no handshake. */
    private void ping() {
        lossyStore.ping();
        sureStore.ask(redis -> redis.scriptLoad(OrdinalScripts.STEP.source()));
    }

    /** Dies, sometimes with a call under way; its lease ends or its pod opens another session; what it held comes back. */
    private void die(Worker worker) {
        Loss loss = random.nextInt(3) == 0 ? loss() : Loss.NONE;
        if (loss != Loss.NONE) {
            List<Settlement> settlements = settleSome(worker);
            lose(World.prepare(worker.session, SET, settlements, places(random.nextInt(5)), pace()), loss);
            if (loss == Loss.REPLY) {
                settle(worker, settlements);
            }
        }
        Map<String, String> held = sureStore.ask(
                redis -> redis.hgetall(new TaskSetKeys(keyspace, SET).source().held(worker.session.id())));
        held.keySet().stream().filter(id -> !id.equals("#")).map(Long::valueOf).forEach(model.given::add);
        Set<Long> adopted = new HashSet<>();
        int dice = random.nextInt(3);
        if (dice == 0) {
            workers.add(enter(worker.pod));
        } else if (dice == 1) {
            Worker successor = succeed(worker, held);
            successor.claims.forEach(claim -> adopted.add(World.id(claim)));
            workers.add(successor);
        } else {
            sureStore.ask(redis -> redis.zadd(keyspace.sessions(), 1, worker.session.id()));
            world.reaper.tick();
        }
        worker.claims.stream()
                .filter(claim -> !adopted.contains(World.id(claim)))
                .forEach(claim -> model.lose(World.id(claim), !claim.place().isQueued()));
        held.forEach((id, entry) -> {
            boolean unknown = !id.equals("#")
                    && !adopted.contains(Long.parseLong(id))
                    && worker.claims.stream().noneMatch(claim -> World.id(claim) == Long.parseLong(id));
            if (unknown) {
                model.lose(Long.parseLong(id), !entry.contains("@-"));
            }
        });
        model.decide();
        List<Settlement> late = settleSome(worker);
        ping();
        World.last(worker.session, SET).ifPresent(StepCall::run);
        assertThat(World.prepare(worker.session, SET, late, places(3)).run()).isEqualTo(new StepCall.Outcome.Fenced());
    }

    /** Its pod's next session finds some of its slots in use, and asks again when it got no answer. */
    private Worker succeed(Worker dead, Map<String, String> held) {
        ping();
        WorkerSessions.Outcome outcome = sessions.open(World.worker(dead.pod), Duration.ofSeconds(30));
        Worker successor = new Worker(((WorkerSessions.Outcome.Opened) outcome).session(), dead.pod);
        List<Place> found = IntStream.range(0, 9)
                .filter(slot -> random.nextBoolean())
                .mapToObj(slot -> Place.slot(slot, 1))
                .toList();
        ping();
        List<Takeover> takeovers = successor.session.orphans().stream()
                .filter(orphan -> found.contains(orphan.place()))
                .map(orphan -> new Takeover(orphan.uid(), orphan.id(), orphan.place()))
                .toList();
        if (random.nextInt(4) == 0) {
            ping();
            proxy.loseNextReply();
            assertThatThrownBy(() -> successor.session.adopt(takeovers)).isInstanceOf(StoreUnreachableException.class);
            ping();
        }
        successor.claims.addAll(successor.session.adopt(takeovers));
        Set<Long> expected = new HashSet<>();
        held.forEach((id, entry) -> {
            if (!id.equals("#") && found.stream().anyMatch(place -> entry.endsWith("@" + place.text()))) {
                expected.add(Long.parseLong(id));
            }
        });
        assertThat(successor.claims)
                .extracting(World::id)
                .containsExactlyInAnyOrderElementsOf(model.status.isFinal() ? Set.of() : expected);
        successor.claims.forEach(claim -> model.held.put(World.id(claim), successor));
        return successor;
    }

    private void end(StatusChange change, TaskSetState from, TaskSetState to) {
        world.control.changeStatus(SET, change);
        if (model.status == from) {
            model.status = to;
        }
    }

    private void feed() {
        if (!fed || model.closed) {
            return;
        }
        int more = random.nextInt(30);
        boolean last = random.nextInt(4) == 0;
        feed(last ? Math.max(more, model.millis.size() - (int) model.total) : more, last);
    }

    /** A known task is fed with any line: the first one counts. A set that has ended takes none. */
    private String line(long task) {
        boolean muted = random.nextInt(4) == 0;
        if (muted && task >= model.total && !model.status.isFinal()) {
            model.muted.add(task);
        }
        return muted ? "{\"name\": \"task\", \"muted\": true}" : "task";
    }

    private void feed(int more, boolean last) {
        long back = Math.min(model.total, random.nextInt(3));
        List<String> payloads = IntStream.range(0, (int) back + more)
                .mapToObj(i -> line(model.total - back + i))
                .toList();
        OrdinalFeed.Outcome outcome = world.control.feed(SET, model.total - back, payloads, last);
        if (model.status.isFinal()) {
            assertThat(outcome).isEqualTo(new OrdinalFeed.Outcome.Closed());
            return;
        }
        model.total += more;
        model.closed = last;
        assertThat(outcome).isEqualTo(new OrdinalFeed.Outcome.Fed(model.total));
        model.decide();
    }

    /** The past does not matter: one good worker brings the set to its end. */
    private void finish() {
        end(new StatusChange.Resume(), TaskSetState.SUSPENDED, TaskSetState.RUNNING);
        if (fed && !model.closed) {
            feed(Math.max(1, model.millis.size() - (int) model.total), true);
        }
        for (Worker worker : workers) {
            step(
                    worker,
                    new ArrayList<>(worker.claims.stream().map(World::passed).toList()),
                    0,
                    Loss.NONE);
        }
        Worker last = enter();
        workers.add(last);
        for (int i = 0; !model.status.isFinal(); i++) {
            assertThat(i).as("steps to the end").isLessThan(2000);
            if (last.claims.isEmpty() && model.claimable() == 0) {
                passTime(true);
            }
            if (last.claims.isEmpty()) {
                assertThat(World.pick(last.session)).isEqualTo(new WorkerSession.PickOutcome.Picked(SET));
            }
            StepCall.Outcome.Done done = step(
                    last,
                    new ArrayList<>(last.claims.stream().map(World::passed).toList()),
                    8,
                    Loss.NONE,
                    new StepRequest.Pace(random.nextBoolean() ? 3000 : 1000, 2));
            if (done.claims().isEmpty() && done.others().isPresent()) {
                // No other worker comes back, and so the slow one takes what is too long for it.
                sureStore.ask(redis -> redis.hset(world.key(SET), "quick_until", "1"));
            }
        }
        model.check(world.look(SET));
        assertThat(World.pick(last.session)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        last.session.awaitWork(Duration.ofMillis(1));
        assertThat(last.session.awaitWork(Duration.ofMillis(1)))
                .as("at most one token is left over")
                .isEmpty();
    }

    /** A run that repeats them would take exactly these. */
    private void assertNotesWhatDidNotPass() {
        assertThat(world.control.unpassed(SET))
                .isInstanceOfSatisfying(
                        UnpassedTasks.Known.class,
                        known -> assertThat(IntStream.range(0, (int) model.total)
                                        .filter(known::has)
                                        .mapToObj(Long::valueOf))
                                .containsExactlyElementsOf(IntStream.range(0, (int) model.total)
                                        .mapToObj(Long::valueOf)
                                        .filter(id -> !model.passed.contains(id))
                                        .toList()));
    }

    private void leaveNothing() {
        ping();
        workers.forEach(worker -> worker.session.close());
        world.reaper.tick();
        assertNotesWhatDidNotPass();
        world.control.drop(SET);
        List<String> left = sureStore.ask(redis -> redis.keys(keyspace.prefix() + "*"));
        assertThat(left)
                .containsExactlyInAnyOrder(
                        keyspace.meta(), keyspace.pool("p"), new TaskSetKeys(keyspace, SET).tombstone());
        assertThat(Optional.ofNullable(world.control.snapshot(List.of(SET)).get(SET)))
                .isEmpty();
        sureStore.ask(redis -> redis.unlink(left.toArray(String[]::new)));
    }
}
