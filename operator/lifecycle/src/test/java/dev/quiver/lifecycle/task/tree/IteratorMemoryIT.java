package dev.quiver.lifecycle.task.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/** The keyspace of an iterator with many children holds those of its window, however many have been there. */
class IteratorMemoryIT {

    private static final int WINDOW = 100;
    private static final int FEW = 2_000;

    /** 1,000,000 with {@code -Dquiver.children=1000000}. */
    private static final int MANY = Integer.getInteger("quiver.children", 20_000);

    /** Bytes that Redis may take at most for the window, its clients' buffers included. */
    private static final long MOST_BYTES = 4L << 20;

    /** Tasks that a worker holds beside those that wait, as {@link World#work} claims them. */
    private static final int HELD = 64;

    /** Several looks at the keyspace for each window of children. */
    private static final int LOOK_EVERY = 25;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private long mostBytes;

    private static long used() {
        String memory = REDIS.store().ask(redis -> redis.info("memory"));
        return memory.lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void keyspaceHoldsTheWindowHoweverManyChildrenThereAre() {
        Map<String, Long> few = peak(FEW);
        long before = used();
        Map<String, Long> many = peak(MANY);
        long grown = mostBytes - before;
        assertThat(many).as("most entries of each key").isEqualTo(few);
        assertThat(many).containsEntry("task:nodes", 1L + WINDOW).containsEntry("task:children", (long) WINDOW);
        assertThat(grown).isLessThan(MOST_BYTES);
        assertThat(many.values()).allSatisfy(entries -> assertThat(entries).isLessThanOrEqualTo(1 + WINDOW + HELD));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cancel", "deadline of the tree", "deadline of the node", "drop"})
    void endlessIteratorEndsOnceAndLeavesNoChild(String how) {
        Optional<Duration> soon = Optional.of(Duration.ofMillis(500));
        try (World world = new World(REDIS)) {
            TreeNode.IteratorNode endless = new TreeNode.IteratorNode(
                    "p",
                    Optional.of("h"),
                    1,
                    WINDOW,
                    OnChildError.FAIL,
                    how.equals("deadline of the node") ? soon : Optional.empty(),
                    World.body("iterate", "h"));
            assertThat(world.trees.create(new TaskTree(
                            "t",
                            World.chain(endless, World.leaf("never")),
                            Optional.empty(),
                            true,
                            how.equals("deadline of the tree") ? soon : Optional.empty(),
                            Duration.ZERO,
                            Optional.empty())))
                    .isEqualTo(Trees.Created.BEGUN);
            World.Worker worker = world.worker("p", "h");
            long most = 3 + WINDOW;
            for (int i = 0; i < 40; i++) {
                pass(worker);
                assertThat(world.nodes()).isLessThanOrEqualTo(most);
            }
            List<Claim> late = List.copyOf(worker.held);
            switch (how) {
                case "cancel" ->
                    assertThat(world.trees.change("t", Trees.Change.CANCEL)).isTrue();
                case "drop" -> world.trees.drop("t", 3);
                default ->
                    Awaitility.await().until(() -> {
                        world.tick();
                        return world.state("t").over();
                    });
            }
            Awaitility.await().until(() -> {
                world.tick();
                return world.nodes() <= 3;
            });
            assertThat(worker.step(late.stream().map(IteratorMemoryIT::ended).toList(), 8)
                            .verdicts())
                    .hasSize(late.size())
                    .containsOnly(StepCall.Verdict.VOID);
            assertThat(worker.held).isEmpty();
            if (how.equals("drop")) {
                Awaitility.await().until(() -> {
                    world.tick();
                    return world.nodes() == 0;
                });
                assertThat(world.trees.find("t")).isEmpty();
            } else {
                assertThat(world.state("t").error().map(NodeError::reason))
                        .hasValue(how.equals("cancel") ? "Cancelled" : "DeadlineExceeded");
            }
            assertThat(entries(world)).doesNotContainKeys("task:children", "pool:p:tasks:plain", "task:parked");
        }
    }

    /** All that is held ends well, and an iterator makes as many children as there is room for. */
    private static void pass(World.Worker worker) {
        worker.step(
                List.copyOf(worker.held).stream().map(IteratorMemoryIT::ended).toList(), 64);
    }

    private static Settlement ended(Claim claim) {
        return World.passed(claim, isIterate(claim) ? answer(claim, Integer.MAX_VALUE) : "1");
    }

    /** The most entries that each key had while so many children were worked off. */
    private Map<String, Long> peak(int children) {
        try (World world = new World(REDIS)) {
            world.begin("t", iterator());
            Map<String, Long> peak = new TreeMap<>();
            AtomicInteger calls = new AtomicInteger();
            world.work(world.worker("p", "h"), claim -> {
                if (calls.getAndIncrement() % LOOK_EVERY == 0) {
                    entries(world).forEach((key, entries) -> peak.merge(key, entries, Math::max));
                    mostBytes = Math.max(mostBytes, used());
                }
                return Optional.of(isIterate(claim) ? answer(claim, children) : "1");
            });
            assertThat(world.state("t"))
                    .returns(TreeState.State.FINISHED, TreeState::state)
                    .returns((long) children, TreeState::progress);
            assertThat(world.nodes()).isEqualTo(1);
            return peak;
        }
    }

    /** Each key of the keyspace without its prefix and without a session's id, and how many entries it has. */
    private static Map<String, Long> entries(World world) {
        String prefix = world.keyspace.prefix();
        Map<String, Long> entries = new TreeMap<>();
        for (String key : world.store.ask(redis -> redis.keys(prefix + "*"))) {
            long count = switch (world.store.ask(redis -> redis.type(key))) {
                case "hash" -> world.store.ask(redis -> redis.hlen(key));
                case "zset" -> world.store.ask(redis -> redis.zcard(key));
                case "set" -> world.store.ask(redis -> redis.scard(key));
                case "list" -> world.store.ask(redis -> redis.llen(key));
                case "stream" -> world.store.ask(redis -> redis.xlen(key));
                default -> 1;
            };
            entries.put(key.substring(prefix.length()).replaceFirst("(held|session):.*", "$1"), count);
        }
        return entries;
    }

    private static boolean isIterate(Claim claim) {
        return claim.task().name().equals("iterate");
    }

    private static TreeNode iterator() {
        return new TreeNode.IteratorNode(
                "p", Optional.of("h"), 1, WINDOW, OnChildError.FAIL, Optional.empty(), World.body("iterate", "h"));
    }

    private static String answer(Claim claim, int children) {
        String[] progress = ((TaskLeaf) claim.task()).progress().split(" ", 4);
        int created = Integer.parseInt(progress[0]);
        int more = Math.min(children - created, Integer.parseInt(progress[2]));
        String task = "{\"handler\":\"h\",\"name\":\"child\",\"args\":[1]}";
        return more == 0
                ? "null"
                : "{\"state\":" + created + ",\"tasks\":[" + task + ("," + task).repeat(more - 1) + "]}";
    }
}
