package dev.quiver.history.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.stream.HistoryRights;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.FunctionRights;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeRecord;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** Figures and rosters of a real Redis, read with the rights of history's own user. */
class RedisLiveIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final Keyspace TEAM = Keyspace.ofNamespace("team-a");

    private final Lifecycle lifecycle = new Lifecycle(REDIS.store());
    private final List<WorkerSession> sessions = new ArrayList<>();
    private RedisStore store;
    private Live live;

    @BeforeEach
    void begin() {
        REDIS.store().ask(redis -> redis.flushall());
        REDIS.store().ask(redis -> redis.functionFlush(io.lettuce.core.FlushMode.SYNC));
        REDIS.store().ask(redis -> redis.functionLoad(Lifecycle.LIBRARY.source(), true));
        CommandArgs<String, String> user =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("history");
        HistoryRights.rules(CallRights.of(FunctionRights.of(Lifecycle.LIBRARY))).forEach(user::add);
        user.add(">secret");
        REDIS.store().ask(redis -> redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), user));
        store = PatientStore.open(
                RedisEndpoint.standalone(
                        "redis://history:secret@127.0.0.1:" + REDIS.process().port()),
                "history",
                Lifecycle.LIBRARY);
        live = new RedisLive(store);
        lifecycle.health(TEAM, 1).recording(1 << 30).observe(Optional.empty());
        lifecycle.health(TEAM, 1).recording(1 << 30).beat();
        lifecycle.pools(TEAM, 1).announce("pool", "pool-uid");
    }

    @AfterEach
    void end() {
        sessions.forEach(WorkerSession::close);
        store.close();
    }

    private WorkerSession session(String pod) {
        WorkerIdentity identity = new WorkerIdentity("pool", "pool-uid", pod, pod + "-uid", "node-1", 8);
        WorkerSession session =
                ((WorkerSessions.Outcome.Opened) lifecycle.sessions(TEAM).open(identity)).session();
        sessions.add(session);
        return session;
    }

    private static StepCall.Outcome.Done step(WorkSource source, List<Settlement> settled, int slots) {
        List<Place> places =
                IntStream.range(0, slots).mapToObj(i -> Place.slot(i, 1)).toList();
        StepCall.Outcome.Done done = (StepCall.Outcome.Done)
                source.prepare(new StepRequest(settled, places, List.of("h"))).run();
        done.rest().ifPresent(Runnable::run);
        return done;
    }

    private static Settlement passed(Claim claim) {
        return new Settlement.Passed(claim, Duration.ofMillis(1), Optional.empty());
    }

    private static LiveRun set(String uid) {
        return new LiveRun(TEAM.prefix(), uid, RunKind.TASK_SET.word(), List.of("pool"), List.of());
    }

    private void open(String uid, long tasks) {
        ExecutionSpec spec = new ExecutionSpec(
                "nightly",
                List.of("true"),
                List.of(),
                List.of(),
                Optional.empty(),
                new ExecutionSpec.TaskSource.Count(tasks));
        lifecycle.control(TEAM, 1).open(TaskSetOpening.of(uid, "pool", spec, TaskSetLimits.DEFAULT));
    }

    private LiveRoster roster(LiveRun run, LiveRoster.Place from, int limit) {
        return live.roster(run, from, limit).orElseThrow();
    }

    @Test
    void aSetThatIsOpenHasItsCountersAndAnotherHasNone() {
        open("u1", 7);
        assertThat(live.of(set("u1"))).hasValueSatisfying(figures -> {
            assertThat(figures.status()).isEqualTo("running");
            assertThat(figures.total()).isEqualTo(7);
            assertThat(figures.queued()).hasValue(7L);
            assertThat(figures.workers()).hasValue(0);
        });
        for (String other : List.of("u2", "a uid that a tenant forged:}{")) {
            assertThat(live.of(set(other))).isEmpty();
            assertThat(roster(set(other), LiveRoster.Place.FIRST, 10).workers()).isEmpty();
        }
    }

    @Test
    void theRosterOfASetHasEachWorkersTasksAPageAtATime() {
        open("u1", 7);
        for (String pod : List.of("a", "b", "c")) {
            step(session(pod).source("u1").orElseThrow(), List.of(), 2);
        }
        LiveRoster first = roster(set("u1"), LiveRoster.Place.FIRST, 2);
        assertThat(first.workers())
                .extracting(it -> it.identity().orElseThrow().pod())
                .containsExactly("a", "b");
        assertThat(first.workers().getFirst().held())
                .containsExactly(new LiveRoster.Held(0, Optional.of(0)), new LiveRoster.Held(1, Optional.of(1)));
        assertThat(first.workers().getFirst().identity().orElseThrow().slots()).isEqualTo(8);
        assertThat(first.at()).isPresent();
        LiveRoster rest = roster(set("u1"), first.next().orElseThrow(), 2);
        assertThat(rest.workers())
                .extracting(it -> it.identity().orElseThrow().pod())
                .containsExactly("c");
        assertThat(rest.next()).isEmpty();
        assertThat(live.of(set("u1")).orElseThrow().workers()).hasValue(3);
    }

    private static TaskBody body(String name) {
        return new TaskBody(
                name,
                Optional.of(new Execution.Handler("h")),
                List.of(),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
    }

    private static TreeNode leaf(String name) {
        return new TreeNode.Leaf("pool", Optional.of("h"), 1, 1, body(name));
    }

    private void create(String tree, RunKind kind, TreeNode root) {
        lifecycle
                .trees(TEAM)
                .create(TaskTree.of(tree, root)
                        .recorded(Optional.of(
                                new TreeRecord(Recording.DEFAULT, RunOpening.of(kind, "nightly", 1000, 0)))));
    }

    @Test
    void aTreeHasTheCountersOfItsRecordAndTheWorkersOfItsNodesAlone() {
        TreeNode root = new TreeNode.Group(
                List.of(leaf("one"), leaf("two"), leaf("three")),
                0,
                TreeNode.OnChildError.FAIL,
                Optional.empty(),
                TaskBody.named("group"));
        create("tree", RunKind.TASK, root);
        WorkSource mine = session("a").source("tasks:pool").orElseThrow();
        List<Claim> claims = step(mine, List.of(), 2).claims();
        step(mine, List.of(passed(claims.getFirst())), 0);
        create("other", RunKind.TASK, leaf("alone"));
        step(session("b").source("tasks:pool").orElseThrow(), List.of(), 8);
        LiveRun run = new LiveRun(TEAM.prefix(), "tree", RunKind.TASK.word(), List.of("pool"), List.of());
        assertThat(live.of(run)).hasValueSatisfying(figures -> {
            assertThat(figures.status()).isEqualTo("running");
            assertThat(figures.total()).isEqualTo(3);
            assertThat(figures.succeeded()).isEqualTo(1);
            assertThat(figures.running()).hasValue(2L);
            assertThat(figures.trials()).isEqualTo(1);
            assertThat(figures.workers()).isEmpty();
        });
        LiveRoster roster = roster(run, LiveRoster.Place.FIRST, 10);
        assertThat(roster.workers())
                .extracting(it -> it.identity().orElseThrow().pod())
                .containsExactly("a", "b");
        assertThat(roster.workers()).allSatisfy(it -> assertThat(it.held()).hasSize(1));
        assertThat(roster.workers().getFirst().held()).containsExactly(new LiveRoster.Held(2, Optional.of(1)));
        LiveRun gone = new LiveRun(TEAM.prefix(), "gone", RunKind.TASK.word(), List.of("pool"), List.of());
        assertThat(live.of(gone)).isEmpty();
        assertThat(roster(gone, LiveRoster.Place.FIRST, 10).workers()).isEmpty();
    }

    @Test
    void aJobHasItsChunksByTheNumbersOfTheRecord() {
        List<JsonNode> given = IntStream.range(0, 5)
                .mapToObj(IntNode::new)
                .map(JsonNode.class::cast)
                .toList();
        TreeNode chunks = new TreeNode.Chunks(
                "pool",
                Optional.of("h"),
                1,
                new ChunkWork(Optional.empty(), 1, 2, false, 1 << 20, false, Optional.of(given)),
                Optional.empty(),
                body("chunks"));
        create(
                "job",
                RunKind.MAP_REDUCE_JOB,
                new TreeNode.Chain(
                        List.of(chunks, leaf("reduce")),
                        TreeNode.OnChildError.FAIL,
                        Optional.empty(),
                        TaskBody.named("job")));
        WorkerSession session = session("a");
        WorkSource queue = session.source("tasks:pool").orElseThrow();
        step(queue, List.of(), 0);
        WorkSource source = session.source("chunks:job.1").orElseThrow();
        List<Claim> claims = step(source, List.of(), 3).claims();
        step(
                source,
                List.of(new Settlement.Passed(
                        claims.getFirst(), Duration.ofMillis(1), Optional.of(TaskResult.of("1")))),
                0);
        LiveRun run = new LiveRun(TEAM.prefix(), "job", RunKind.MAP_REDUCE_JOB.word(), List.of("pool"), List.of(1L));
        assertThat(live.of(run)).hasValueSatisfying(figures -> {
            assertThat(figures.succeeded()).isEqualTo(1);
            assertThat(figures.running()).hasValue(2L);
            assertThat(figures.queued()).hasValue(2L);
        });
        long first = 2L << HistoryBounds.CHUNK_BITS;
        assertThat(roster(run, LiveRoster.Place.FIRST, 10).workers())
                .singleElement()
                .satisfies(worker -> assertThat(worker.held())
                        .containsExactly(
                                new LiveRoster.Held(first + 1, Optional.of(1)),
                                new LiveRoster.Held(first + 2, Optional.of(2))));
    }

    @Test
    void anHourOfAQueueHasWhatEndedInIt() {
        lifecycle
                .pools(TEAM, 1)
                .record(
                        "pool",
                        "pool-uid",
                        Optional.of(new PoolControl.QueueRecord(
                                Recording.DEFAULT, RunOpening.of(RunKind.QUEUE, "pool", 0, 0))));
        for (int i = 0; i < 2; i++) {
            lifecycle.trees(TEAM).create(TaskTree.of(TreeIds.fresh(), leaf("alone")));
        }
        WorkSource queue = session("a").source("tasks:pool").orElseThrow();
        List<Claim> claims = step(queue, List.of(), 2).claims();
        LiveRun before = new LiveRun(TEAM.prefix(), "queue:pool:1", RunKind.QUEUE.word(), List.of("pool"), List.of());
        assertThat(live.of(before)).isEmpty();
        step(queue, List.of(passed(claims.getFirst())), 0);
        String uid = REDIS.store().ask(redis -> redis.hkeys(TEAM.records())).stream()
                .filter(field -> field.matches("queue:pool:\\d+"))
                .findFirst()
                .orElseThrow();
        LiveRun run = new LiveRun(TEAM.prefix(), uid, RunKind.QUEUE.word(), List.of("pool"), List.of());
        assertThat(live.of(run)).hasValueSatisfying(figures -> {
            assertThat(figures.status()).isEqualTo("running");
            assertThat(figures.succeeded()).isEqualTo(1);
            assertThat(figures.trials()).isEqualTo(1);
            assertThat(figures.running()).isEmpty();
            assertThat(figures.at()).isGreaterThan(1_700_000_000_000L);
        });
        assertThat(roster(run, LiveRoster.Place.FIRST, 10).workers()).isEmpty();
    }

    @Test
    void redisHasARunFromItsOpeningUntilItIsDropped() {
        RunPresence presence = new RunPresence(store);
        open("u1", 7);
        create("tree", RunKind.TASK, leaf("alone"));
        assertThat(presence.has(TEAM.prefix(), "u1", "TaskSet")).hasValue(true);
        assertThat(presence.has(TEAM.prefix(), "tree", "Task")).hasValue(true);
        assertThat(presence.has(TEAM.prefix(), "u2", "TaskSet")).hasValue(false);
        assertThat(presence.has(TEAM.prefix(), "tree-2", "MapReduceJob")).hasValue(false);
        assertThat(presence.has(TEAM.prefix(), "forged:}{", "TaskSet")).hasValue(false);
        lifecycle.control(TEAM, 1).drop("u1");
        assertThat(presence.has(TEAM.prefix(), "u1", "TaskSet")).hasValue(false);
    }

    @Test
    void aRosterThatATenantForgedIsNone() {
        open("u1", 7);
        String sessions = TEAM.prefix() + "taskset:u1:sessions";
        REDIS.store().ask(redis -> redis.zadd(sessions, 1, "abc"));
        REDIS.store().ask(redis -> redis.hset(TEAM.prefix() + "taskset:u1:held:abc", "no number", "1@0.1"));
        assertThat(roster(set("u1"), LiveRoster.Place.FIRST, 10).workers()).isEmpty();
        REDIS.store().ask(redis -> redis.hset(TEAM.prefix() + "taskset:u1:held:abc", "1", "x".repeat(100_000)));
        assertThat(live.roster(set("u1"), LiveRoster.Place.FIRST, 11)).isEmpty();
    }

    @Test
    void figuresOfATreeThatATenantForgedAreNone() {
        create("tree", RunKind.TASK, leaf("alone"));
        LiveRun run = new LiveRun(TEAM.prefix(), "tree", RunKind.TASK.word(), List.of("pool"), List.of());
        String nodes =
                REDIS.store().ask(redis -> redis.keys(TEAM.prefix() + "*nodes")).getFirst();
        forge(TEAM.trees(), 5, "1,2");
        assertThat(live.of(run)).isEmpty();
        forge(TEAM.trees(), 5, "");
        forge(nodes, 1, "");
        assertThat(new RedisLive(store).of(run)).isEmpty();
    }

    /** Another text in the place of a field of the tree's record in that hash. */
    private static void forge(String hash, int place, String text) {
        String[] fields = REDIS.store().ask(redis -> redis.hget(hash, "tree")).split("\t", -1);
        fields[place] = text;
        REDIS.store().ask(redis -> redis.hset(hash, "tree", String.join("\t", fields)));
    }
}
