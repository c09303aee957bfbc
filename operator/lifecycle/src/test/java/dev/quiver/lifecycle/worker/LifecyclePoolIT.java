package dev.quiver.lifecycle.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.taskset.World;

/** The pools' contract on a real Redis. */
class LifecyclePoolIT extends PoolContract {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    /** Opens a session as {@code pod} does, in a pool of so many at most. */
    private static ScriptCode open(World world, String pod, int most) {
        WorkerIdentity worker = World.worker(pod);
        SessionKeys keys = new SessionKeys(world.keyspace, "p", "new-session");
        return REDIS.store()
                .run(
                        WorkerScripts.OPEN_SESSION,
                        WorkerScripts.OPEN_SESSION.keys(keys::key, List.of()),
                        "new-session",
                        "10000",
                        worker.pool(),
                        worker.poolUid(),
                        worker.podUid(),
                        WorkerRecordJson.write(
                                worker, WorkerState.of(0, false), REDIS.store().library()),
                        Integer.toString(most),
                        "0",
                        "",
                        "")
                .code();
    }

    @Test
    void leavesAnEarlierSessionAloneWhenThePoolIsFull() {
        try (World world = new World(lifecycle())) {
            world.open("u", 5);
            WorkerSession earlier = world.session("a");
            world.session("b");
            World.claim(earlier, "u", 2);

            assertThat(open(world, "a", 1)).isEqualTo(ScriptCode.POOL_FULL);
            assertThat(World.heartbeat(earlier, List.of("u"), 2, false))
                    .isInstanceOf(WorkerSession.HeartbeatOutcome.Renewed.class);
            assertThat(open(world, "c", 2)).isEqualTo(ScriptCode.POOL_FULL);

            assertThat(open(world, "a", 2))
                    .as("it takes the place of its own earlier one")
                    .isEqualTo(ScriptCode.OK);
            assertThat(World.heartbeat(earlier, List.of("u"), 2, false))
                    .isEqualTo(new WorkerSession.HeartbeatOutcome.Fenced());
        }
    }

    @Test
    void givesBackWhatASuccessorCannotReadWithoutALoss() {
        try (World world = new World(lifecycle())) {
            world.open("u", 5);
            World.claim(world.session("a"), "u", 2);
            String set = world.key("u");
            REDIS.store().ask(redis -> redis.hset(set, "spec", "{\"written\": \"by a newer operator\"}"));
            WorkerSessions.Outcome outcome =
                    world.lifecycle.sessions(world.keyspace).open(World.worker("a"), Duration.ofSeconds(30));
            try (WorkerSession successor = ((WorkerSessions.Outcome.Opened) outcome).session()) {
                List<Takeover> found = successor.orphans().stream()
                        .map(orphan -> new Takeover(orphan.uid(), orphan.id(), orphan.place()))
                        .toList();
                assertThat(found).hasSize(2);
                assertThat(successor.adopt(found)).isEmpty();
                assertThat(world.look("u").running()).isZero();
                assertThat(world.look("u").lost()).isZero();
            }
        }
    }

    @Override
    Lifecycle lifecycle() {
        return new Lifecycle(REDIS.store());
    }

    @Test
    void drainMarksOfPodsThatAreGoneAreTakenBack() {
        World world = new World(lifecycle());
        for (String pod : List.of("gone", "stays", "gone-too")) {
            world.pools.drain("p", pod);
        }
        world.pools.keepDraining("p", List.of("stays", "new"));
        assertThat(marks(world)).containsExactly("stays");
        world.pools.keepDraining("p", List.of());
        assertThat(marks(world)).isEmpty();
    }

    private static Set<String> marks(World world) {
        return REDIS.store().ask(redis -> redis.smembers(world.keyspace.poolDraining("p")));
    }
}
