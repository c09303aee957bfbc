package dev.quiver.lifecycle.keyspace;

import static dev.quiver.lifecycle.taskset.World.allPassed;
import static dev.quiver.lifecycle.taskset.World.claim;
import static dev.quiver.lifecycle.taskset.World.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.Range;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.World;
import dev.quiver.lifecycle.worker.HeldTasks;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** The text that a tenant writes into its own keys is not read whole by others, and ends no call of theirs. */
class BoundedReadsIT {

    private static final String LARGE = "x".repeat(2 << 20);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer("--appendonly", "no");

    private RedisStore store;
    private World world;

    @BeforeEach
    void open() {
        store = REDIS.open();
        world = new World(new Lifecycle(
                store, new LeaseTimes(Duration.ofMillis(200), Duration.ofMinutes(1), Duration.ofMillis(1))));
        world.open("u", 10);
    }

    @AfterEach
    void close() {
        store.ask(redis -> redis.flushall());
        store.close();
    }

    private static void refused(ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOfSatisfying(StoreRefusedException.class, no -> {
            assertThat(no.passing()).isFalse();
            assertThat(no.getMessage()).contains(words);
        });
    }

    @Test
    void aRegistryWithTooManyEntriesIsRefusedWithItsNameAndSize() {
        String registry = world.keyspace.poolWorkers("p");
        Map<String, String> entries = new HashMap<>();
        IntStream.range(0, 5000).forEach(i -> entries.put("s" + i, "x"));
        store.ask(redis -> redis.hset(registry, entries));
        refused(() -> world.pools.workers(List.of("p")), registry, "5000 entries");
    }

    @Test
    void aRegistryThatIsTooLargeIsRefusedWithItsNameAndSize() {
        String registry = world.keyspace.poolWorkers("p");
        for (int i = 0; i < 20; i++) {
            String session = "s" + i;
            store.ask(redis -> redis.hset(registry, session, LARGE));
        }
        refused(() -> world.pools.workers(List.of("p")), registry, "bytes");
        assertThat(world.pools.workers(List.of("other"))).containsKey("other");
    }

    @Test
    void largeFieldsOfASetAreRefusedAndItIsDroppedAllTheSame() {
        String set = world.keyspace.prefix() + "taskset:u";
        store.ask(redis -> redis.hset(set, "message", LARGE));
        refused(() -> world.control.snapshot(List.of("u")), set, "2097");
        store.ask(redis -> redis.hset(set, Map.of("message", "", "left", "many")));
        refused(() -> world.control.snapshot(List.of("u")), set, "many");
        store.ask(redis -> redis.hset(set, "pool", LARGE));
        refused(() -> world.control.changeStatus("u", new StatusChange.Cancel()), set);
        store.ask(redis -> redis.hset(set, Map.of("pool", "p", "status", LARGE)));
        refused(() -> world.control.changeStatus("u", new StatusChange.Cancel()), set, "2097");
        store.ask(redis -> redis.hset(set, Map.of("pool", "a pool", "left", "10", "status", LARGE)));
        assertThat(world.control.ended(List.of("u", "gone"))).containsExactlyInAnyOrder("u", "gone");
        store.ask(redis -> redis.hset(set, "status", "running"));
        assertThat(world.control.ended(List.of("u", "gone"))).containsExactly("gone");
        world.control.drop("u");
        assertThat(world.control.present()).isEmpty();
    }

    @Test
    void failuresBeyondTheEightAreRefused() {
        String failures = world.keyspace.prefix() + "taskset:u:failures";
        Map<String, String> entries = new HashMap<>();
        IntStream.range(0, 9).forEach(i -> entries.put("" + i, "F{}"));
        store.ask(redis -> redis.hset(failures, entries));
        refused(() -> world.control.snapshot(List.of("u")), failures, "9 entries");
    }

    @Test
    void largeMembersAreRefused() {
        store.ask(redis -> redis.zadd(world.keyspace.dirty(), 1, LARGE));
        refused(() -> world.control.dirty(100), world.keyspace.dirty());
        store.ask(redis -> redis.sadd(world.keyspace.sets(), LARGE));
        refused(() -> world.control.present(), world.keyspace.sets());
        store.ask(redis -> redis.zadd(world.keyspace.fenced(), 1, LARGE));
        refused(() -> world.reaper.tick(), world.keyspace.fenced());
    }

    @Test
    void moreDrainMarksThanAPoolCanHaveAreRefused() {
        String marks = world.keyspace.poolDraining("p");
        String[] many = IntStream.range(0, 100_001).mapToObj(i -> "p" + i).toArray(String[]::new);
        store.ask(redis -> redis.sadd(marks, many));
        refused(() -> world.pools.keepDraining("p", List.of()), marks, "100001 entries");
    }

    @Test
    void largeMembersBehindManySmallOnesAreNotPulledBack() {
        for (String key : List.of(world.keyspace.sessions(), world.keyspace.fenced())) {
            Object[] small = IntStream.range(0, 600)
                    .boxed()
                    .flatMap(i -> Stream.of(1.0, "s" + i))
                    .toArray();
            store.ask(redis -> redis.zadd(key, small));
            for (int i = 0; i < 10; i++) {
                String large = i + LARGE;
                store.ask(redis -> redis.zadd(key, 1e15, large));
            }
            refused(() -> world.reaper.tick(), key, "bytes");
            store.ask(redis -> redis.del(key));
        }
        world.reaper.tick();
    }

    @Test
    void manyTimesTooFarAheadAreRefusedAndAFewArePulledBack() {
        String sessions = world.keyspace.sessions();
        Object[] many = IntStream.range(0, 20_000)
                .boxed()
                .flatMap(i -> Stream.of(1e15, "s" + i))
                .toArray();
        store.ask(redis -> redis.zadd(sessions, many));
        refused(() -> world.reaper.tick(), sessions, "20000 entries");
        store.ask(redis -> redis.zremrangebyrank(sessions, 100, -1));
        world.reaper.tick();
        long ahead = store.ask(redis -> redis.zcount(sessions, Range.create(1e15, 1e15)));
        assertThat(ahead).isZero();
    }

    @Test
    void anIdentityThatMakesNoSenseIsRefused() {
        store.ask(redis -> redis.hset(world.keyspace.meta(), "beat", "never"));
        refused(() -> world.lifecycle.health(world.keyspace, 1).observe(Optional.empty()), world.keyspace.meta());
        store.ask(redis -> redis.hset(world.keyspace.meta(), Map.of("beat", "1", "epoch", LARGE)));
        refused(() -> world.lifecycle.health(world.keyspace, 1).observe(Optional.empty()), world.keyspace.meta());
        refused(() -> world.lifecycle.health(world.keyspace, 1).beat(), world.keyspace.meta());
        store.ask(redis -> redis.hset(world.keyspace.meta(), Map.of("epoch", "e", "term", LARGE)));
        assertThat(world.lifecycle.health(world.keyspace, 1).beat().beat()).isEqualTo(2);
        store.ask(redis -> redis.hset(world.keyspace.meta(), "reap_due", LARGE));
        refused(() -> world.reaper.tick(), world.keyspace.meta());
    }

    @Test
    void aSpecificationLargerThanAResourceIsRefused() {
        WorkerSession session = world.session("a");
        String set = world.keyspace.prefix() + "taskset:u";
        store.ask(redis -> redis.hset(set, "spec", LARGE + LARGE + LARGE));
        refused(() -> session.source("u"), set, "6291");
    }

    @Test
    void namesThatAreNoneDoNotStopTheReaper() {
        store.ask(redis -> redis.zadd(world.keyspace.delayed(), 1, "no uid: *"));
        store.ask(redis -> redis.zadd(world.keyspace.fenced(), 1, "no session"));
        WorkerSession session = world.session("a");
        claim(session, "u", 2);
        store.ask(redis -> redis.hset(world.keyspace.session(session.id()), "set:no uid: *", "1"));
        store.ask(redis -> redis.zadd(world.keyspace.sessions(), 1, session.id()));
        store.ask(redis -> redis.hdel(world.keyspace.meta(), "reap_after"));
        assertThat(world.reaper.tick().requeued()).isEqualTo(2);
    }

    @Test
    void aTickEndsHoweverMuchIsDueAndTheNextGoesOn() {
        String delayed = world.keyspace.prefix() + "taskset:u:delayed";
        int due = 140_000;
        for (int from = 0; from < due; from += 10_000) {
            int first = from;
            Object[] members = IntStream.range(first, first + 10_000)
                    .boxed()
                    .flatMap(i -> Stream.of(1.0, "" + i))
                    .toArray();
            store.ask(redis -> redis.zadd(delayed, members));
        }
        store.ask(redis -> redis.zadd(world.keyspace.delayed(), 1, "u"));
        // Whoever is dead is not forgotten over it.
        WorkerSession session = world.session("a");
        step(session, "u", allPassed(claim(session, "u", 1)), 2);
        store.ask(redis -> redis.zadd(world.keyspace.sessions(), 1, session.id()));
        store.ask(redis -> redis.hdel(world.keyspace.meta(), "reap_after"));

        assertThat(world.reaper.tick().sessions()).isEqualTo(1);
        long left = store.ask(redis -> redis.zcard(delayed));
        assertThat(left).isPositive();
        world.reaper.tick();
        long none = store.ask(redis -> redis.zcard(delayed));
        assertThat(none).isZero();
    }

    private WorkerSession successor() {
        WorkerSessions.Outcome outcome =
                world.lifecycle.sessions(world.keyspace).open(World.worker("a"), Duration.ofSeconds(30));
        return ((WorkerSessions.Outcome.Opened) outcome).session();
    }

    /** The tasks that the session of a dead worker holds, as its tenant changed it. */
    private String heldByTheDead() {
        WorkerSession earlier = world.session("a");
        claim(earlier, "u", 3);
        return world.keyspace.prefix() + "taskset:u:held:" + earlier.id();
    }

    /** The worker that follows takes over nothing of it, and goes on. */
    private void nothingIsTakenOver() {
        WorkerSession later = successor();
        assertThat(later.orphans()).isEmpty();
        assertThat(later.adopt(List.of())).isEmpty();
        assertThat(claim(later, "u", 3)).hasSize(3);
    }

    @Test
    void moreHoldsThanASessionMayHaveAreNotReadByTheNext() {
        String held = heldByTheDead();
        Map<String, String> many = new HashMap<>();
        IntStream.range(0, 70_000).forEach(i -> many.put("x" + i, "1@0"));
        store.ask(redis -> redis.hset(held, many));
        refused(() -> HeldTasks.read(store, held), held, "70004 entries");
        nothingIsTakenOver();
    }

    @Test
    void holdsThatAreTooLargeAreNotReadByTheNext() {
        String held = heldByTheDead();
        for (int i = 0; i < 9; i++) {
            String id = "x" + i;
            store.ask(redis -> redis.hset(held, id, LARGE));
        }
        refused(() -> HeldTasks.read(store, held), held, "bytes");
        nothingIsTakenOver();
    }

    @Test
    void aPlaceThatIsNoneIsNotReadByTheNext() {
        String held = heldByTheDead();
        store.ask(redis -> redis.hset(held, "1", "1@nowhere"));
        refused(() -> HeldTasks.read(store, held), held, "makes no sense");
        nothingIsTakenOver();
    }

    @Test
    void factsOfATaskThatAreTooLargeAreNotReadByTheNext() {
        heldByTheDead();
        String trouble = world.keyspace.prefix() + "taskset:u:trouble";
        store.ask(redis -> redis.hset(trouble, "1", LARGE));
        nothingIsTakenOver();
    }

    @Test
    void aSessionWithMoreSourcesThanAnyIsNotReadByTheNext() {
        WorkerSession earlier = world.session("a");
        claim(earlier, "u", 3);
        String session = world.keyspace.session(earlier.id());
        Map<String, String> many = new HashMap<>();
        IntStream.range(0, 10_001).forEach(i -> many.put("set:x" + i, "1"));
        store.ask(redis -> redis.hset(session, many));
        nothingIsTakenOver();
    }
}
