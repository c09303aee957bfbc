package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;

/**
 * One random life of single tasks with and without ranks, against a list of all that wait. Each claim must be what the
 * list has first for its worker. The same seed gives the same life.
 */
final class RankRun {

    private static final List<String> HANDLERS = List.of("a", "b", "c");
    private static final List<String> TAGS = List.of("t0", "t1", "t2", "view:conv:0.42", "t4");
    private static final List<String> OWNERS = List.of("front-end-7", "other");
    private static final List<String> RESOURCES =
            List.of("online", "tenant!acme", "tenant!other", "happy!0", "unknown");
    private static final List<String> GATES = List.of("online", "tenant!acme", "tenant!*", "tenant!other", "happy!0");
    private static final Map<String, Boolean> DECLARED = Map.of("online", true, "tenant!*", true, "happy!*", true);
    private static final int TRIALS = 100;

    /** Losses after which a task runs alone; none of this test has so many. */
    private static final int LOSSES = 1;

    /** A task as the model knows it. */
    private static final class Waiting {
        final String id;
        final String handler;
        Rank rank;
        final int number;
        int losses;

        Waiting(String id, String handler, Rank rank, int number) {
            this.id = id;
            this.handler = handler;
            this.rank = rank;
            this.number = number;
        }
    }

    private final Random random;
    private final World world;
    private final Boosts boosts;
    private final Resources resources;
    private final PoolOrder order;
    private final Map<String, Set<String>> closers = new HashMap<>();
    private Map<String, Boolean> declared = DECLARED;
    private final Map<String, Waiting> queued = new HashMap<>();
    private final Map<String, Waiting> held = new HashMap<>();
    private final Map<String, Map<String, Integer>> worth = new HashMap<>();
    private final Map<World.Worker, List<String>> served = new HashMap<>();
    private final List<World.Worker> workers = new ArrayList<>();
    private int made;
    private long claims;

    RankRun(long seed, RedisServer redis) {
        this.random = new Random(seed);
        this.world = new World(redis);
        this.boosts = new Boosts(world.store, world.keyspace);
        this.resources = new Resources(world.store, world.keyspace);
        this.order = new PoolOrder(new LeaderCalls(world.store, world.keyspace, 1));
    }

    /** Tasks that were made. */
    int run(int steps) {
        try (world) {
            declare();
            worker(HANDLERS);
            worker(List.of("a", "b"));
            worker(List.of("c"));
            for (int i = 0; i < steps; i++) {
                act();
                check();
            }
            empty();
            return made;
        }
    }

    /** Claims that were compared with the list. */
    long claims() {
        return claims;
    }

    private void worker(List<String> handlers) {
        World.Worker worker = world.worker("p", handlers.toArray(String[]::new));
        workers.add(worker);
        served.put(worker, handlers);
    }

    private void act() {
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> make(1 + random.nextInt(6));
            case 3, 4, 5, 6 -> step(workers.get(random.nextInt(workers.size())), random.nextInt(9));
            case 7 -> boost();
            case 8 -> cancel();
            case 9 -> rerank();
            case 10, 11 -> gate();
            case 12 -> {
                declared = new HashMap<>(DECLARED);
                declared.put("online", random.nextBoolean());
                if (random.nextInt(3) == 0) {
                    declared.remove("happy!*");
                }
                declare();
            }
            default -> {
                if (random.nextInt(4) == 0) {
                    die();
                }
            }
        }
    }

    private void make(int count) {
        for (int i = 0; i < count; i++) {
            Waiting task = new Waiting("x" + made, HANDLERS.get(random.nextInt(HANDLERS.size())), rank(), made++);
            assertThat(world.trees.create(tree(task))).isEqualTo(Trees.Created.BEGUN);
            queued.put(task.id, task);
        }
    }

    private static TaskTree tree(Waiting task) {
        return TaskTree.of(
                task.id,
                new TreeNode.Leaf(
                        "p", Optional.of(task.handler), TRIALS, 1, task.rank, World.body(task.id, task.handler)));
    }

    /** One that runs has the new rank if it comes back. */
    private void rerank() {
        for (Waiting task : some()) {
            Rank before = task.rank;
            task.rank = rank();
            boolean other = before.relPriority() != task.rank.relPriority()
                    || !before.tags().equals(task.rank.tags())
                    || !before.resources().equals(task.rank.resources());
            assertThat(world.trees.rank(tree(task))).isEqualTo(other);
            assertThat(world.trees.rank(tree(task))).as("the same once more").isFalse();
        }
    }

    private List<Waiting> some() {
        List<Waiting> all = new ArrayList<>(queued.values());
        all.addAll(held.values());
        all.sort(Comparator.comparingInt(task -> task.number));
        return all.stream().filter(_ -> random.nextInt(4) == 0).limit(3).toList();
    }

    private Rank rank() {
        List<String> tags = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            tags.add(TAGS.get(random.nextInt(TAGS.size())));
        }
        int priority = random.nextInt(3) == 0 ? random.nextInt(5) - 2 : 0;
        List<String> names = new ArrayList<>();
        if (random.nextInt(2) == 0) {
            for (int i = random.nextInt(3); i > 0; i--) {
                names.add(RESOURCES.get(random.nextInt(RESOURCES.size() - (random.nextInt(4) == 0 ? 0 : 1))));
            }
        }
        return random.nextInt(3) == 0 ? Rank.NONE : new Rank(priority, tags, Optional.empty(), names);
    }

    private void declare() {
        order.arrange("p", new PoolOrder.Wishes(Map.of(), 0, Optional.empty(), declared, Map.of()));
    }

    private void gate() {
        String name = GATES.get(random.nextInt(GATES.size()));
        String owner = OWNERS.get(random.nextInt(OWNERS.size()));
        Set<String> all = closers.computeIfAbsent(name, _ -> new HashSet<>());
        if (random.nextBoolean()) {
            assertThat(resources.close("p", owner, name, Optional.empty())).isEqualTo(all.add(owner));
            assertThat(resources.close("p", owner, name, Optional.empty()))
                    .as("the same once more")
                    .isFalse();
        } else if (random.nextInt(4) > 0) {
            assertThat(resources.open("p", owner, name)).isEqualTo(all.remove(owner));
        } else if (!all.isEmpty() || declared.getOrDefault(name, true)) {
            assertThat(resources.openAll("p", owner, name)).isEqualTo(!all.isEmpty());
            all.clear();
        }
    }

    private static String pattern(String name) {
        return name.contains("!") ? name.substring(0, name.indexOf('!') + 1) + "*" : name;
    }

    private Optional<String> missing(Waiting task) {
        return task.rank.resources().stream().filter(this::isMissing).findFirst();
    }

    private boolean isMissing(String name) {
        boolean there = declared.getOrDefault(name, declared.getOrDefault(pattern(name), false));
        return !there
                || !closers.getOrDefault(name, Set.of()).isEmpty()
                || !closers.getOrDefault(pattern(name), Set.of()).isEmpty();
    }

    private void step(World.Worker worker, int wanted) {
        List<Settlement> settlements = new ArrayList<>();
        for (Claim claim : List.copyOf(worker.held)) {
            if (random.nextInt(3) > 0) {
                settlements.add(settle(claim));
            }
        }
        List<String> expected = served(worker, wanted);
        List<String> claimed = claimed(worker.step(settlements, wanted).claims());
        // A claim sets 64 tasks of other handlers aside at most; here it never comes upon so many.
        assertThat(claimed)
                .as("step of %s, wanted %s", served.get(worker), wanted)
                .isEqualTo(expected);
    }

    private List<String> served(World.Worker worker, int wanted) {
        return queued.values().stream()
                .filter(task -> served.get(worker).contains(task.handler))
                .filter(task -> missing(task).isEmpty())
                .sorted(Comparator.<Waiting>comparingLong(task -> -priority(task))
                        .thenComparingInt(task -> task.number))
                .limit(wanted)
                .map(task -> task.id)
                .toList();
    }

    private List<String> claimed(List<Claim> claims) {
        List<String> ids = claims.stream().map(Claim::id).toList();
        ids.forEach(id -> held.put(id, queued.remove(id)));
        this.claims += ids.size();
        return ids;
    }

    private Settlement settle(Claim claim) {
        Waiting task = held.remove(claim.id());
        return switch (random.nextInt(4)) {
            case 0 -> {
                queued.put(task.id, task);
                yield World.failed(claim);
            }
            case 1 -> {
                queued.put(task.id, task);
                yield new Settlement.Returned(claim, Optional.empty(), Duration.ZERO);
            }
            default -> World.passed(claim, "1");
        };
    }

    private long priority(Waiting task) {
        return task.rank.relPriority()
                + task.rank.tags().stream()
                        .mapToLong(tag -> worth.values().stream()
                                .mapToInt(of -> of.getOrDefault(tag, 0))
                                .sum())
                        .sum();
    }

    private void boost() {
        Map<String, Integer> wanted = new TreeMap<>();
        for (String tag : TAGS) {
            if (random.nextBoolean()) {
                wanted.put(tag, random.nextInt(7) - 3);
            }
        }
        String owner = OWNERS.get(random.nextInt(OWNERS.size()));
        boosts.replace("p", owner, wanted, Optional.empty());
        assertThat(boosts.replace("p", owner, wanted, Optional.empty()))
                .as("the same once more")
                .isZero();
        worth.put(owner, wanted);
    }

    private void cancel() {
        List<String> ids = new ArrayList<>(queued.keySet());
        ids.addAll(held.keySet());
        if (ids.isEmpty()) {
            return;
        }
        String id = ids.stream().sorted().toList().get(random.nextInt(ids.size()));
        assertThat(world.trees.change(id, Trees.Change.CANCEL)).isTrue();
        queued.remove(id);
        if (held.remove(id) != null) {
            workers.forEach(worker -> worker.held.stream()
                    .filter(claim -> claim.id().equals(id))
                    .toList()
                    .forEach(claim -> worker.step(List.of(World.passed(claim, "1")), 0)));
        }
    }

    private void die() {
        int which = random.nextInt(workers.size());
        World.Worker dead = workers.get(which);
        if (dead.held.stream().anyMatch(claim -> held.get(claim.id()).losses >= LOSSES)) {
            return;
        }
        dead.die();
        for (Claim claim : dead.held) {
            Waiting task = held.remove(claim.id());
            task.losses++;
            queued.put(task.id, task);
        }
        workers.remove(which);
        worker(served.remove(dead));
    }

    private void check() {
        String hash = world.keys.hash("p");
        long left = queued.size() + held.size();
        assertThat(field(hash, "left")).isEqualTo(left);
        assertThat(field(hash, "running")).isEqualTo(held.size());
        Map<String, Long> blocked = new HashMap<>();
        queued.values().forEach(task -> missing(task).ifPresent(name -> blocked.merge(name, 1L, Long::sum)));
        assertThat(field(hash, "delayed"))
                .as("blocked")
                .isEqualTo(blocked.values().stream().mapToLong(n -> n).sum());
        Resources.Known known = resources.read("p", Resources.MOST_READ);
        Map<String, Long> waiting = new HashMap<>();
        known.resources().stream().filter(state -> state.waiting() > 0).forEach(state -> {
            waiting.put(state.name(), state.waiting());
            assertThat(state.missing()).as(state.name()).isTrue();
        });
        assertThat(waiting).as("who waits for what").isEqualTo(blocked);
        List<Waiting> open =
                queued.values().stream().filter(task -> missing(task).isEmpty()).toList();
        long best = open.stream().mapToLong(this::priority).max().orElse(0);
        assertThat(field(hash, "priority")).as("of the pool's Tasks").isEqualTo(best);
        Double place = world.store.ask(redis -> redis.zscore(world.keyspace.poolReady("p"), TaskQueues.source("p")));
        assertThat(place != null).as("in the pool's order").isEqualTo(!open.isEmpty());
        if (place != null) {
            assertThat(99_999 - (long) Math.floor(place / (1L << 35))).isEqualTo(best);
        }
    }

    private long field(String hash, String field) {
        return Optional.ofNullable(world.store.ask(redis -> redis.hget(hash, field)))
                .map(Long::parseLong)
                .orElse(0L);
    }

    /** All that waits is worked off, and nothing stays of the classes. */
    private void empty() {
        for (World.Worker worker : workers) {
            for (Claim claim : List.copyOf(worker.held)) {
                worker.step(List.of(World.passed(claim, "1")), 0);
            }
        }
        held.clear();
        for (String name : GATES) {
            resources.openAll("p", "test", name);
            closers.clear();
        }
        declared = Map.of("online", true, "tenant!*", true, "happy!*", true, "unknown", true);
        declare();
        check();
        World.Worker all = workers.stream()
                .filter(worker -> served.get(worker).size() == HANDLERS.size())
                .findFirst()
                .orElseThrow();
        while (!queued.isEmpty()) {
            List<String> expected = served(all, 7);
            List<Claim> claims = all.step(List.of(), 7).claims();
            assertThat(claimed(claims)).isEqualTo(expected);
            all.step(claims.stream().map(claim -> World.passed(claim, "1")).toList(), 0);
            held.clear();
        }
        order.forget("p");
        worth.keySet().forEach(owner -> boosts.replace("p", owner, Map.of(), Optional.empty()));
        long ranks = world.store.ask(redis -> redis.zcard(world.keys.queue("p").get(6)));
        assertThat(ranks).isZero();
        long classes = world.store.ask(redis -> redis.hlen(world.keys.queue("p").get(7)));
        assertThat(classes).isZero();
    }
}
