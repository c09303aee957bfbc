package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.ordinals.OrdinalFeed;
import dev.quiver.lifecycle.redis.RedisServer;

/** The contract on a real Redis. */
class LifecycleIT extends TaskSetContract {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

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

    @Test
    void aFeedIsOneRoundTripOnceTheSetIsKnown() {
        try (World world = new World(lifecycle())) {
            openToFeed(world);
            world.control.feed("u", 0, List.of("{}"), false);
            long calls = calls();
            assertThat(world.control.feed("u", 1, List.of("{}"), false)).isEqualTo(new OrdinalFeed.Outcome.Fed(2));
            assertThat(calls() - calls).isEqualTo(1);
        }
    }

    @Test
    void aSetThatIsOverOrGoneIsFedNoMore() {
        try (World world = new World(lifecycle())) {
            openToFeed(world);
            world.control.feed("u", 0, List.of("{}"), false);
            world.control.changeStatus("u", new StatusChange.Cancel());
            assertThat(world.control.feed("u", 1, List.of("{}"), false)).isEqualTo(new OrdinalFeed.Outcome.Closed());
            world.control.drop("u");
            assertThat(world.control.feed("u", 1, List.of("{}"), false)).isEqualTo(new OrdinalFeed.Outcome.Gone());
            assertThat(world.control.feed("u", 1, List.of("{}"), false)).isEqualTo(new OrdinalFeed.Outcome.Gone());
        }
    }

    private static void openToFeed(World world) {
        world.control.open(TaskSetOpening.of("u", "p", World.spec(new TaskSource.Items()), TaskSetLimits.DEFAULT));
    }

    /** Functions and scripts that this server has been asked for. */
    private static long calls() {
        return REDIS.store()
                .ask(redis -> redis.info("commandstats"))
                .lines()
                .filter(line -> line.matches("cmdstat_(fcall|eval).*"))
                .mapToLong(line -> Long.parseLong(line.replaceFirst(".*:calls=(\\d+),.*", "$1")))
                .sum();
    }

    private static void startedADayAgo(World world, String uid) {
        long ago = world.look(uid).storeTime().minus(Duration.ofDays(1)).toEpochMilli();
        REDIS.store()
                .ask(redis -> redis.hset(new TaskSetKeys(world.keyspace, uid).set(), "started_at", Long.toString(ago)));
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
