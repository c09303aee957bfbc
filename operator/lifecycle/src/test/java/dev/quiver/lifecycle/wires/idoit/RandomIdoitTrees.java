package dev.quiver.lifecycle.wires.idoit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;

import dev.quiver.lifecycle.redis.RedisStore;

/** Random trees over a pool of npm's idoit and one of Quiver, and how each of them has to end. */
public final class RandomIdoitTrees {

    private static final int SEED = 42;

    private final String ofNpm;
    private final String ofQuiver;
    private final List<String> leaves;
    private final List<Plan> plans;

    /** A tree, and whether it is to be cancelled once all but its last leaf is over. */
    public record Plan(Spec tree, boolean cancelled) {}

    /**
     * Always the same ones for the same arguments.
     *
     * @param leaves types of them
     */
    public RandomIdoitTrees(int count, String ofNpm, String ofQuiver, List<String> leaves) {
        this.ofNpm = ofNpm;
        this.ofQuiver = ofQuiver;
        this.leaves = List.copyOf(leaves);
        Random random = new Random(SEED);
        this.plans = IntStream.range(0, count)
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

    private Spec tree(Random random, int depth) {
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
        return Spec.task(leaves.get(random.nextInt(leaves.size())), pool(random), args);
    }

    private String pool(Random random) {
        return random.nextBoolean() ? ofNpm : ofQuiver;
    }

    /** In the order of creation. */
    public List<Plan> plans() {
        return plans;
    }

    /**
     * Waits for the end of all trees, of which some are cancelled.
     *
     * @param roots ids, in the order of the plans
     * @return a text for each tree, in which two ends are equal but for what {@link FinalState} leaves out
     */
    public List<String> outcomes(RedisStore store, String prefix, List<String> roots, Consumer<String> cancel) {
        awaitQuiet(store, prefix);
        for (int i = 0; i < plans.size(); i++) {
            if (plans.get(i).cancelled()) {
                cancel.accept(roots.get(i));
            }
        }
        awaitQuiet(store, prefix);
        FinalState all = new FinalState(store, prefix);
        assertThat(all.otherKeys()).containsExactly("finished", "h:commands");
        return IntStream.range(0, plans.size())
                .mapToObj(i -> plans.get(i).tree().json() + "\n" + all.outcome(roots.get(i)))
                .toList();
    }

    /** Only tasks that nobody runs are left, and composites that wait for them. */
    private static void awaitQuiet(RedisStore store, String prefix) {
        Awaitility.await("the end of all trees")
                .atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> {
                    assertThat(new FinalState(store, prefix).otherKeys())
                            .isSubsetOf("finished", "idle", "waiting", "h:commands");
                    long waiting = store.ask(redis -> redis.scard(prefix + "waiting"));
                    long held = store.ask(redis -> redis.zcard(prefix + "h:commands"));
                    assertThat(waiting).isIn(0L, held);
                });
    }
}
