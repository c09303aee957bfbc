package dev.quiver.lifecycle.task.idoit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.TaskTree;
import dev.quiver.lifecycle.task.Trees.Change;

/**
 * The same random trees by npm's idoit alone, by Quiver alone, and by both while either is killed: the keyspaces are equal
 * at the end.
 */
class RandomIdoitTreesIT {
    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final int TREES = 500;
    private static final int SEED = 42;
    private static final List<String> LEAVES = List.of("echo", "last", "nothing", "sum", "flaky", "steps");

    /** A tree, and whether it is to be cancelled once all but its last leaf is over. */
    private record Plan(Spec tree, boolean cancelled) {}

    private static List<Plan> plans() {
        Random random = new Random(SEED);
        return IntStream.range(0, TREES)
                .mapToObj(i -> {
                    boolean cancelled = random.nextInt(10) == 0;
                    Spec tree = tree(random, 3);
                    boolean fails = !cancelled && random.nextInt(6) == 0;
                    if (cancelled) {
                        return new Plan(Spec.group(pool(random), tree, Spec.task("hold", "h")), true);
                    }
                    return new Plan(
                            fails ? Spec.chain(pool(random), tree, Spec.task("fail", pool(random), i), tree) : tree,
                            false);
                })
                .toList();
    }

    private static Spec tree(Random random, int depth) {
        int kind = random.nextInt(depth > 0 ? 8 : 5);
        if (kind == 5) {
            String child = random.nextBoolean() ? "echo" : "sum";
            return Spec.task("walk", pool(random), random.nextInt(8), "\"" + child + "\"", "\"" + pool(random) + "\"");
        }
        if (kind > 5) {
            Spec[] children = IntStream.range(0, 1 + random.nextInt(3))
                    .mapToObj(i -> tree(random, depth - 1))
                    .toArray(Spec[]::new);
            return kind == 6 ? Spec.chain(pool(random), children) : Spec.group(pool(random), children);
        }
        Object[] args = IntStream.range(0, random.nextInt(3))
                .mapToObj(i -> List.of("0", "1.50", "\"\"", "\"é\"", "[1,{\"b\":1,\"0\":2}]", "false", "-3")
                        .get(random.nextInt(7)))
                .toArray();
        return Spec.task(LEAVES.get(random.nextInt(LEAVES.size())), pool(random), args);
    }

    private static String pool(Random random) {
        return random.nextBoolean() ? "n" : "p";
    }

    @Test
    void keyspacesAreEqualAtTheEnd() throws Exception {
        List<Plan> plans = plans();
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

    private static IdoitWorld world() {
        IdoitWorld world = new IdoitWorld(REDIS, Duration.ofMillis(1500), IdoitInteropIT.TYPES);
        world.pool("n", IdoitInteropIT.TYPES);
        return world;
    }

    private static NpmIdoit npm(IdoitWorld world, String... pools) {
        return NpmIdoit.worker(REDIS.process().port(), world.prefix, pools);
    }

    private static List<String> byNpm(List<Plan> plans) {
        try (IdoitWorld world = world();
                NpmIdoit npm = npm(world, "n", "p")) {
            List<String> roots =
                    plans.stream().map(plan -> npm.run(plan.tree())).toList();
            return outcomes(world, plans, roots, id -> npm.cancel(id));
        }
    }

    private static List<String> byQuiver(List<Plan> plans) {
        try (IdoitWorld world = world();
                Hands p = new Hands(world, "p", Hands.ALL);
                Hands n = new Hands(world, "n", Hands.ALL)) {
            List<String> roots = IntStream.range(0, TREES)
                    .mapToObj(i -> created(world, "t" + i, plans.get(i)))
                    .toList();
            List<String> outcomes = outcomes(world, plans, roots, id -> world.trees.change(id, Change.CANCEL));
            assertThat(p.runs.get() + n.runs.get()).isGreaterThan(TREES);
            return outcomes;
        }
    }

    private static String created(IdoitWorld world, String id, Plan plan) {
        world.trees.create(TaskTree.of(id, plan.tree().node()));
        return id;
    }

    /** Npm works at n, Quiver at p; either creates every other tree. */
    private static List<String> byBoth(List<Plan> plans) {
        try (IdoitWorld world = world();
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
                return outcomes(world, plans, roots, id -> {
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

    private static List<String> outcomes(
            IdoitWorld world, List<Plan> plans, List<String> roots, Consumer<String> cancel) {
        awaitQuiet(world);
        for (int i = 0; i < TREES; i++) {
            if (plans.get(i).cancelled()) {
                cancel.accept(roots.get(i));
            }
        }
        awaitQuiet(world);
        FinalState all = new FinalState(world);
        assertThat(all.otherKeys()).containsExactly("finished", "h:commands");
        return IntStream.range(0, TREES)
                .mapToObj(i -> plans.get(i).tree().json() + "\n" + all.outcome(roots.get(i)))
                .toList();
    }

    /** Only tasks that nobody runs are left, and composites that wait for them. */
    private static void awaitQuiet(IdoitWorld world) {
        Awaitility.await("the end of all trees")
                .atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> {
                    assertThat(new FinalState(world).otherKeys())
                            .isSubsetOf("finished", "idle", "waiting", "h:commands");
                    long waiting = world.store.ask(redis -> redis.scard(world.prefix + "waiting"));
                    long held = world.store.ask(redis -> redis.zcard(world.prefix + "h:commands"));
                    assertThat(waiting).isIn(0L, held);
                });
    }
}
