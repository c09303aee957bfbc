package dev.quiver.lifecycle.redis;

import static dev.quiver.lifecycle.taskset.World.allPassed;
import static dev.quiver.lifecycle.taskset.World.claim;
import static dev.quiver.lifecycle.taskset.World.places;
import static dev.quiver.lifecycle.taskset.World.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.keyspace.StoreChange;
import dev.quiver.lifecycle.keyspace.StoreFacts;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.lifecycle.taskset.World;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.WorkerSession;

/** Redis itself stops, restarts, loses everything or a part. */
class StoreFailureIT {

    private static final LeaseTimes SHORT =
            new LeaseTimes(Duration.ofMillis(600), Duration.ofMillis(300), Duration.ofMillis(10));

    private RedisProcess redis;
    private RedisStore store;
    private World world;
    private KeyspaceHealth health;

    @BeforeEach
    void start() {
        Assumptions.assumeTrue(RedisProcess.installed(), "redis-server is not installed: apt-get install redis-server");
        // With everysec a slow disk delays a write for up to 2 s, and a kill loses it; without fsync none is delayed.
        redis = RedisProcess.start("--appendonly", "yes", "--appendfsync", "no");
        store = RedisStore.open(redis.endpoint(), "test");
        world = new World(new Lifecycle(store, SHORT));
        health = world.lifecycle.health(world.keyspace, 1);
    }

    @AfterEach
    void stop() {
        if (redis != null) {
            world.close();
            store.close();
            redis.close();
        }
    }

    private KeyspaceHealth.Observation observe(StoreFacts known) {
        return Awaitility.await()
                .ignoreException(StoreUnreachableException.class)
                .until(() -> health.observe(Optional.of(known)), observation -> true);
    }

    @Test
    void tellsAnEmptiedStore() {
        StoreFacts known = health.beat();
        assertThat(health.observe(Optional.of(known)).change()).isEqualTo(new StoreChange.Same());
        store.ask(commands -> commands.flushall());
        KeyspaceHealth.Observation after = observe(known);
        assertThat(after.change()).isEqualTo(new StoreChange.Empty());
        assertThat(after.facts().epoch()).isNotEqualTo(known.epoch());
        assertThat(health.observe(Optional.of(after.facts())).change()).isEqualTo(new StoreChange.Same());
    }

    @Test
    void tellsARewoundStore() {
        world.open("u", 10);
        health.beat();
        // An older state of the same data, as a replica that lagged or a backup has it.
        redis.keep();
        world.control.drop("u");
        health.beat();
        StoreFacts known = health.beat();
        redis.rewind();

        KeyspaceHealth.Observation after = observe(known);
        assertThat(after.change()).isEqualTo(new StoreChange.Rewound(2));
        assertThat(after.facts().epoch()).isEqualTo(known.epoch());
        assertThat(world.control.present()).containsExactly("u");
    }

    @Test
    void aSessionThatKnowsMoreThanTheStoreIsRefusedAndCountsNoLoss() {
        world.open("u", 4, World.limits(3, 1, 0));
        world.open("v", 4);
        WorkerSession session = world.session("a");
        WorkerSession idle = world.session("b");
        List<Claim> claims = claim(session, "u", 2);
        claim(idle, "v", 1);
        redis.keep();
        assertThat(step(session, "u", allPassed(claims), 0).member()).isFalse();
        redis.rewind();
        // What the session settled is held by it again, and it will not settle it again: it works at another set.
        observe(new StoreFacts("any", 0, Optional.empty()));
        assertThat(world.look("u").running()).isEqualTo(2);
        assertThat(World.prepare(session, "v", List.of(), places(1)).run()).isEqualTo(new StepCall.Outcome.Fenced());
        assertThat(World.heartbeat(session, List.of(), 0, false))
                .isEqualTo(new WorkerSession.HeartbeatOutcome.Fenced());
        assertThat(World.heartbeat(idle, List.of("v"), 1, false))
                .isInstanceOf(WorkerSession.HeartbeatOutcome.Renewed.class);

        WorkerSession successor = world.session("a");
        assertThat(world.look("u").running()).isZero();
        assertThat(world.look("u").lost()).isZero();
        assertThat(step(successor, "u", allPassed(claim(successor, "u", 4)), 0).status())
                .isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
    }

    @Test
    void goesOnAfterARestartWithItsData() {
        world.open("u", 10);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 4);
        StoreFacts known = health.beat();
        store.ask(commands -> commands.save());
        redis.restart();

        KeyspaceHealth.Observation after = observe(known);
        assertThat(after.change()).isEqualTo(new StoreChange.Restarted());
        assertThat(world.reaper.tick()).isEqualTo(new Reaper.Reaped(0, 0, 0));
        assertThat(step(session, "u", allPassed(claims), 6).claims()).hasSize(6);
        assertThat(world.look("u").succeeded()).isEqualTo(4);
        assertThat(world.look("u").lost()).isZero();
    }

    @Test
    void aPauseLongerThanTheLeaseFencesNobody() {
        world.open("u", 4);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 2);
        world.reaper.tick();
        var before = world.look("u").storeTime();
        redis.pause();
        // The clock of Redis is that of the machine: wait until the lease is over by it.
        Awaitility.await().until(() -> java.time.Instant.now().isAfter(before.plusMillis(1500)));
        redis.resume();

        assertThat(world.reaper.tick()).isEqualTo(new Reaper.Reaped(0, 0, 0));
        assertThat(World.heartbeat(session, List.of("u"), 2, false))
                .isInstanceOf(WorkerSession.HeartbeatOutcome.Renewed.class);
        assertThat(world.reaper.tick()).isEqualTo(new Reaper.Reaped(0, 0, 0));
        assertThat(step(session, "u", allPassed(claims), 0).verdicts()).containsOnly(StepCall.Verdict.COUNTED);
    }

    @Test
    void whoDiedInThePauseIsReapedAfterTheGrace() {
        world.open("u", 4);
        claim(world.session("a"), "u", 2);
        world.reaper.tick();
        redis.pause();
        var until = java.time.Instant.now().plusMillis(1000);
        Awaitility.await().until(() -> java.time.Instant.now().isAfter(until));
        redis.resume();
        assertThat(world.reaper.tick()).isEqualTo(new Reaper.Reaped(0, 0, 0));
        // On a busy machine the rounds that follow may be as far apart as a silence: to this one they are none.
        LeaseTimes patient = new LeaseTimes(SHORT.lease(), Duration.ofHours(1), SHORT.pause());
        Reaper reaper = new Lifecycle(store, patient).reaper(world.keyspace);
        Awaitility.await().pollInterval(Duration.ofMillis(50)).until(() -> {
            reaper.tick();
            return world.look("u").running() == 0;
        });
        assertThat(world.look("u").queued()).isEqualTo(4);
    }

    @Test
    void aStepWaitsForRedisToComeBack() throws Exception {
        world.open("u", 4);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 2);
        store.ask(commands -> commands.save());
        redis.kill();
        assertThatThrownBy(store::ping).isInstanceOf(StoreUnreachableException.class);
        var stepping = CompletableFuture.supplyAsync(
                () -> World.stepUntilKnown(session, "u", allPassed(claims), places(1)), Thread::startVirtualThread);
        redis.startAgain();
        StepCall.Outcome.Done done = (StepCall.Outcome.Done) stepping.get(2, TimeUnit.MINUTES);
        assertThat(done.verdicts()).containsOnly(StepCall.Verdict.COUNTED);
        assertThat(world.look("u").succeeded()).isEqualTo(2);
    }

    @Test
    void opensWithoutRedisAndFindsItWhenItComes() {
        redis.kill();
        try (RedisStore early = RedisStore.open(redis.endpoint(), "early")) {
            assertThatThrownBy(early::ping)
                    .isInstanceOf(StoreUnreachableException.class)
                    .hasMessageContaining("refused");
            redis.startAgain();
            Awaitility.await().ignoreExceptions().untilAsserted(early::ping);
        }
    }

    @Test
    void readsTheMountedSecret() throws IOException {
        Path secret = Files.createDirectory(redis.directory().resolve("secret"));
        Files.writeString(secret.resolve("uri"), "redis://u:secret@host:6379/0\n");
        assertThat(RedisEndpoint.read(secret).toString()).isEqualTo("standalone redis://host:6379/0");
        Files.writeString(secret.resolve("mode"), "ring");
        assertThatThrownBy(() -> RedisEndpoint.read(secret))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("ring");
    }
}
