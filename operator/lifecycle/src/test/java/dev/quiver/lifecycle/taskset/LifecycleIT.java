package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.ordinals.OrdinalScripts;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.WorkerSession;

/** The contract on a real Redis. */
class LifecycleIT extends TaskSetContract {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void writesAHistoryEntryOnlyWhenItIsSwitchedOn() {
        try (World world = new World(lifecycle())) {
            world.open("u", 2);
            WorkerSession session = world.session("a");
            List<Claim> claims = World.claim(session, "u", 2);
            World.step(session, "u", List.of(World.passed(claims.get(0))), 0);
            assertThat(history(world)).isEmpty();

            Claim claim = claims.get(1);
            TaskSetScriptKeys keys = TaskSetScriptKeys.of(new SessionKeys(world.keyspace, "p", session.id()), "u");
            String[] settlement = {"" + claim.id(), "" + claim.fence(), "p", "5", ""};
            String[] head = {session.id(), "0", "999", "u", "1", "65536", "1"};
            String[] arguments =
                    Stream.concat(Stream.of(head), Stream.of(settlement)).toArray(String[]::new);
            REDIS.store().run(OrdinalScripts.STEP, OrdinalScripts.STEP.keys(keys::key, List.of()), arguments);
            assertThat(history(world))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.getBody())
                            .containsEntry("u", "u")
                            .containsEntry("s", session.id())
                            .containsEntry("r", claim.id() + "\t" + claim.fence() + "\tp\t5\t"));
        }
    }

    @Test
    void resumeBeginsTheDeadlineAnew() {
        try (World world = new World(lifecycle())) {
            world.open("u", 4, new TaskSetLimits(1, 1, 0, Duration.ofHours(1)));
            startedADayAgo(world, "u");
            world.control.changeStatus("u", new StatusChange.Suspend());
            Instant started = world.look("u").startedAt().orElseThrow();
            assertThat(started).isBefore(world.look("u").storeTime().minus(Duration.ofHours(1)));
            world.control.changeStatus("u", new StatusChange.Resume());
            assertThat(World.claim(world.session("a"), "u", 1)).hasSize(1);
            assertThat(world.look("u").startedAt().orElseThrow()).isAfter(started);
        }
    }

    private static void startedADayAgo(World world, String uid) {
        long ago = world.look(uid).storeTime().minus(Duration.ofDays(1)).toEpochMilli();
        REDIS.store()
                .ask(redis -> redis.hset(new TaskSetKeys(world.keyspace, uid).set(), "started_at", Long.toString(ago)));
    }

    private static List<StreamMessage<String, String>> history(World world) {
        return REDIS.store().ask(redis -> redis.xrange(world.keyspace.history(), Range.unbounded()));
    }

    @Override
    Lifecycle lifecycle() {
        return new Lifecycle(REDIS.store());
    }

    @Override
    void passDelays(World world, String uid) {
        String delayed = new TaskSetKeys(world.keyspace, uid).source().delayed();
        List<String> ids = REDIS.store().ask(redis -> redis.zrange(delayed, 0, -1));
        assertThat(ids).isNotEmpty();
        ids.forEach(id -> REDIS.store().ask(redis -> redis.zadd(delayed, 1, id)));
        REDIS.store().ask(redis -> redis.zadd(world.keyspace.delayed(), 1, uid));
    }
}
