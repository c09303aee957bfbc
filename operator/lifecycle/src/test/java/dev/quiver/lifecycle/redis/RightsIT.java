package dev.quiver.lifecycle.redis;

import static dev.quiver.lifecycle.taskset.World.allFailed;
import static dev.quiver.lifecycle.taskset.World.allPassed;
import static dev.quiver.lifecycle.taskset.World.claim;
import static dev.quiver.lifecycle.taskset.World.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.lettuce.core.FlushMode;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.World;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.WorkerSession;

/** A namespace's user can do all that a supervisor does there, and nothing elsewhere; and what is left behind. */
class RightsIT {

    private static final LeaseTimes SHORT =
            new LeaseTimes(Duration.ofMillis(200), Duration.ofMinutes(1), Duration.ofMillis(1));

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @BeforeAll
    static void makeUsers() {
        try (RedisStore admin = REDIS.open()) {
            admin.ask(redis -> redis.functionLoad(Lifecycle.LIBRARY.source()));
            user(admin, "team", true);
            user(admin, "old", false);
            user(
                    admin,
                    "mixed",
                    RedisRights.rules(
                            "mixed", CallRights.of(FunctionRights.of(Lifecycle.LIBRARY)), Optional.of("idoit:")));
            user(
                    admin,
                    "mixed.client",
                    RedisRights.clientRules("mixed", CallRights.of(FunctionRights.of(Lifecycle.LIBRARY))));
        }
    }

    private static void user(RedisStore admin, String namespace, boolean functions) {
        user(
                admin,
                namespace,
                RedisRights.rules(
                        namespace,
                        functions
                                ? CallRights.of(FunctionRights.of(Lifecycle.LIBRARY))
                                : CallRights.withoutFunctions()));
    }

    private static void user(RedisStore admin, String name, List<String> rights) {
        CommandArgs<String, String> rules =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(name);
        rights.forEach(rules::add);
        rules.add(">secret");
        admin.ask(redis -> redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), rules));
    }

    private static RedisStore as(String user, String password) {
        return PatientStore.open(
                RedisEndpoint.standalone("redis://" + user + ":" + password + "@127.0.0.1:"
                        + REDIS.process().port()),
                user,
                Lifecycle.LIBRARY);
    }

    private static RedisStore asTeam(String password) {
        return as("team", password);
    }

    @ParameterizedTest
    @ValueSource(strings = {"team", "old"})
    void worksUnderTheRightsOfItsNamespaceAndLeavesNothing(String namespace) {
        try (RedisStore store = as(namespace, "secret");
                RedisStore admin = REDIS.open()) {
            for (Keyspace keyspace : List.of(Keyspace.ofNamespace(namespace), Keyspace.of(namespace, "nightly"))) {
                live(admin, store, keyspace);
                List<String> left = admin.ask(redis -> redis.keys(keyspace.prefix() + "*"));
                assertThat(left)
                        .as("only what belongs to the keyspace, and tombstones; all of it expires")
                        .allMatch(key -> key.equals(keyspace.meta()) || key.endsWith(":tombstone"));
                for (String key : left) {
                    long ttl = admin.ask(redis -> redis.pttl(key));
                    assertThat(ttl).as(key).isPositive();
                }
            }
        }
    }

    /** Every operation once, the sad ones included. */
    private static void live(RedisStore operator, RedisStore store, Keyspace keyspace) {
        World world = new World(new Lifecycle(operator, SHORT), new Lifecycle(store, SHORT), keyspace);
        world.lifecycle.health(keyspace, 1).beat();
        world.reaper.tick();
        world.open("u", 20);
        world.open("v", 3, 1);
        world.control.open(
                TaskSetOpening.of("w", "p", World.spec(new ExecutionSpec.TaskSource.Lines()), World.limits(2, 1, 0)));
        world.control.feed("w", 0, List.of("a".repeat(40_000), "b".repeat(40_000), "c"), true);
        WorkerSession session = world.session("a");
        session.awaitWork(Duration.ofMillis(10));
        World.pick(session);
        session.source("w");
        List<Claim> claims = claim(session, "u", 4);
        List<Claim> again = step(session, "u", allFailed(claims), 4).claims();
        step(session, "u", allPassed(again), 3);
        step(session, "w", allFailed(claim(session, "w", 3)), 3);
        World.heartbeat(session, List.of("u", "w"), 1, false);
        world.control.adjust("u", 3, 0, Duration.ofHours(1));
        world.control.changeStatus("u", new StatusChange.Suspend());
        world.control.changeStatus("u", new StatusChange.Resume());
        world.pools.workers(List.of("p"));
        world.pools.drain("p", "a-uid");
        world.pools.undrain("p", "a-uid");
        world.control.clean(world.control.dirty(100));
        world.look("u");
        // The session dies; what it held of three sets comes back or ends.
        Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
            world.reaper.tick();
            return world.look("u").running() + world.look("w").running() == 0;
        });
        world.look("w");
        WorkerSession second = world.session("b");
        claim(second, "u", 3);
        claim(second, "v", 1);
        world.control.changeStatus("v", new StatusChange.Cancel());
        world.control.present().forEach(world.control::drop);
        World.heartbeat(second, List.of("u", "v"), 0, false);
        world.close();
        world.pools.drop("p", "pool-uid");
        assertThat(world.lifecycle.health(keyspace, 1).retire()).isTrue();
    }

    @Test
    void reachesNoOtherNamespace() {
        try (RedisStore store = asTeam("secret")) {
            refused(() -> new World(new Lifecycle(store), Keyspace.ofNamespace("teamb")));
            refused(() -> store.ask(redis -> redis.keys("*")));
        }
    }

    /** The work of the functions of the layout of idoit; Redis checks each command of a function as if the user sent it. */
    @Test
    void worksUnderTheGrantedPrefixAndNowhereElse() {
        try (RedisStore store = as("mixed", "secret")) {
            assertThat(all(store, "idoit:"))
                    .allSatisfy(call -> assertThatCode(call).doesNotThrowAnyException());
            for (String elsewhere : List.of("idoit", "idoqueue:", "quiver:{team}:", "")) {
                assertThat(all(store, elsewhere)).allSatisfy(RightsIT::refused);
            }
            refused(() -> store.ask(redis -> redis.smove("idoit:waiting", "idoit:idle", "1")));
            refused(() -> store.ask(redis -> redis.keys("idoit:*")));
            refused(() -> store.ask(redis -> redis.eval("return 1", ScriptOutputType.INTEGER, "idoit:waiting")));
        }
        for (String without : List.of("team", "old", "mixed.client")) {
            try (RedisStore store = as(without, "secret")) {
                assertThat(all(store, "idoit:")).as(without).allSatisfy(RightsIT::refused);
            }
        }
    }

    private static List<ThrowingCallable> all(RedisStore store, String prefix) {
        String task = prefix + "job-1";
        String set = prefix + "waiting";
        String times = prefix + "locked";
        return List.of(
                () -> store.ask(redis -> redis.sadd(set, "job-1", "job-2")),
                () -> store.ask(redis -> redis.sismember(set, "job-1")),
                () -> store.ask(redis -> redis.srandmember(set, 2)),
                () -> store.ask(redis -> redis.scard(set)),
                () -> store.ask(redis -> redis.spop(set)),
                () -> store.ask(redis -> redis.smembers(set)),
                () -> store.ask(redis -> redis.srem(set, "job-1", "job-2")),
                () -> store.ask(redis -> redis.hset(task, Map.of("state", "\"waiting\"", "progress", "0"))),
                () -> store.ask(redis -> redis.hincrby(task, "progress", 1)),
                () -> store.ask(redis -> redis.hmget(task, "state")),
                () -> store.ask(redis -> redis.hget(task, "state")),
                () -> store.ask(redis -> redis.hgetall(task)),
                () -> store.ask(redis -> redis.hdel(task, "state")),
                () -> store.ask(redis -> redis.exists(task)),
                () -> store.ask(redis -> redis.rename(task, task)),
                () -> store.ask(redis -> redis.zadd(times, 1, "job-1")),
                () -> store.ask(redis -> redis.zscore(times, "job-1")),
                () -> store.ask(redis -> redis.zcard(times)),
                () -> store.ask(redis -> redis.zrangebyscore(times, Range.create(0, 1))),
                () -> store.ask(redis -> redis.zrem(times, "job-1")),
                () -> store.ask(redis -> redis.unlink(task, set, times)));
    }

    @Test
    void runsNoLuaOfItsOwnAndLoadsNone() {
        String endless = "#!lua\nredis.call('HSET', KEYS[1], 'a', 1) while true do end";
        String[] keys = {Keyspace.ofNamespace("team").meta()};
        try (RedisStore store = asTeam("secret")) {
            refused(() -> store.ask(redis -> redis.eval(endless, ScriptOutputType.STATUS, keys)));
            refused(() -> store.ask(redis -> redis.evalReadOnly(endless, ScriptOutputType.STATUS, keys)));
            refused(() -> store.ask(redis -> redis.evalsha("0".repeat(40), ScriptOutputType.STATUS, keys)));
            refused(() -> store.ask(redis -> redis.scriptLoad(endless)));
            refused(() -> store.ask(redis -> redis.functionLoad("#!lua name=mine\n")));
            refused(() -> store.ask(redis -> redis.functionFlush(FlushMode.SYNC)));
        }
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .satisfiesAnyOf(
                        no -> assertThat(no)
                                .isInstanceOfSatisfying(
                                        StoreRefusedException.class,
                                        refused -> assertThat(refused.kind())
                                                .isEqualTo(StoreRefusedException.Kind.NO_RIGHT)),
                        no -> assertThat(no).hasMessageContaining("NOPERM"));
    }

    @Test
    void saysThatThePasswordIsWrong() {
        try (RedisStore store = asTeam("wrong")) {
            assertThatThrownBy(store::ping).isInstanceOfSatisfying(StoreRefusedException.class, refused -> {
                assertThat(refused.kind()).isEqualTo(StoreRefusedException.Kind.NO_RIGHT);
                assertThat(refused.getMessage()).contains("WRONGPASS");
            });
        }
    }

    @Test
    void refusesNewWorkButFinishesTheOldWhenMemoryIsUsedUp() {
        try (RedisStore admin = REDIS.open()) {
            World world = new World(new Lifecycle(admin));
            world.open("u", 3);
            WorkerSession session = world.session("a");
            List<Claim> claims = claim(session, "u", 2);
            admin.ask(redis -> redis.configSet("maxmemory", "1"));
            try {
                assertThatThrownBy(() -> world.open("v", 3))
                        .isInstanceOfSatisfying(
                                StoreRefusedException.class,
                                refused ->
                                        assertThat(refused.kind()).isEqualTo(StoreRefusedException.Kind.OUT_OF_MEMORY));
                // A supervisor that is started again comes back, or nobody would drain what fills Redis.
                assertThat(World.pick(world.session("b"))).isInstanceOf(WorkerSession.PickOutcome.Picked.class);
                assertThat(step(session, "u", allPassed(claims), 1).claims()).hasSize(1);
            } finally {
                admin.ask(redis -> redis.configSet("maxmemory", "0"));
            }
            assertThat(world.control.present()).containsExactly("u");
            assertThat(world.lifecycle
                            .health(world.keyspace, 1)
                            .observe(Optional.empty())
                            .change())
                    .isNotNull();
            world.close();
        }
    }
}
