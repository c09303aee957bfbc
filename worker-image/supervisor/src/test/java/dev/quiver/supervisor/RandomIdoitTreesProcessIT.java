package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.Trees.Change;
import dev.quiver.lifecycle.wires.idoit.IdoitTrees;
import dev.quiver.lifecycle.wires.idoit.IdoitType;
import dev.quiver.lifecycle.wires.idoit.NpmIdoit;
import dev.quiver.lifecycle.wires.idoit.RandomIdoitTrees;
import dev.quiver.lifecycle.wires.idoit.RandomIdoitTrees.Plan;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/**
 * Random trees by npm's idoit, and by a pod of real parts beside it while the processes of either side are killed. The
 * keyspaces are equal at the end.
 */
class RandomIdoitTreesProcessIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final int TREES = Integer.getInteger("quiver.idoit.trees", 60);
    private static final String OF_NPM = "n";
    private static final long TERM = 1;

    private static final String FUNCTIONS = """
            import quiver

            class Error(Exception):
                pass

            def sum_of(value):
                if isinstance(value, list):
                    return sum(map(sum_of, value))
                return value if isinstance(value, (int, float)) else 0

            @quiver.handler("echo")
            def echo(*args):
                return list(args)

            @quiver.handler("sum")
            def total(*args):
                return sum_of(list(args))

            @quiver.handler("steps")
            def steps(*args, task):
                task.progress(1, 3)
                task.progress(2, 3)
                return len(args)

            @quiver.handler("fail")
            def fail(*args):
                raise Error(f"no {args[0]}")

            @quiver.iterator("walk")
            def walk(*args):
                (count, child, pool), it = args[:3], args[-1]
                at = it.state or 0
                return {
                    "state": min(at + 3, count),
                    "tasks": [quiver.call(child, n, pool=pool, max_trials=2) for n in range(at, min(at + 3, count))],
                } if at < count else None
            """;

    private static final List<IdoitType> TYPES = List.of("echo", "sum", "steps", "fail", "walk").stream()
            .map(name -> new IdoitType(name, name, 2, Duration.ofMillis(20), Patience.LIMIT))
            .toList();

    private final RandomIdoitTrees trees =
            new RandomIdoitTrees(TREES, OF_NPM, PoolFixture.POOL, List.of("echo", "sum", "steps"));

    @TempDir
    private Path modules;

    @Test
    void keyspacesAreEqualAtTheEnd() throws IOException {
        AgentProcess.assumeBuilt();
        List<String> byNpm;
        try (PoolFixture pool = new PoolFixture(REDIS.endpoint());
                NpmIdoit npm = npm("alone:", OF_NPM, PoolFixture.POOL)) {
            List<String> roots =
                    trees.plans().stream().map(plan -> npm.run(plan.tree())).toList();
            byNpm = trees.outcomes(pool.store(), "alone:", roots, npm::cancel);
        }
        assertThat(byNpm.stream().distinct().count()).isGreaterThan(TREES / 2);
        assertThat(byBoth()).isEqualTo(byNpm);
    }

    private static NpmIdoit npm(String prefix, String... pools) {
        return NpmIdoit.worker(REDIS.process().port(), prefix, pools);
    }

    private List<String> byBoth() throws IOException {
        Files.writeString(modules.resolve("functions.py"), FUNCTIONS);
        String prefix = "both:";
        NpmIdoit npm = npm(prefix, OF_NPM);
        try (PoolFixture pool = new PoolFixture(REDIS.endpoint()).reaping();
                NpmIdoit producer = NpmIdoit.idle(REDIS.process().port(), prefix);
                WorkerPod pod = WorkerPod.of("a", pool, REDIS.endpoint(), 4, Patience.LIMIT)
                        .serving(PythonEnvironment.serving("functions"), PythonEnvironment.variables(modules))) {
            pool.lifecycle().grants(pool.keyspace(), TERM).grant(PoolFixture.POOL, prefix, TYPES);
            pod.start();
            IdoitTrees ours = pool.lifecycle().trees(pool.keyspace(), prefix, PoolFixture.POOL, TERM);
            Function<Plan, String> created = plan -> {
                String id = "t" + trees.plans().indexOf(plan);
                ours.create(TaskTree.of(id, plan.tree().node()));
                return id;
            };
            List<String> roots = new ArrayList<>();
            for (Plan plan : trees.plans()) {
                int i = roots.size();
                roots.add(i % 2 == 0 ? producer.run(plan.tree()) : created.apply(plan));
                if (i == TREES / 3) {
                    pod.supervisor().signal("KILL");
                    pod.supervisor().awaitEnd();
                    pod.startSupervisor();
                    npm.kill();
                    npm = npm(prefix, OF_NPM);
                } else if (i == TREES * 2 / 3) {
                    pod.supervisor().signal("KILL");
                    pod.supervisor().awaitEnd();
                    pod.agent().signal("KILL");
                    pod.agent().awaitEnd();
                    pod.startSupervisor();
                    pod.startAgent();
                }
            }
            return trees.outcomes(pool.store(), prefix, roots, id -> {
                if (id.startsWith("t")) {
                    ours.change(id, Change.CANCEL);
                } else {
                    producer.cancel(id);
                }
            });
        } finally {
            npm.close();
        }
    }
}
