package dev.quiver.lifecycle.wires.idoit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.RepeatedRun;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.RedisWorkerSessions;
import dev.quiver.lifecycle.worker.SourceKinds;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** A life on the wire of idoit. No lock of it lapses by itself. */
final class IdoitRepeatedRun extends RepeatedRun {

    private static final LeaseTimes BY_HAND = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);

    private final String prefix;
    private final IdoitQueues queues;
    private int turns;

    IdoitRepeatedRun(RedisStore store, Keyspace keyspace) {
        super(store, keyspace);
        this.prefix = "wire of " + keyspace.prefix();
        this.queues = IdoitQueues.ofWorker(store, keyspace, Duration.ofHours(1));
    }

    private LeaderCalls calls() {
        return new LeaderCalls(store, keyspace, 1);
    }

    @Override
    public void settle() {
        super.settle();
        POOLS.forEach(pool -> new IdoitGrants(calls()).grant(pool, prefix, List.of()));
    }

    @Override
    protected Trees trees() {
        return new IdoitTrees(calls(), prefix, "p");
    }

    @Override
    protected TaskTree tree() {
        TreeNode iterator = new TreeNode.IteratorNode(
                "q", Optional.of("iterate"), 1, 2, OnChildError.FAIL, Optional.empty(), IdoitWorld.body("iterate"));
        return TaskTree.of(
                TREE,
                IdoitWorld.chain(
                        IdoitWorld.group(IdoitWorld.leaf("twice"), IdoitWorld.leafIn("q", "a", 1), iterator),
                        IdoitWorld.leafIn("q", "end")));
    }

    @Override
    protected boolean over() {
        return "\"finished\"".equals(store.ask(redis -> redis.hget(prefix + TREE, "state")));
    }

    @Override
    protected WorkerSessions sessions() {
        return new RedisWorkerSessions(store, keyspace, BY_HAND, new SourceKinds(List.of(queues)));
    }

    @Override
    protected String source(String pool) {
        return IdoitQueues.source(pool);
    }

    @Override
    protected List<String> served() {
        return List.of("twice", "a", "iterate", "child", "end");
    }

    /** Every third time: a step runs commands as well, and each call more is one more that may be lost. */
    @Override
    protected void promote() {
        if (turns++ % 3 > 0) {
            return;
        }
        POOLS.forEach(pool -> queues.promote(source(pool), new CallBudget(100)));
    }

    @Override
    protected void rest(StepCall.Outcome.Done done) {
        done.rest().ifPresent(Runnable::run);
    }

    @Override
    protected String name(Claim claim) {
        return ((IdoitTask) claim.task()).type().name();
    }

    @Override
    protected boolean first(Claim claim) {
        return JsJson.read(((IdoitTask) claim.task()).state()).asInt(0) == 0;
    }

    @Override
    protected String answer(boolean first) {
        String child = "{\"handler\":\"child\",\"pool\":\"p\"}";
        return first ? "{\"state\":1,\"tasks\":[" + child + "," + child + "]}" : "null";
    }

    /** Also the tasks of the wire. */
    @Override
    public Map<String, String> remains() {
        Map<String, String> remains = super.remains();
        // How often tasks came depends on how many of an iterator's commands one call answered.
        remains.replaceAll((key, value) -> value.replace(prefix, "the prefix").replaceFirst("seq=\\d+", "seq"));
        remains.remove("delayed"); // when either pool is looked at next
        FinalState wire = new FinalState(store, prefix);
        assertThat(wire.of(TREE)).doesNotContain("error").hasLineCount(8);
        remains.put("tree", wire.of(TREE));
        for (String name : wire.otherKeys()) {
            remains.put("wire " + name, Long.toString(store.ask(redis -> redis.zcard(prefix + name))));
        }
        return remains;
    }
}
