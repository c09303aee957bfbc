package dev.quiver.lifecycle.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Effects;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.LossyProxy;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** One random life of some trees over two pools; the same seed gives the same life. */
final class RandomTreeRun {

    private static final int TREES = 6;

    /** Fewer than the lost workers that end a task, so that no leaf ends by them. */
    private static final int DEATHS = 2;

    /** A supervisor as the test knows it. */
    private static final class Worker {
        final WorkerSession session;
        final WorkSource source;
        final String pod;
        final String pool;
        final List<String> served;
        final List<Claim> claims = new ArrayList<>();

        Worker(WorkerSession session, String pod, String pool, List<String> served) {
            this.session = session;
            this.pod = pod;
            this.pool = pool;
            this.served = served;
            this.source = session.source(TaskQueues.source(pool)).orElseThrow();
        }
    }

    private final Random random;
    private final LossyProxy proxy;
    private final RedisStore lossyStore;
    private final RedisStore sureStore;
    private final Keyspace keyspace;
    private final TaskKeys keys;
    private final TaskTrees trees;
    private final TaskQueues queues;
    private final Reaper reaper;
    private final WorkerSessions sessions;
    private final List<TreeModel> models = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();
    private final Map<String, Integer> passed = new HashMap<>();
    private final Set<String> touched = new HashSet<>();
    private final Set<String> suspended = new LinkedHashSet<>();
    private int deaths;

    /** Tasks that others brought; and whether a lost reply left it open if some were. */
    private int followers;

    private boolean unsure;
    private int names;

    RandomTreeRun(long seed, LossyProxy proxy, RedisStore lossy, RedisStore sure, LeaseTimes times) {
        this.random = new Random(seed);
        this.proxy = proxy;
        this.lossyStore = lossy;
        this.sureStore = sure;
        this.keyspace = Keyspace.of("trees", Long.toString(seed));
        this.keys = new TaskKeys(keyspace);
        Lifecycle lifecycle = new Lifecycle(sure, times);
        lifecycle.health(keyspace, 1).observe(Optional.empty());
        TreeModel.POOLS.forEach(pool -> lifecycle.pools(keyspace, 1).announce(pool, pool + "-uid"));
        this.trees = lifecycle.trees(keyspace);
        this.queues = new TaskQueues(sure, keyspace);
        this.reaper = lifecycle.reaper(keyspace);
        this.sessions = new Lifecycle(lossy, times).sessions(keyspace);
        for (int i = 0; i < TREES; i++) {
            models.add(new TreeModel("t" + i, random));
        }
    }

    void run() {
        reaper.tick();
        for (TreeModel model : models) {
            assertThat(trees.create(model.tree)).isEqualTo(Trees.Created.BEGUN);
            if (random.nextBoolean()) {
                assertThat(trees.create(model.tree)).isEqualTo(Trees.Created.KNOWN);
            }
        }
        for (String pool : TreeModel.POOLS) {
            workers.add(enter(pool, TreeModel.SERVED));
        }
        workers.add(enter("p", List.of("a", "a#plan", "other")));
        workers.add(enter("q", List.of("b")));
        workers.add(enter("p", List.of()));
        boolean cancels = random.nextBoolean();
        int acts = 100 + random.nextInt(200);
        for (int i = 0; i < acts; i++) {
            act(cancels);
        }
        finish();
        leaveNothing();
    }

    private void act(boolean cancels) {
        int dice = random.nextInt(100);
        if (dice < 65) {
            Worker worker = workers.get(random.nextInt(workers.size()));
            step(worker, some(worker), random.nextInt(6), random.nextInt(8));
        } else if (dice < 90) {
            queues.promote("tasks:", new CallBudget(1 + random.nextInt(6)));
        } else if (dice < 93 && deaths < DEATHS) {
            deaths++;
            die(workers.remove(random.nextInt(workers.size())));
        } else if (dice < 97) {
            String node = anyNode();
            if (suspended.remove(node)) {
                trees.change(node, Trees.Change.RESUME);
            } else if (trees.change(node, Trees.Change.SUSPEND)) {
                suspended.add(node);
            }
        } else if (cancels) {
            String node = anyNode();
            if (trees.change(node, Trees.Change.CANCEL)) {
                touched.add(node.replaceFirst("\\..*", ""));
            }
        }
    }

    private String anyNode() {
        TreeModel model = models.get(random.nextInt(TREES));
        return TreeIds.node(model.id, random.nextInt(Math.min(model.nodes, 8)));
    }

    private Worker enter(String pool, List<String> served) {
        return enter("w" + names++, pool, served, Duration.ZERO);
    }

    private Worker enter(String pod, String pool, List<String> served, Duration left) {
        lossyStore.ping();
        WorkerIdentity worker = new WorkerIdentity(pool, pool + "-uid", pod, pod + "-uid", "node-1", 8);
        WorkerSessions.Outcome outcome = sessions.open(worker, left);
        return new Worker(((WorkerSessions.Outcome.Opened) outcome).session(), pod, pool, served);
    }

    private List<Settlement> some(Worker worker) {
        Collections.shuffle(worker.claims, random);
        return worker.claims.subList(0, random.nextInt(worker.claims.size() + 1)).stream()
                .map(this::settlement)
                .toList();
    }

    private Settlement settlement(Claim claim) {
        int dice = random.nextInt(10);
        if (dice == 0) {
            return new Settlement.Returned(claim);
        }
        return dice == 1 && !claim.task().name().equals("poison") ? failed(claim) : well(claim);
    }

    private Settlement failed(Claim claim) {
        Retry retry = random.nextBoolean() ? Retry.AT_ONCE : new Retry.After(Duration.ofMillis(random.nextInt(3)));
        TrialFailure failure = new TrialFailure(
                claim.task().name(), claim.trial(), Optional.of(1), Optional.empty(), "Error", "it failed", true);
        return claim.task().maxTrials() <= claim.trial()
                ? new Settlement.Returned(claim)
                : new Settlement.Failed(claim, Duration.ofMillis(1), failure, retry);
    }

    /** As the order in the task's document demands. */
    private Settlement well(Claim claim) {
        String[] order = claim.task().name().split(" ");
        Duration time = Duration.ofMillis(1);
        if (claim.task().plans()) {
            return World.brought(claim, plan(claim, order[0]));
        }
        if (claim.task().isInDoubt()) {
            return World.brought(
                    claim,
                    order[0].equals("ok") && random.nextBoolean()
                            ? "{\"done\":true,\"result\":\"" + claim.id() + "\"}"
                            : "{\"redo\":true}");
        }
        if (order[0].equals("ok") && random.nextInt(5) == 0) {
            return World.brought(claim, "{\"result\":\"" + claim.id() + "\",\"tasks\":[" + following() + "]}");
        }
        return switch (order[0]) {
            case "poison" ->
                new Settlement.Failed(
                        claim,
                        time,
                        new TrialFailure(
                                "poison", claim.trial(), Optional.of(1), Optional.empty(), "Error", "poison", true));
            case "list" ->
                new Settlement.Passed(
                        claim,
                        time,
                        Optional.of(TaskResult.of(IntStream.range(0, Integer.parseInt(order[1]))
                                .mapToObj(i -> "\"" + claim.id() + "/" + i + "\"")
                                .toList()
                                .toString())));
            case "iterate" -> new Settlement.Passed(claim, time, Optional.of(TaskResult.of(answer(claim, order[1]))));
            default -> new Settlement.Passed(claim, time, Optional.of(TaskResult.of("\"" + claim.id() + "\"")));
        };
    }

    private String plan(Claim claim, String order) {
        String words = "\"relPriority\":" + random.nextInt(3) + ",\"tags\":[\"x\"],\"args\":[7]";
        return switch (random.nextInt(order.equals("ok") ? 4 : 3)) {
            case 0 -> "{}";
            case 1 -> "{" + words + "}";
            case 2 -> "{" + words + ",\"tasks\":[" + following() + "]}";
            default -> "{\"done\":true,\"result\":\"" + claim.id() + "\"}";
        };
    }

    /** A task of its own, maybe planned, maybe in the other pool. */
    private String following() {
        return "{\"handler\":\"a\",\"name\":\"more\",\"maxTrials\":100,\"plan\":" + random.nextBoolean()
                + ",\"pool\":\"" + TreeModel.POOLS.get(random.nextInt(TreeModel.POOLS.size())) + "\"}";
    }

    private static boolean isEnd(Settlement settlement) {
        return settlement instanceof Settlement.Passed passed
                && (!passed.claim().task().plans() && !passed.claim().task().isInDoubt()
                        || passed.output().filter(Effects::endsTask).isPresent());
    }

    private static int brings(Settlement settlement) {
        return settlement instanceof Settlement.Passed passed
                        && passed.output()
                                .filter(it -> new String(it.bytes(), StandardCharsets.UTF_8).contains("\"tasks\""))
                                .isPresent()
                ? 1
                : 0;
    }

    /** Some of the children that are left, or the end. */
    private String answer(Claim claim, String children) {
        String[] progress = ((TaskLeaf) claim.task()).progress().split(" ", 4);
        int created = Integer.parseInt(progress[0]);
        int left = Integer.parseInt(children) - created;
        if (left == 0) {
            return random.nextBoolean() ? "null" : "{\"result\":[1]}";
        }
        int more = Math.min(left, Integer.parseInt(progress[2]));
        String pool = TreeModel.POOLS.get(created % TreeModel.POOLS.size());
        String child = "{\"handler\":\"a\",\"name\":\"ok\",\"maxTrials\":100,\"pool\":\"" + pool + "\"}";
        String task = random.nextBoolean() ? child : "{\"chain\":[{\"group\":[]}," + child + "]}";
        return "{\"tasks\":" + Collections.nCopies(more, task) + ",\"state\":" + (created + more) + "}";
    }

    private List<Place> places(int wanted) {
        return IntStream.range(0, wanted)
                .mapToObj(i -> random.nextInt(4) == 0 ? Place.queued(i) : Place.slot(i, 1))
                .toList();
    }

    /** A step; lost: 0 its reply, 1 its request, and then it is repeated. */
    private void step(Worker worker, List<Settlement> settlements, int wanted, int lost) {
        StepCall call = worker.source.prepare(new StepRequest(settlements, places(wanted), worker.served));
        if (lost < 2) {
            lose(call, lost == 0);
        }
        StepCall.Outcome.Done done = (StepCall.Outcome.Done) call.run();
        for (int i = 0; i < settlements.size(); i++) {
            Settlement settlement = settlements.get(i);
            StepCall.Verdict verdict = done.verdicts().get(i);
            // A session that left with the lost reply asks under a fresh number, and hears that it was counted.
            boolean already = verdict == StepCall.Verdict.ALREADY;
            assertThat(already && lost != 0)
                    .as("already settled: " + settlement)
                    .isFalse();
            worker.claims.remove(settlement.claim());
            boolean leaf = !((TaskLeaf) settlement.claim().task()).iterator();
            boolean counted = already || verdict == StepCall.Verdict.COUNTED;
            unsure |= already && brings(settlement) > 0;
            followers += counted ? brings(settlement) : 0;
            if (isEnd(settlement) && counted && leaf) {
                assertThat(passed.merge(settlement.claim().id(), 1, Integer::sum))
                        .as("passes of " + settlement.claim().id())
                        .isEqualTo(1);
            }
        }
        for (Claim claim : done.claims()) {
            assertThat(worker.served).contains(claim.task().handler().orElseThrow());
            worker.claims.add(claim);
        }
    }

    private void lose(StepCall call, boolean reply) {
        lossyStore.ping();
        sureStore.ask(redis -> redis.scriptLoad(TaskScripts.STEP.source()));
        if (reply) {
            proxy.loseNextReply();
        } else {
            proxy.loseNextRequest();
        }
        assertThatThrownBy(call::run).isInstanceOf(StoreUnreachableException.class);
        assertThat(proxy.armed()).isFalse();
        lossyStore.ping();
    }

    /** Its lease ends, or its pod opens another session that finds some of its slots in use. */
    private void die(Worker worker) {
        if (random.nextBoolean()) {
            workers.add(succeed(worker));
        } else {
            sureStore.ask(redis -> redis.zadd(keyspace.sessions(), 1, worker.session.id()));
            reaper.tick();
            workers.add(enter(worker.pool, worker.served));
        }
        StepCall late = worker.source.prepare(new StepRequest(some(worker), places(2), worker.served));
        assertThat(late.run()).isEqualTo(new StepCall.Outcome.Fenced());
    }

    private Worker succeed(Worker dead) {
        Worker successor = enter(dead.pod, dead.pool, dead.served, Duration.ofSeconds(30));
        List<Takeover> takeovers = successor.session.orphans().stream()
                .filter(orphan -> random.nextBoolean())
                .map(orphan -> new Takeover(orphan.uid(), orphan.id(), orphan.place()))
                .toList();
        successor.claims.addAll(successor.session.adopt(takeovers).stream()
                .filter(claim -> !claim.place().isQueued())
                .toList());
        return successor;
    }

    private void finish() {
        suspended.forEach(node -> trees.change(node, Trees.Change.RESUME));
        for (int i = 0; !models.stream().allMatch(this::isOver); i++) {
            assertThat(i).as(() -> "turns to the end; left: " + left()).isLessThan(2000);
            hasten();
            queues.promote("tasks:", new CallBudget(100));
            for (Worker worker : workers) {
                step(worker, worker.claims.stream().map(this::well).toList(), 8, 9);
            }
        }
        for (int i = 0; i < 20; i++) {
            queues.promote("tasks:", new CallBudget(100));
        }
        models.forEach(this::check);
    }

    /** Trials that wait are due, also those of contingencies, which begin ten seconds behind a loss. */
    private void hasten() {
        sureStore.ask(redis -> redis.zrange(keys.commands(), 0, -1)).stream()
                .filter(command -> command.startsWith("retry\t"))
                .forEach(command -> sureStore.ask(redis -> redis.zadd(keys.commands(), 1, command)));
    }

    private String left() {
        return sureStore.ask(redis -> redis.hgetall(keys.nodes())) + " "
                + sureStore.ask(redis -> redis.zrange(keys.commands(), 0, -1)) + " "
                + sureStore.ask(redis -> redis.zrange(keys.parked(), 0, -1));
    }

    private boolean isOver(TreeModel model) {
        return trees.find(model.id).orElseThrow().over();
    }

    private void check(TreeModel model) {
        TreeState root = trees.find(model.id).orElseThrow();
        if (model.tree.watched()) {
            checkCounts(root.counts());
        }
        if (touched.contains(model.id)) {
            return;
        }
        assertThat(root.state())
                .as(model.id + " " + root)
                .isEqualTo(model.succeeds ? TreeState.State.FINISHED : TreeState.State.FAILED);
        long count = passed.keySet().stream()
                .filter(id -> id.equals(model.id) || id.startsWith(model.id + "."))
                .count();
        if (model.poisonFree()) {
            assertThat(count).as("leaves of " + model.id).isEqualTo(model.leaves);
            assertThat(root.progress()).isEqualTo(root.total());
        }
    }

    /** With all commands done nothing waits or runs. */
    private static void checkCounts(TreeState.Counts counts) {
        assertThat(counts).isEqualTo(new TreeState.Counts(0, 0, 0, 0, 0, counts.finished(), counts.failed()));
    }

    private void leaveNothing() {
        for (TreeModel model : models) {
            for (int i = 0; !trees.drop(model.id, model.nodes); i++) {
                assertThat(i).as("drops of " + model.id).isLessThan(50);
            }
            assertThat(trees.create(model.tree)).isEqualTo(Trees.Created.BURIED);
        }
        for (int i = 0; i < 50; i++) {
            sureStore
                    .ask(redis -> redis.zrange(keys.commands(), 0, -1))
                    .forEach(command -> sureStore.ask(redis -> redis.zadd(keys.commands(), 1, command)));
            queues.promote("tasks:", new CallBudget(1000));
            for (Worker worker : workers) {
                step(worker, worker.claims.stream().map(this::well).toList(), 8, 9);
            }
        }
        workers.forEach(worker -> worker.session.close());
        long followed = passed.keySet().stream().filter(TreeIds::isOfProgram).count();
        assertThat(followed).as("tasks that others brought").isLessThanOrEqualTo(followers);
        assertThat(unsure || followed == followers)
                .as(followed + " of " + followers)
                .isTrue();
        List<String> left = new ArrayList<>(sureStore.ask(redis -> redis.keys(keyspace.prefix() + "*")));
        left.removeIf(key -> key.contains("tombstone") || key.endsWith(":wake"));
        List<String> expected = new ArrayList<>(List.of(keyspace.meta(), keys.reports()));
        TreeModel.POOLS.forEach(pool -> expected.addAll(List.of(keyspace.pool(pool), keys.hash(pool))));
        assertThat(expected).as("all that is left").containsAll(left);
        sureStore.ask(redis -> redis.unlink(left.toArray(String[]::new)));
    }
}
