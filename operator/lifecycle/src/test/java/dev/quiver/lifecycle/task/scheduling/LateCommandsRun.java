package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

import io.lettuce.core.Range;

import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;

/**
 * One random life of tasks with resources, permits and rates, in which commands are run late and in any order: whoever
 * left them has died. Never do more tasks run with a name than it has permits, and in the end none waits. The same seed
 * gives the same life.
 */
final class LateCommandsRun {

    private static final List<String> NAMES = List.of("online", "db", "unit!1", "unit!2", "api!x");
    private static final List<String> GATES = List.of("online", "db", "unit!*", "unit!1");
    private static final List<String> OWNERS = List.of("one", "other");
    private static final Map<String, Integer> PERMITS = Map.of("db", 3, "unit!1", 1, "unit!2", 1);

    /** Starts of {@code api!x} in its window of a second. */
    private static final int RATE = 25;

    private static final Map<String, PoolOrder.Declared> DECLARED = Map.of(
            "online",
            PoolOrder.Declared.uncounted(true),
            "db",
            Declarations.permits(3),
            "unit!*",
            Declarations.permits(1),
            "api!*",
            Declarations.rate(RATE, 1));

    /** Turns without any task after which one that waits would wait for ever. */
    private static final int IDLE = 500;

    private final Random random;
    private final World world;
    private final PoolOrder order;
    private final TaskCommands commands;
    private final List<World.Worker> workers = new ArrayList<>();
    private final Map<String, List<String>> needs = new HashMap<>();
    private final Set<String> done = new HashSet<>();
    private int made;

    LateCommandsRun(long seed, RedisServer redis) {
        this.random = new Random(seed);
        this.world = new World(redis);
        this.order = new PoolOrder(new LeaderCalls(world.store, world.keyspace, 1));
        this.commands = new TaskCommands(world.store, world.keyspace);
    }

    /** Tasks that were made. */
    int run(int steps) {
        try (world) {
            order.arrange("p", new PoolOrder.Wishes(Map.of(), 0, Optional.empty(), DECLARED, Map.of()));
            workers.add(world.worker("p", "h", "h#plan", "i"));
            workers.add(world.worker("p", "h", "h#plan"));
            workers.add(world.worker("p", "i"));
            for (int i = 0; i < steps; i++) {
                act();
                check();
            }
            GATES.forEach(name -> OWNERS.forEach(owner -> gate(name, owner, "open")));
            finish();
            return made;
        }
    }

    private void act() {
        int dice = random.nextInt(100);
        if (dice < 35) {
            make(1 + random.nextInt(8));
        } else if (dice < 70) {
            World.Worker worker = workers.get(random.nextInt(workers.size()));
            step(worker, random.nextInt(3), random.nextInt(20));
        } else if (dice < 76) {
            boost();
        } else if (dice < 86) {
            gate(
                    GATES.get(random.nextInt(GATES.size())),
                    OWNERS.get(random.nextInt(OWNERS.size())),
                    random.nextBoolean() ? "close" : "open");
        } else {
            runSome();
        }
    }

    /** Each is a class of its own as often as not, so that a change does not reach all of them at once. */
    private void make(int count) {
        for (int i = 0; i < count; i++) {
            String id = "x" + made++;
            List<String> names = new ArrayList<>(NAMES);
            Collections.shuffle(names, random);
            List<String> its = List.copyOf(names.subList(0, random.nextInt(3)));
            List<String> tags = random.nextBoolean() ? List.of("all", id) : List.of("all");
            Rank rank = new Rank(random.nextInt(3), tags, Optional.empty(), its);
            boolean planned = random.nextInt(6) == 0;
            String handler = planned || random.nextBoolean() ? "h" : "i";
            needs.put(id, its);
            world.begin(
                    id,
                    new TreeNode.Leaf(
                            "p",
                            Optional.of(handler),
                            100,
                            1,
                            rank,
                            planned ? World.body(id, handler).planned(5) : World.body(id, handler)));
        }
    }

    /** Settles one of so many of its tasks, or all; what it leaves is left to others. */
    private void step(World.Worker worker, int oneOf, int wanted) {
        List<Settlement> settlements = new ArrayList<>();
        for (Claim claim : List.copyOf(worker.held)) {
            if (oneOf == 0 || random.nextInt(oneOf + 1) == 0) {
                settlements.add(settle(claim, oneOf == 0));
            }
        }
        for (Claim claim : worker.step(settlements, wanted).claims()) {
            assertThat(done).as("runs once").doesNotContain(claim.id());
        }
    }

    private Settlement settle(Claim claim, boolean well) {
        if (claim.task().plans()) {
            return World.brought(claim, "{}");
        }
        if (!well && random.nextInt(4) == 0) {
            return new Settlement.Returned(claim);
        }
        done.add(claim.id());
        return World.passed(claim, "1");
    }

    private void boost() {
        world.store.run(
                TaskScripts.BOOST,
                TaskScripts.BOOST.keys(TaskScriptKeys.of(world.keyspace, "")::key, world.keys.queue("p")),
                "",
                OWNERS.get(random.nextInt(OWNERS.size())),
                "",
                "all",
                Integer.toString(random.nextInt(20) - 10));
    }

    private void gate(String name, String owner, String what) {
        world.store.run(
                TaskScripts.GATE,
                TaskScripts.GATE.keys(TaskScriptKeys.of(world.keyspace, "")::key, world.keys.queue("p")),
                owner,
                name,
                what,
                "");
    }

    private void runSome() {
        List<String> due = due();
        Collections.shuffle(due, random);
        commands.run(due.subList(0, Math.min(due.size(), 1 + random.nextInt(5))), new CallBudget(1));
    }

    private List<String> due() {
        return new ArrayList<>(world.store.ask(
                redis -> redis.zrangebyscore(world.keys.commands(), Range.create(0, System.currentTimeMillis()))));
    }

    private void check() {
        PERMITS.forEach((name, most) -> assertThat(workers.stream()
                        .flatMap(worker -> worker.held.stream())
                        .filter(claim -> !claim.task().plans())
                        .filter(claim -> needs.get(claim.id()).contains(name))
                        .count())
                .as("who runs with %s", name)
                .isLessThanOrEqualTo(most));
        new Resources(world.store, world.keyspace)
                .read("p", Resources.MOST_READ)
                .resources()
                .forEach(state -> state.permits()
                        .ifPresent(permits -> assertThat(permits.used())
                                .as(state.name())
                                .isLessThanOrEqualTo(PERMITS.getOrDefault(state.name(), RATE))));
    }

    private void finish() {
        for (int idle = 0; done.size() < made; idle++) {
            assertThat(idle)
                    .as("turns without a task; %s of %s are done", done.size(), made)
                    .isLessThan(IDLE);
            int before = done.size();
            commands.run(due(), new CallBudget(100));
            for (World.Worker worker : workers) {
                step(worker, 0, 30);
            }
            check();
            if (done.size() > before) {
                idle = 0;
            } else {
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos()); // a window of the rate has to end
            }
        }
        workers.forEach(worker -> step(worker, 0, 30));
        for (int i = 0; i < 20; i++) {
            commands.run(due(), new CallBudget(100));
        }
        String hash = world.keys.hash("p");
        for (String field : List.of("left", "running", "delayed", "ranks", "held")) {
            assertThat(Optional.ofNullable(world.store.ask(redis -> redis.hget(hash, field)))
                            .orElse("0"))
                    .as(field)
                    .isEqualTo("0");
        }
        order.forget("p");
        OWNERS.forEach(
                owner -> new Boosts(world.store, world.keyspace).replace("p", owner, Map.of(), Optional.empty()));
        long ranks = world.store.ask(redis -> redis.zcard(world.keys.queue("p").get(6)));
        assertThat(ranks).as("members of the classes").isZero();
    }
}
