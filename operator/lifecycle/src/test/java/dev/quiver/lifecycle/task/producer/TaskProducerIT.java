package dev.quiver.lifecycle.task.producer;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.group;
import static dev.quiver.lifecycle.task.World.leaf;
import static dev.quiver.lifecycle.task.World.passed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceCalls;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.FunctionRights;
import dev.quiver.lifecycle.redis.LossyProxy;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisRights;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptLibrary;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.World.Worker;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.task.rows.SubmitCall;
import dev.quiver.lifecycle.task.scheduling.Boosts;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;

/** Programs create trees under rights of their own. */
class TaskProducerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long MOST = 1 << 20;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private RedisStore operator;
    private RedisStore client;
    private TaskProducer producer;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        operator = PatientStore.open(REDIS.endpoint(), "operator", Lifecycle.LIBRARY);
        new Lifecycle(operator).health(world.keyspace, 1).observe(Optional.empty());
        user(world.keyspace.namespace());
        client = client(REDIS.process().port());
        producer = producer(client);
    }

    @AfterEach
    void end() {
        client.close();
        operator.close();
        world.close();
    }

    private void user(String namespace) {
        CommandArgs<String, String> rules =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("client-" + namespace);
        RedisRights.clientRules(namespace, CallRights.of(FunctionRights.of(Lifecycle.LIBRARY)))
                .forEach(rules::add);
        rules.add(">secret");
        operator.ask(all -> all.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), rules));
    }

    /** As the program opens it: it does not have the scripts. */
    private RedisStore client(int port) {
        RedisStore store = PatientStore.open(
                RedisEndpoint.standalone("redis://client-" + world.keyspace.namespace() + ":secret@127.0.0.1:" + port),
                "client",
                ScriptLibrary.loaded("quiver_none"));
        KeyspaceCalls.follow(store, world.keyspace);
        return store;
    }

    private TaskProducer producer(RedisStore store) {
        return new TaskProducer(store, world.keyspace, () -> {
            try {
                KeyspaceCalls.follow(store, world.keyspace);
            } catch (StoreUnreachableException away) {
                // The call that follows reports it.
            }
        });
    }

    /** A program may move the pool's Tasks, and no set: the set follows by the tick of somebody who may. */
    @Test
    void aProgramsBoostBesideATaggedSetStands() {
        Lifecycle lifecycle = new Lifecycle(operator);
        ExecutionSpec spec = new ExecutionSpec(
                "s",
                new Execution.Command(List.of("true"), List.of(), Optional.empty()),
                List.of(),
                Optional.empty(),
                new ExecutionSpec.TaskSource.Count(5),
                Optional.empty());
        lifecycle
                .control(world.keyspace, 1)
                .open(new TaskSetOpening("s", "p", spec, TaskSetLimits.DEFAULT, 0, 0, false));
        lifecycle.places(world.keyspace, 1).place("p", "s", new Rank(0, List.of("view"), Optional.empty()));
        submit(tree("plain", leaf("plain"), Duration.ofHours(1)));
        assertThat(new Boosts(client, world.keyspace).replace("p", "me", Map.of("view", 7), Optional.empty()))
                .isEqualTo(1);
        String set = world.keyspace.prefix() + "taskset:s";
        assertThat(world.store.<String>ask(redis -> redis.hget(set, "priority")))
                .as("as long as only programs call")
                .isEqualTo("0");
        world.tick();
        assertThat(world.store.<String>ask(redis -> redis.hget(set, "priority")))
                .isEqualTo("7");
    }

    private void submit(TaskTree... trees) {
        submit(List.of(trees));
    }

    private void submit(List<TaskTree> trees) {
        producer.submit(Submission.of(trees), PATIENCE);
    }

    private String submitNamed(TaskProducer producer, TaskTree tree, String name) {
        producer.submit(Submission.named(tree, new OnceName(name, OnceName.Only.WHILE_IT_GOES_ON)), PATIENCE);
        return producer.holder(tree.id(), name);
    }

    private static TaskTree tree(String id, TreeNode root, Duration keep) {
        return new TaskTree(id, root, Optional.empty(), false, Optional.empty(), Duration.ZERO, Optional.of(keep));
    }

    private static TaskTree kept(String id, TreeNode root) {
        return tree(id, root, Duration.ofHours(1));
    }

    private static List<TaskTree> leaves(int count, Duration keep) {
        return IntStream.range(0, count)
                .mapToObj(i -> tree("t" + i, leaf("leaf" + i), keep))
                .toList();
    }

    private long number(Function<RedisClusterAsyncCommands<String, String>, CompletionStage<Long>> question) {
        return world.store.ask(question);
    }

    /** The last number that the queue gave. */
    private String given() {
        return world.store.ask(redis -> redis.hget(world.keys.hash("p"), "seq"));
    }

    private void workAll() {
        world.work(
                world.worker("p", "h"), claim -> Optional.of("\"" + claim.task().name() + "\""));
    }

    @Test
    void leafThatIsNotKeptIsForgottenInTheStepThatEndsIt() {
        submit(leaves(2, Duration.ZERO));
        submitNamed(producer, tree("named", leaf("named"), Duration.ZERO), "nightly");
        Worker worker = world.worker("p", "h");
        List<Claim> claims = worker.claim();
        StepCall call = worker.source.prepare(new StepRequest(
                List.of(passed(claims.get(0), "1"), World.failed(claims.get(1)), passed(claims.get(2), "3")),
                List.of(),
                List.of("h")));
        List<StepCall.Verdict> verdicts = ((StepCall.Outcome.Done) call.run()).verdicts();
        assertThat(verdicts).hasSize(3).containsOnly(StepCall.Verdict.COUNTED);
        assertThat(number(redis -> redis.exists(
                        world.keys.nodes(),
                        world.keys.body(),
                        world.keys.results(),
                        world.keys.roots(),
                        world.keys.names(),
                        world.keys.commands())))
                .isZero();
        List<StepCall.Verdict> again = ((StepCall.Outcome.Done) call.run()).verdicts();
        assertThat(again).as("asked again").isNotEmpty().doesNotContain(StepCall.Verdict.VOID);
        assertThat(submitNamed(producer, tree("next", leaf("next"), Duration.ZERO), "nightly"))
                .isEqualTo("next");
    }

    @Test
    void treesOfOneCallRunAndLeaveTheirResults() {
        submit(kept("t", leaf("a")), kept("u", chain(leaf("b"), group(leaf("c"), leaf("d")))), kept("v", group()));
        workAll();
        TaskTrees trees = new TaskTrees(operator, world.keyspace);
        assertThat(trees.ended(List.of("t", "u", "v"))).containsExactly("t", "u", "v");
        assertThat(trees.result("t", MOST)).isEqualTo("\"a\"");
        assertThat(trees.result("u", MOST)).isEqualTo("[\"c\",\"d\"]");
        assertThat(trees.result("v", MOST)).isEqualTo("[]");
        assertThat(number(redis -> redis.zcard(world.keyspace.dirty())))
                .as("nobody is told: no resource follows them")
                .isZero();
    }

    @Test
    void manyTreesAndLargeOnesTakeSeveralCalls() {
        List<TreeNode> many =
                IntStream.range(0, 1000).mapToObj(i -> leaf("n" + i)).toList();
        List<TaskTree> all = new ArrayList<>(leaves(900, Duration.ofHours(1)));
        all.add(kept("wide", group(TreeNode.OnChildError.FAIL, many)));
        all.add(kept("last", leaf("last")));
        assertThat(SubmitCall.of(all))
                .hasSizeBetween(10, 11)
                .allSatisfy(call -> assertThat(call.trees().size()).isLessThanOrEqualTo(8 * SubmitCall.NODES));
        submit(all);
        assertThat(number(redis -> redis.zcard(world.keys.hash("p") + ":plain")))
                .as("the program runs the commands that its calls leave")
                .isEqualTo(1901);
        workAll();
        TaskTrees trees = new TaskTrees(client, world.keyspace);
        assertThat(trees.result("wide", MOST)).startsWith("[\"n0\",\"n1\",").endsWith(",\"n999\"]");
        assertThat(trees.result("last", MOST)).isEqualTo("\"last\"");
    }

    @Test
    void callWhoseReplyIsLostCountsOnce() {
        try (LossyProxy proxy = new LossyProxy(REDIS.process().port());
                RedisStore store =
                        client(Integer.parseInt(proxy.endpoint().uri().replaceAll(".*:", "")))) {
            TaskProducer lossy = producer(store);
            lossy.submit(Submission.of(List.of(tree("first", leaf("first"), Duration.ZERO))), PATIENCE);
            proxy.loseNextReply();
            lossy.submit(Submission.of(leaves(500, Duration.ZERO)), PATIENCE);
            assertThat(proxy.armed()).isFalse();
            workAll();
            assertThat(given()).as("numbers given in the queue").isEqualTo("501");
            assertThat(world.nodes()).isZero();
        }
    }

    @Test
    void lostRequestIsSentAgain() {
        try (LossyProxy proxy = new LossyProxy(REDIS.process().port());
                RedisStore store =
                        client(Integer.parseInt(proxy.endpoint().uri().replaceAll(".*:", "")))) {
            proxy.loseNextRequest();
            producer(store).submit(Submission.of(leaves(700, Duration.ofHours(1))), PATIENCE);
            assertThat(number(redis -> redis.hlen(world.keys.roots()))).isEqualTo(700);
        }
    }

    @Test
    void submissionWithoutAnAnswerGoesOnAndOneThatIsRefusedDropsNone() {
        int port = REDIS.process().port();
        try (LossyProxy proxy = new LossyProxy(port);
                RedisStore store =
                        client(Integer.parseInt(proxy.endpoint().uri().replaceAll(".*:", "")))) {
            TaskProducer lossy = producer(store);
            Submission unanswered = Submission.of(leaves(300, Duration.ZERO));
            proxy.loseAllAfter(0, true);
            assertThatThrownBy(() -> lossy.submit(unanswered, Duration.ZERO))
                    .isInstanceOf(StoreUnreachableException.class);
            proxy.disarm();
            Submission refused = Submission.of(List.of(kept("refused", leaf("refused"))));
            world.store.ask(redis -> redis.configSet("maxmemory", "1"));
            try {
                assertThatThrownBy(() -> lossy.submit(refused, PATIENCE)).isInstanceOf(StoreRefusedException.class);
            } finally {
                world.store.ask(redis -> redis.configSet("maxmemory", "0"));
            }
            workAll();
            lossy.submit(unanswered, PATIENCE);
            lossy.submit(refused, PATIENCE);
            workAll();
            assertThat(unanswered.isDone() && refused.isDone()).isTrue();
            assertThat(given()).as("numbers given in the queue").isEqualTo("301");
        }
    }

    @Test
    void producerThatWasForgottenTakesAnotherName() {
        submit(leaves(1, Duration.ofHours(1)));
        for (String key : world.store.ask(redis -> redis.keys(world.keys.producer("*")))) {
            assertThat(number(redis -> redis.pttl(key))).isBetween(1L, 3_600_000L);
            world.store.ask(redis -> redis.del(key));
        }
        submit(List.of(kept("again", leaf("again"))));
        assertThat(number(redis -> redis.hlen(world.keys.roots()))).isEqualTo(2);
    }

    @Test
    void repeatedCallCountsOnceAlsoWhenItsTreesAreGone() {
        assertThat(call("r", 1, "x", Duration.ZERO).number("counted")).isEqualTo(1);
        workAll();
        assertThat(world.nodes()).isZero();
        assertThat(call("r", 1, "x", Duration.ZERO).number("counted")).isZero();
        assertThat(world.nodes()).isZero();
    }

    @Test
    void callsAreDoneInOrderAndOnce() {
        assertThat(call("r", 2, "x").code()).isEqualTo(ScriptCode.GAP);
        assertThat(call("r", 1, "x").number("counted")).isEqualTo(1);
        assertThat(call("r", 1, "y").number("counted")).isZero();
        assertThat(call("r", 3, "z").code()).isEqualTo(ScriptCode.GAP);
        assertThat(call("r", 2, "z").number("counted")).isEqualTo(1);
        assertThat(call("r", 1, "late").number("counted"))
                .as("behind a later one")
                .isZero();
        assertThat(call("r", 2, "later").number("counted")).isZero();
        List<String> known = world.store.ask(redis -> redis.hkeys(world.keys.roots()));
        assertThat(known).containsExactlyInAnyOrder("x", "z");
    }

    private ScriptReply call(String name, int number, String tree) {
        return call(name, number, tree, Duration.ofHours(1));
    }

    private ScriptReply call(String name, int number, String id, Duration keep) {
        SubmitCall call = SubmitCall.of(List.of(tree(id, leaf(id), keep))).getFirst();
        List<String> arguments = new ArrayList<>(List.of(Integer.toString(number), "3600000"));
        arguments.addAll(call.trees());
        return client.run(
                TaskScripts.SUBMIT,
                TaskScripts.SUBMIT.keys(TaskScriptKeys.ofProducer(world.keyspace, name)::key, world.keys.queue("p")),
                arguments.toArray(String[]::new));
    }

    @Test
    void oneTreeOfANameGoesOnAtATime() {
        TaskTree first = tree("first", leaf("a"), Duration.ofHours(1));
        assertThat(submitNamed(producer, first, "nightly é")).isEqualTo("first");
        assertThat(submitNamed(producer, tree("second", leaf("a"), Duration.ofHours(1)), "nightly é"))
                .isEqualTo("first");
        assertThat(submitNamed(producer(client), tree("other", leaf("a"), Duration.ofHours(1)), "weekly"))
                .isEqualTo("other");
        assertThat(world.nodes()).isEqualTo(2);
        workAll();
        assertThat(submitNamed(producer, tree("third", leaf("a"), Duration.ofHours(1)), "nightly é"))
                .as("the first one is over")
                .isEqualTo("third");
        world.trees.change("third", Trees.Change.CANCEL);
        for (String tree : List.of("first", "third", "other")) {
            while (!world.trees.drop(tree, 1)) {
                world.tick();
            }
        }
        long names = operator.ask(redis -> redis.exists(world.keys.names()));
        assertThat(names).isZero();
    }

    @Test
    void twoTreesOfOneNameInOneCallAreOne() {
        Optional<OnceName> name = Optional.of(new OnceName("x", OnceName.Only.WHILE_IT_GOES_ON));
        List<TaskTree> trees = List.of(
                tree("one", leaf("a"), Duration.ofHours(1)).named(name),
                tree("two", leaf("a"), Duration.ofHours(1)).named(name));
        SubmitCall call = SubmitCall.of(trees).getFirst();
        String[] keys =
                TaskScripts.SUBMIT.keys(TaskScriptKeys.ofProducer(world.keyspace, "me")::key, world.keys.queue("p"));
        List<String> arguments = new ArrayList<>(List.of("1", "1000"));
        arguments.addAll(call.trees());
        client.run(TaskScripts.SUBMIT, keys, arguments.toArray(String[]::new));
        assertThat(world.trees.find("one")).isPresent();
        assertThat(world.trees.find("two")).isEmpty();
    }

    @Test
    void treeThatIsCutOffIsForgotten() {
        TaskTree wide = kept(
                "wide",
                group(
                        TreeNode.OnChildError.FAIL,
                        IntStream.range(0, 700).mapToObj(i -> leaf("n" + i)).toList()));
        List<SubmitCall> calls = SubmitCall.of(List.of(wide));
        for (int i = 0; i < calls.size() - 1; i++) { // each under a name of its own: a name is forgotten soon, too
            List<String> arguments = new ArrayList<>(List.of("1", "10"));
            arguments.addAll(calls.get(i).trees());
            client.run(
                    TaskScripts.SUBMIT,
                    TaskScripts.SUBMIT.keys(
                            TaskScriptKeys.ofProducer(world.keyspace, "r" + i)::key, world.keys.queue("p")),
                    arguments.toArray(String[]::new));
        }
        assertThat(world.nodes()).isEqualTo(600);
        Awaitility.await().untilAsserted(() -> {
            new TaskQueues(operator, world.keyspace).promote("tasks:", new CallBudget(100));
            assertThat(world.nodes()).isZero();
        });
        assertThat(number(redis -> redis.exists(world.keys.body(), world.keys.roots(), world.keys.commands())))
                .isZero();
    }

    @Test
    void cancelsAndSettlesNothing() {
        submit(List.of(kept("t", chain(leaf("a"), leaf("b"))), kept("u", leaf("c"))));
        Worker worker = world.worker("p", "h");
        worker.claim();
        TaskTrees trees = new TaskTrees(client, world.keyspace);
        assertThat(trees.change("t", Trees.Change.CANCEL)).isTrue();
        assertThat(worker.step(List.of(passed(worker.held.getFirst(), "1")), 0).verdicts())
                .containsExactly(StepCall.Verdict.VOID);
        assertThat(new TaskTrees(operator, world.keyspace)
                        .find("t")
                        .orElseThrow()
                        .error()
                        .orElseThrow()
                        .reason())
                .isEqualTo("Cancelled");

        String held = world.keys.held("p", worker.session.id());
        refused(() -> client.ask(redis -> redis.hgetall(held)));
        refused(() -> client.ask(redis -> redis.hset(held, "t", "1@s0")));
        refused(() -> client.ask(redis -> redis.zadd(world.keyspace.sessions(), 1, "s")));
        refused(() -> client.ask(redis -> redis.hset(world.keyspace.pool("p"), "uid", "mine")));
        refused(() -> client.ask(redis -> redis.hgetall(world.keyspace.session(worker.session.id()))));
        TaskScriptKeys names = new TaskScriptKeys(new SessionKeys(world.keyspace, "p", worker.session.id()), "");
        refused(() -> client.run(
                TaskScripts.STEP,
                TaskScripts.STEP.keys(names::key, world.keys.queue("p")),
                worker.session.id(),
                "9",
                "9",
                "1",
                "0",
                "",
                "u",
                "1",
                "p",
                "1",
                "J\n1"));
        refused(() ->
                client.ask(redis -> redis.hget(Keyspace.ofNamespace("other").meta(), "schema")));
        assertThatThrownBy(() -> client.ask(redis -> redis.eval("return 1", ScriptOutputType.INTEGER)))
                .hasMessageContaining("NOPERM");
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StoreRefusedException.class, no -> assertThat(no).hasMessageContaining("NOPERM"));
    }

    @ParameterizedTest
    @CsvSource({"schema,2,layout", "calls,9,calls"})
    void newerKeyspaceIsRefusedInWords(String field, String version, String word) {
        world.store.ask(redis -> redis.hset(world.keyspace.meta(), Map.of(field, version, "oldest_calls", version)));
        assertThatThrownBy(() -> KeyspaceCalls.follow(client, world.keyspace))
                .hasMessageContaining("version " + version + " of its " + word)
                .hasMessageContaining("update");
    }

    @Test
    void libraryOfAnotherReleaseIsFollowed() {
        world.store.ask(redis -> redis.hset(world.keyspace.meta(), "library", "quiver_other"));
        KeyspaceCalls.follow(client, world.keyspace);
        assertThatThrownBy(() -> new TaskTrees(client, world.keyspace).ended(List.of("t")))
                .isInstanceOfSatisfying(
                        StoreRefusedException.class,
                        no -> assertThat(no.passing()).isTrue());
        new Lifecycle(operator).health(world.keyspace, 1).observe(Optional.empty());
        submit(List.of(kept("t", leaf("a"))));
        world.store.ask(redis -> redis.hdel(world.keyspace.meta(), "library"));
        assertThatThrownBy(() -> KeyspaceCalls.follow(client, world.keyspace)).hasMessageContaining("no functions");
    }

    @Test
    void keyspaceWithATreeOfAProgramIsNotRetired() {
        submit(List.of(tree("t", leaf("a"), Duration.ZERO)));
        assertThat(new Lifecycle(operator).health(world.keyspace, 1).retire()).isFalse();
        workAll();
        assertThat(new Lifecycle(operator).health(world.keyspace, 1).retire()).isTrue();
    }
}
