package dev.quiver.lifecycle.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptLibrary;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;

/**
 * Workers of two releases share a tree while an upgrade rolls. Each calls the functions of its own release, and those of
 * the earlier one leave one after the other. Their Redis user may run no Lua of its own, so a call that does not find the
 * function of its release fails.
 */
class MixedReleasesIT {

    private static final String EARLIER = ScriptLibrary.PREFIX + "0123456789abcdef";
    private static final int GROUPS = 20;
    private static final int LEAVES = 30;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private final Random random = new Random(20260102);

    private static TreeNode tree() {
        return World.chain(IntStream.range(0, GROUPS)
                .mapToObj(i -> World.group(IntStream.range(0, LEAVES)
                        .mapToObj(n -> World.leaf("leaf", n % 2 == 0 ? "p" : "q", "h"))
                        .toArray(TreeNode[]::new)))
                .toArray(TreeNode[]::new));
    }

    private static RedisStore earlier(World world) {
        RedisStore all = REDIS.store();
        all.ask(redis ->
                redis.functionLoad(Lifecycle.LIBRARY.source().replace(Lifecycle.LIBRARY.name(), EARLIER), true));
        String namespace = world.keyspace.namespace();
        PatientStore.grant(all, namespace, Optional.empty(), Lifecycle.LIBRARY);
        String uri =
                "redis://" + namespace + ":secret@127.0.0.1:" + REDIS.process().port();
        return PatientStore.open(RedisEndpoint.standalone(uri), namespace, ScriptLibrary.loaded(EARLIER));
    }

    @Test
    void treeGoesOnWhileWorkersOfAnEarlierReleaseAreReplaced() {
        try (World world = new World(REDIS);
                RedisStore store = earlier(world)) {
            Lifecycle before = new Lifecycle(store, World.BY_HAND);
            List<World.Worker> workers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                workers.add(world.workerOf(before, i % 2 == 0 ? "p" : "q", "h"));
            }
            world.begin("t", tree());
            int replaced = 0;
            for (int round = 0; !world.state("t").over(); round++) {
                assertThat(round).as("rounds without an end").isLessThan(2_000);
                for (World.Worker worker : workers) {
                    worker.step(
                            worker.held.stream()
                                    .filter(_ -> random.nextInt(3) > 0)
                                    .map(claim -> World.passed(claim, "1"))
                                    .toList(),
                            4);
                }
                world.tick();
                if (world.state("t").progress() > (replaced + 1L) * GROUPS * LEAVES / 5 && replaced < workers.size()) {
                    workers.get(replaced).die();
                    workers.set(replaced, world.worker(replaced % 2 == 0 ? "p" : "q", "h"));
                    replaced++;
                }
            }
            TreeState end = world.state("t");
            assertThat(end.state()).as("%s", end).isEqualTo(TreeState.State.FINISHED);
            assertThat(end.progress()).isEqualTo(end.total()).isEqualTo((long) GROUPS * LEAVES);
            assertThat(replaced).isEqualTo(workers.size());
        }
    }
}
