package dev.quiver.lifecycle.wires.idoit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.Trees.Change;
import dev.quiver.lifecycle.wires.idoit.RandomIdoitTrees.Plan;

/**
 * The same random trees by npm's idoit alone, by Quiver alone, and by both while either is killed: the keyspaces are equal
 * at the end.
 */
class RandomIdoitTreesIT {
    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final int TREES = 500;
    private static final List<String> LEAVES = List.of("echo", "last", "nothing", "sum", "flaky", "steps");
    private static final RandomIdoitTrees ALL = new RandomIdoitTrees(TREES, "n", "p", LEAVES);

    /** Locks that lapse soon behind those who are killed. */
    private static final Duration SHORT = Duration.ofMillis(1500);

    /** Where nobody is killed none lapses, however busy the machine is. */
    private static final Duration PATIENT = Duration.ofMinutes(5);

    @Test
    void keyspacesAreEqualAtTheEnd() throws Exception {
        List<Plan> plans = ALL.plans();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) { // the client of Redis needs the common pool
            Future<List<String>> byQuiver = threads.submit(() -> byQuiver(plans));
            Future<List<String>> byBoth = threads.submit(() -> byBoth(plans));
            List<String> byNpm = byNpm(plans);
            assertThat(byNpm.stream().distinct().count()).isGreaterThan(TREES / 2);
            assertEqual(byQuiver.get(), byNpm);
            assertEqual(byBoth.get(), byNpm);
        }
    }

    /** Tree by tree, so that a difference is found. */
    private static void assertEqual(List<String> seen, List<String> expected) {
        for (int i = 0; i < TREES; i++) {
            assertThat(seen.get(i)).as("tree %d", i).isEqualTo(expected.get(i));
        }
    }

    private static IdoitWorld world(Duration lock) {
        IdoitWorld world = new IdoitWorld(REDIS, lock, IdoitInteropIT.TYPES);
        world.pool("n", IdoitInteropIT.TYPES);
        return world;
    }

    private static NpmIdoit npm(IdoitWorld world, String... pools) {
        return NpmIdoit.worker(REDIS.process().port(), world.prefix, pools);
    }

    private static List<String> byNpm(List<Plan> plans) {
        try (IdoitWorld world = world(SHORT);
                NpmIdoit npm = npm(world, "n", "p")) {
            List<String> roots =
                    plans.stream().map(plan -> npm.run(plan.tree())).toList();
            return ALL.outcomes(world.store, world.prefix, roots, id -> npm.cancel(id));
        }
    }

    private static List<String> byQuiver(List<Plan> plans) {
        try (IdoitWorld world = world(PATIENT);
                Hands p = new Hands(world, "p", Hands.ALL);
                Hands n = new Hands(world, "n", Hands.ALL)) {
            List<String> roots = IntStream.range(0, TREES)
                    .mapToObj(i -> created(world, "t" + i, plans.get(i)))
                    .toList();
            List<String> outcomes =
                    ALL.outcomes(world.store, world.prefix, roots, id -> world.trees.change(id, Change.CANCEL));
            Map<String, Integer> runs = new TreeMap<>(p.runsOf);
            n.runsOf.forEach((task, count) -> runs.merge(task, count, Integer::sum));
            assertRanAsOftenAsTheirRetriesSay(world, runs);
            return outcomes;
        }
    }

    /** None is lost and none run twice: what ended has begun once, and once more for each retry. */
    private static void assertRanAsOftenAsTheirRetriesSay(IdoitWorld world, Map<String, Integer> runs) {
        assertThat(runs).isEqualTo(expectedRuns(world));
    }

    private static Map<String, Integer> expectedRuns(IdoitWorld world) {
        Map<String, Integer> expected = new TreeMap<>();
        for (String key : world.keys()) {
            String id = key.substring(world.prefix.length());
            Map<String, String> task =
                    world.store.ask(redis -> redis.type(key)).equals("hash") ? world.task(id) : Map.of();
            boolean ran = task.containsKey("error")
                    ? !task.get("error").contains("CANCELED")
                    : "\"finished\"".equals(task.get("state"));
            if (ran && !task.containsKey("children_finished")) {
                expected.put(id, 1 + Integer.parseInt(task.get("retries")));
            }
        }
        assertThat(expected).hasSizeGreaterThan(100);
        return expected;
    }

    /** No process is killed: the functions of both sides count. */
    @Test
    void bothTogetherRunNoTaskTwice() {
        RandomIdoitTrees some = new RandomIdoitTrees(150, "n", "p", LEAVES);
        try (IdoitWorld world = world(PATIENT);
                NpmIdoit npm = NpmIdoit.worker(REDIS.process().port(), world.prefix, PATIENT, "n");
                Hands hands = new Hands(world, "p", Hands.ALL)) {
            world.grants.revoke("n");
            List<String> roots = new ArrayList<>();
            for (Plan plan : some.plans()) {
                roots.add(roots.size() % 2 == 0 ? npm.run(plan.tree()) : created(world, "t" + roots.size(), plan));
            }
            some.outcomes(world.store, world.prefix, roots, npm::cancel);
            Map<String, Integer> byNpm = new TreeMap<>();
            npm.runs()
                    .properties()
                    .forEach(task -> byNpm.put(task.getKey(), task.getValue().intValue()));
            assertRanTogether(expectedRuns(world), hands.runsOf, byNpm);
        }
    }

    /**
     * Each task ran at one side, and as often as its retries say. Npm reads a task before it locks it, and locks it where it
     * may start. A task that failed and may start again in between is run with the retries that were read: one run more than
     * are counted. Quiver reads and locks in one script.
     */
    private static void assertRanTogether(
            Map<String, Integer> expected, Map<String, Integer> byQuiver, Map<String, Integer> byNpm) {
        assertThat(byQuiver).isNotEmpty();
        assertThat(byNpm).isNotEmpty().doesNotContainKeys(byQuiver.keySet().toArray(String[]::new));
        Map<String, Integer> all = new TreeMap<>(byQuiver);
        byNpm.forEach((task, runs) -> {
            boolean read = expected.getOrDefault(task, 0) > 1 && runs == expected.get(task) + 1;
            all.put(task, read ? expected.get(task) : runs);
        });
        assertThat(all).isEqualTo(expected);
    }

    private static String created(IdoitWorld world, String id, Plan plan) {
        world.trees.create(TaskTree.of(id, plan.tree().node()));
        return id;
    }

    /** Npm works at n, Quiver at p; either creates every other tree. */
    private static List<String> byBoth(List<Plan> plans) {
        try (IdoitWorld world = world(SHORT);
                NpmIdoit producer = NpmIdoit.idle(REDIS.process().port(), world.prefix);
                Hands hands = new Hands(world, "p", Hands.ALL)) {
            world.grants.revoke("n");
            List<String> roots = new ArrayList<>();
            Supplier<NpmIdoit> start = () -> npm(world, "n");
            NpmIdoit npm = start.get();
            try {
                for (int i = 0; i < TREES; i++) {
                    Plan plan = plans.get(i);
                    roots.add(i % 2 == 0 ? producer.run(plan.tree()) : created(world, "t" + i, plan));
                    if (i % 100 == 50) {
                        npm.kill();
                        npm = start.get();
                        hands.die();
                    }
                }
                return ALL.outcomes(world.store, world.prefix, roots, id -> {
                    if (id.startsWith("t")) {
                        world.trees.change(id, Change.CANCEL);
                    } else {
                        producer.cancel(id);
                    }
                });
            } finally {
                npm.kill();
            }
        }
    }
}
