package dev.quiver.lifecycle.keyspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.World;

/** A keyspace that nothing uses any more leaves Redis by itself, and loses nothing while something does. */
class RetiredKeyspaceIT {

    private static final long FOR_EVER = -1;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore store;
    private World world;
    private KeyspaceHealth health;

    @BeforeEach
    void start() {
        store = REDIS.open();
        store.ask(redis -> redis.flushall());
        world = new World(new Lifecycle(store));
        health = world.lifecycle.health(world.keyspace, 1);
    }

    @AfterEach
    void stop() {
        world.close();
        store.close();
    }

    @Test
    void goesADayAfterItsLastTaskSetAndPool() {
        world.open("u", 3);
        assertThat(health.retire()).as("a TaskSet has keys there").isFalse();
        assertThat(left()).isEqualTo(FOR_EVER);
        world.control.drop("u");
        assertThat(health.retire()).isTrue();
        assertThat(left()).isGreaterThan(TaskSetControl.TOMBSTONE_AGE.toMillis());
    }

    @Test
    void whatComesMeanwhileKeepsIt() {
        List<Runnable> words = List.of(
                () -> world.open("u", 3),
                () -> world.pools.announce("p", "another"),
                () -> health.observe(Optional.empty()));
        for (Runnable word : words) {
            world.control.present().forEach(world.control::drop);
            assertThat(health.retire()).isTrue();
            health.beat();
            world.reaper.tick();
            assertThat(left()).as("a leader that only looks after it").isPositive();
            word.run();
            assertThat(left()).isEqualTo(FOR_EVER);
        }
    }

    @Test
    void epochAndTermHoldUntilItIsGone() {
        StoreFacts known = health.beat();
        KeyspaceHealth later = world.lifecycle.health(world.keyspace, 2);
        assertThat(later.retire()).isTrue();
        assertThatThrownBy(health::retire).isInstanceOf(StaleLeaderException.class);
        assertThatThrownBy(() -> world.pools.announce("p", "stale")).isInstanceOf(StaleLeaderException.class);
        assertThat(later.observe(Optional.of(known)).facts()).isEqualTo(known);

        assertThat(later.retire()).isTrue();
        store.ask(redis -> redis.pexpire(world.keyspace.meta(), 0));
        assertThat(later.observe(Optional.empty()).change()).isEqualTo(new StoreChange.Same());
        assertThat(later.observe(Optional.of(known)).change())
                .as("who still remembers it misses it")
                .isEqualTo(new StoreChange.Empty());
    }

    private long left() {
        return store.ask(redis -> redis.pttl(world.keyspace.meta()));
    }
}
