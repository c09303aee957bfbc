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
import java.util.stream.Stream;

import io.lettuce.core.Range;

import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.task.work.TaskLeaf;
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
            List.of("online", "tenant!acme", "tenant!other", "happy!0", "db", "unit!1", "unit!2", "unknown");
    private static final List<String> GATES =
            List.of("online", "tenant!acme", "tenant!*", "tenant!other", "happy!0", "db", "unit!*");
    private static final PoolOrder.Declared THERE = PoolOrder.Declared.uncounted(true);
    private static final Map<String, PoolOrder.Declared> DECLARED = Map.of(
            "online",
            THERE,
            "tenant!*",
            THERE,
            "happy!*",
            THERE,
            "db",
            Declarations.permits(3),
            "unit!*",
            Declarations.permits(1));
    private static final int TRIALS = 100;

    /** Losses after which a task runs alone; none of this test has so many. */
    private static final int LOSSES = 1;

    /** A task as the model knows it. */
    private static final class Waiting {
        final String id;
        final String handler;
        Rank rank;
        final int number;
        final Set<String> permits = new HashSet<>();
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
    private Map<String, PoolOrder.Declared> declared = DECLARED;
    private final Map<String, Waiting> queued = new HashMap<>();
    private final Map<String, Waiting> held = new HashMap<>();
    /** Cancelled, and their workers have not said so yet. */
    private final Map<String, Waiting> cancelled = new HashMap<>();

    private final Map<String, Long> tokens = new HashMap<>();
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
                declared.put("online", PoolOrder.Declared.uncounted(random.nextBoolean()));
                int most = random.nextInt(6);
                declared.put("db", most == 0 ? THERE : Declarations.permits(most));
                if (random.nextInt(3) == 0) {
                    declared.put("unit!*", Declarations.permits(2));
                    declared.put("tenant!*", Declarations.permits(1 + random.nextInt(3)));
                }
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
        } else if (declared.getOrDefault(name, THERE).there()) {
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

    private boolean lacks(Waiting task) {
        return task.rank.resources().stream()
                .anyMatch(name -> isMissing(name)
                        || most(name).filter(most -> used(name) >= most).isPresent());
    }

    private Optional<Integer> most(String name) {
        return state(name).flatMap(PoolOrder.Declared::permits);
    }

    private long used(String name) {
        return Stream.concat(held.values().stream(), cancelled.values().stream())
                .filter(task -> task.permits.contains(name))
                .count();
    }

    private Optional<PoolOrder.Declared> state(String name) {
        return Optional.ofNullable(declared.get(name)).or(() -> Optional.ofNullable(declared.get(pattern(name))));
    }

    private boolean isMissing(String name) {
        return !state(name).map(PoolOrder.Declared::there).orElse(false)
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
        List<String> expected = take(worker, wanted);
        List<Claim> claims = worker.step(settlements, wanted).claims();
        // A claim sets 64 tasks of other handlers aside at most; here it never comes upon so many.
        assertThat(claims.stream().map(Claim::id).toList())
                .as("step of %s, wanted %s", served.get(worker), wanted)
                .isEqualTo(expected);
        claims.forEach(this::checkTokens);
        this.claims += claims.size();
    }

    /** The tasks that a worker gets, one after the other: each takes permits of others. */
    private List<String> take(World.Worker worker, int wanted) {
        List<String> ids = new ArrayList<>();
        while (ids.size() < wanted) {
            Optional<Waiting> next = queued.values().stream()
                    .filter(task -> served.get(worker).contains(task.handler))
                    .filter(task -> !lacks(task))
                    .min(Comparator.<Waiting>comparingLong(task -> -priority(task))
                            .thenComparingInt(task -> task.number));
            if (next.isEmpty()) {
                break;
            }
            Waiting task = queued.remove(next.get().id);
            held.put(task.id, task);
            ids.add(task.id);
            task.permits.clear();
            task.permits.addAll(counted(task));
        }
        return ids;
    }

    /** Each permit has a token, higher than those of all before it. */
    private void checkTokens(Claim claim) {
        Map<String, Long> now = tokensOf(claim);
        assertThat(now.keySet()).isEqualTo(held.get(claim.id()).permits);
        now.forEach((name, token) -> assertThat(token).isGreaterThan(tokens.getOrDefault(name, 0L)));
        tokens.putAll(now);
    }

    private static Map<String, Long> tokensOf(Claim claim) {
        Map<String, Long> all = new HashMap<>();
        String text = ((TaskLeaf) claim.task()).tokens();
        for (String row : text.isEmpty()
                ? new String[0]
                : text.substring(1, text.length() - 1).split(",")) {
            int colon = row.lastIndexOf(':');
            all.put(row.substring(1, colon - 1), Long.parseLong(row.substring(colon + 1)));
        }
        return all;
    }

    private Settlement settle(Claim claim) {
        Waiting task = held.remove(claim.id());
        if (task == null) {
            cancelled.remove(claim.id());
            return World.passed(claim, "1");
        }
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
        if (held.containsKey(id)) {
            cancelled.put(id, held.remove(id)); // its permits are back when its worker has stopped it
        }
    }

    private void die() {
        int which = random.nextInt(workers.size());
        World.Worker dead = workers.get(which);
        if (dead.held.stream()
                .anyMatch(claim -> held.containsKey(claim.id()) && held.get(claim.id()).losses >= LOSSES)) {
            return;
        }
        dead.die();
        for (Claim claim : dead.held) {
            cancelled.remove(claim.id());
            Waiting task = held.remove(claim.id());
            if (task != null) {
                task.losses++;
                queued.put(task.id, task);
            }
        }
        workers.remove(which);
        worker(served.remove(dead));
    }

    private void check() {
        String hash = world.keys.hash("p");
        long running = held.size() + cancelled.size();
        assertThat(field(hash, "left")).isEqualTo(queued.size() + running);
        assertThat(field(hash, "running")).isEqualTo(running);
        checkBlocked(hash);
        checkPermits(hash);
        checkPlace(hash);
    }

    /** Those whose permits are used up stand behind these, or not yet: a worker that comes upon them moves them. */
    private void checkBlocked(String hash) {
        Map<String, Long> blocked = new HashMap<>();
        List<Waiting> missing = queued.values().stream()
                .filter(task -> missing(task).isPresent())
                .toList();
        missing.stream()
                .filter(task -> counted(task).isEmpty())
                .forEach(task -> blocked.merge(missing(task).get(), 1L, Long::sum));
        Map<String, Long> waiting = new HashMap<>();
        for (Resources.State state : resources.read("p", Resources.MOST_READ).resources()) {
            if (state.waiting() > 0) {
                waiting.put(state.name(), state.waiting());
                assertThat(state.missing() || state.permits().isPresent())
                        .as(state.name())
                        .isTrue();
            }
        }
        blocked.forEach((name, count) -> assertThat(waiting.getOrDefault(name, 0L))
                .as("who waits for %s", name)
                .isGreaterThanOrEqualTo(count));
        assertThat(field(hash, "delayed")).as("blocked").isBetween((long) missing.size(), (long) queued.size());
        assertThat(waiting.values().stream().mapToLong(n -> n).sum()).isEqualTo(field(hash, "delayed"));
    }

    private List<String> counted(Waiting task) {
        return task.rank.resources().stream()
                .filter(name -> most(name).isPresent())
                .toList();
    }

    private void checkPermits(String hash) {
        Map<String, Long> used = new HashMap<>();
        Stream.concat(held.values().stream(), cancelled.values().stream())
                .forEach(task -> task.permits.forEach(name -> used.merge(name, 1L, Long::sum)));
        for (Resources.State state : resources.read("p", Resources.MOST_READ).resources()) {
            state.permits().ifPresent(permits -> {
                assertThat(permits.used()).as(state.name()).isEqualTo(used.getOrDefault(state.name(), 0L));
                assertThat(permits.holders()).hasSize((int) Math.min(4, permits.used()));
            });
        }
        assertThat(rows("k"))
                .as("held")
                .isEqualTo(used.values().stream().mapToLong(n -> n).sum());
        assertThat(rows("p")).isEqualTo(rows("k"));
        assertThat(field(hash, "held")).isEqualTo(used.isEmpty() ? 0 : 1);
        long claimable = field(hash, "left") - field(hash, "running") - field(hash, "delayed") - field(hash, "limited");
        // Of tasks with several numbers one counts.
        boolean each = queued.values().stream().allMatch(task -> counted(task).size() < 2);
        assertThat(claimable)
                .as("what wants a worker")
                .isBetween(each ? together() : 0, (long) queued.size() - missing());
    }

    private long missing() {
        return queued.values().stream()
                .filter(task -> missing(task).isPresent())
                .count();
    }

    /** How many of those that wait could run now beside each other, were there as many workers. */
    private long together() {
        Map<String, Long> free = new HashMap<>();
        long count = 0;
        List<Waiting> all = queued.values().stream()
                .filter(task -> !lacks(task))
                .sorted(Comparator.<Waiting>comparingLong(task -> -priority(task))
                        .thenComparingInt(task -> task.number))
                .toList();
        for (Waiting task : all) {
            List<String> counted = counted(task);
            counted.forEach(name -> free.computeIfAbsent(name, _ -> most(name).get() - used(name)));
            if (counted.stream().allMatch(name -> free.get(name) > 0)) {
                counted.forEach(name -> free.merge(name, -1L, Long::sum));
                count++;
            }
        }
        return count;
    }

    private long rows(String letter) {
        return world.store.ask(redis -> redis.zlexcount(
                world.keys.queue("p").get(6),
                Range.from(Range.Boundary.including(letter), Range.Boundary.excluding(String.valueOf((char)
                        (letter.charAt(0) + 1))))));
    }

    private void checkPlace(String hash) {
        List<Waiting> open =
                queued.values().stream().filter(task -> !lacks(task)).toList();
        // One that turns out to lack a permit moves when a worker comes upon it.
        List<Waiting> maybe =
                queued.values().stream().filter(task -> missing(task).isEmpty()).toList();
        long best = open.stream().mapToLong(this::priority).max().orElse(Long.MIN_VALUE);
        long most = maybe.stream().mapToLong(this::priority).max().orElse(0);
        long is = field(hash, "priority");
        assertThat(open.isEmpty() && is == 0 || is >= best && is <= Math.max(most, 0))
                .as("priority %s of the pool's Tasks, from %s to %s", is, best, most)
                .isTrue();
        Double place = world.store.ask(redis -> redis.zscore(world.keyspace.poolReady("p"), TaskQueues.source("p")));
        assertThat(place != null || open.isEmpty()).as("in the pool's order").isTrue();
        assertThat(place == null || !maybe.isEmpty())
                .as("not in the pool's order")
                .isTrue();
        if (place != null) {
            assertThat(99_999 - (long) Math.floor(place / (1L << 35))).isEqualTo(is);
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
        cancelled.clear();
        for (String name : GATES) {
            resources.openAll("p", "test", name);
            closers.clear();
        }
        declared = new HashMap<>(DECLARED);
        declared.put("unknown", THERE);
        declare();
        check();
        World.Worker all = workers.stream()
                .filter(worker -> served.get(worker).size() == HANDLERS.size())
                .findFirst()
                .orElseThrow();
        while (!queued.isEmpty()) {
            List<String> expected = take(all, 7);
            List<Claim> claims = all.step(List.of(), 7).claims();
            assertThat(claims.stream().map(Claim::id).toList()).isEqualTo(expected);
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
