package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.producer.Submission;
import dev.quiver.lifecycle.task.producer.TaskProducer;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/**
 * Plans put tasks before their own by chance, with names that others have, while tasks fail, are cancelled and lose their
 * worker. No function begins before all that it waits for has passed, and nothing waits for ever.
 */
class RandomPrecedingTasksIT {

    private static final int ROOTS = 12;
    private static final int TURNS = 400;
    private static final int MOST_MADE = 60;
    private static final List<String> NAMES = List.of("a", "b", "c", "d");

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static TaskTree root(String id) {
        TreeNode leaf = new TreeNode.Leaf(
                "p", Optional.of("h"), 1, 1, Rank.NONE, World.body(id, "h").planned(5));
        return new TaskTree(
                id, leaf, Optional.empty(), false, Optional.empty(), Duration.ZERO, Optional.of(Duration.ofHours(1)));
    }

    private static World.Worker worker(World world) {
        return world.worker("p", "h", "h#plan");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void nothingBeginsTooEarlyAndNothingWaitsForEver(long seed) {
        try (World world = new World(REDIS)) {
            new Play(world, new Random(seed)).run();
        }
    }

    /** One course of things. */
    private static final class Play {
        private final World world;
        private final Random random;
        private final Map<String, Set<String>> before = new HashMap<>(); // tasks to the trees that they wait for
        private final Set<String> passed = new HashSet<>();
        private World.Worker worker;
        private int made;
        private boolean quiet; // nothing fails any more, and nothing new comes

        Play(World world, Random random) {
            this.world = world;
            this.random = random;
            this.worker = worker(world);
        }

        void run() {
            TaskProducer producer = new TaskProducer(world.store, world.keyspace, () -> {});
            for (int i = 0; i < ROOTS; i++) {
                TaskTree root = root("t" + i);
                Submission said = chance(30)
                        ? Submission.named(root, new OnceName(name(), OnceName.Only.WHILE_IT_GOES_ON))
                        : Submission.of(List.of(root));
                producer.submit(said, Duration.ofSeconds(60));
            }
            for (int turn = 0; turn < TURNS; turn++) {
                turn();
            }
            quiet = true;
            for (int idle = 0; idle < 3; idle++) {
                idle = turn() ? -1 : idle;
            }
            for (int i = 0; i < ROOTS; i++) {
                String id = "t" + i;
                world.trees
                        .find(id)
                        .ifPresent(state -> assertThat(state.state().isOver())
                                .as(id + " is " + state.state() + ", and waits for " + before.get(id))
                                .isTrue());
            }
            assertThat(members()).as("that wait for a tree").isEmpty();
        }

        /** Whether anything happened. */
        private boolean turn() {
            if (!quiet && chance(3)) {
                worker.die();
                worker = worker(world);
            }
            if (!quiet && chance(4)) {
                world.trees.change("t" + random.nextInt(ROOTS), Trees.Change.CANCEL);
            }
            List<Settlement> settled = List.copyOf(worker.held).stream()
                    .filter(_ -> quiet || chance(60))
                    .map(this::settle)
                    .toList();
            StepCall.Outcome.Done done = worker.step(settled, quiet ? 64 : random.nextInt(4));
            note();
            done.claims().forEach(this::check);
            if (chance(70)) {
                done.rest().ifPresent(Runnable::run);
            }
            world.tick();
            return !settled.isEmpty() || !done.claims().isEmpty();
        }

        private Settlement settle(Claim claim) {
            boolean plans = claim.task().plans();
            if (!quiet && chance(plans ? 5 : 15)) {
                return World.failed(claim);
            }
            if (!plans) {
                passed.add(claim.id());
                return World.passed(claim, "1");
            }
            if (chance(10)) {
                passed.add(claim.id());
                return World.brought(claim, "{\"done\":true}");
            }
            return World.brought(claim, "{\"before\":" + tasks() + "}");
        }

        private List<String> tasks() {
            List<String> tasks = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (int i = random.nextInt(4); i > 0 && made < MOST_MADE; i--) {
                String name = name();
                String once = chance(50) && names.add(name) ? ",\"once\":{\"name\":\"" + name + "\"}" : "";
                tasks.add("{\"handler\":\"h\",\"maxTrials\":1,\"plan\":" + chance(40) + once + "}");
                made++;
            }
            return tasks;
        }

        /** A function that begins waits for nothing that has not passed. */
        private void check(Claim claim) {
            if (!claim.task().plans()) {
                assertThat(passed).as("before " + claim.id()).containsAll(before.getOrDefault(claim.id(), Set.of()));
            }
        }

        /** The pairs in Redis, which are there from the plan's step to the tree's end. */
        private void note() {
            members()
                    .forEach(pair -> before.computeIfAbsent(pair.substring(pair.indexOf('<') + 1), _ -> new HashSet<>())
                            .add(pair.substring(0, pair.indexOf('<'))));
        }

        private Set<String> members() {
            return world.store.ask(redis -> redis.zrange(world.keyspace.prefix() + "task:children", 0, -1)).stream()
                    .map(String::valueOf)
                    .collect(Collectors.toSet());
        }

        private String name() {
            return NAMES.get(random.nextInt(NAMES.size()));
        }

        private boolean chance(int percent) {
            return random.nextInt(100) < percent;
        }
    }
}
