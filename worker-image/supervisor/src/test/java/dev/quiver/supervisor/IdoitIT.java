package dev.quiver.supervisor;

import static dev.quiver.supervisor.Trees.call;
import static dev.quiver.supervisor.Trees.chain;
import static dev.quiver.supervisor.Trees.group;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.lifecycle.Patience;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.wires.idoit.IdoitTrees;
import dev.quiver.slots.rig.AgentProcess;

/** Tasks of idoit's wire in pods of real parts: supervisor, agent, handler processes, Redis. */
@Execution(ExecutionMode.CONCURRENT)
class IdoitIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final String TREE = "tree-1";
    private static final long TERM = 1;

    private final String prefix = "idoit" + NUMBER.incrementAndGet() + ":";
    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void startPod() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pool.lifecycle().grants(pool.keyspace(), TERM).grant(PoolFixture.POOL, prefix, List.of());
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 4, Patience.LIMIT).handling();
        pod.start();
    }

    @AfterEach
    void close() throws IOException {
        if (pod != null) {
            pod.close();
        }
        if (pool != null) {
            pool.close();
        }
    }

    private IdoitTrees trees() {
        return pool.lifecycle().trees(pool.keyspace(), prefix, PoolFixture.POOL, TERM);
    }

    private void awaitEnd(String tree) {
        await(tree).until(() -> trees().report(tree, 0).orElseThrow().state().over());
        assertThat(trees().report(tree, 0).orElseThrow().state().state()).isEqualTo(TreeState.State.FINISHED);
    }

    @Test
    void handlersRunTasksOfIdoit() {
        trees().create(TaskTree.of(
                TREE,
                chain(call("upper", "\"a\""), group(Collections.nCopies(200, call("upper", "\"b\""))), call("upper"))));
        awaitEnd(TREE);
        String each = "[\"B\"]";
        assertThat(trees().measure(TREE, 1 << 20).json())
                .hasValue("[[" + String.join(",", Collections.nCopies(200, each)) + "]]");
        List<String> left = pool.store().ask(redis -> redis.keys(prefix + "*:*"));
        assertThat(left).isEmpty();
    }

    @Test
    void taskOfAnUnservedHandlerKeepsNoOtherOneBack() {
        trees().create(TaskTree.of("other", call("unknown")));
        for (int i = 0; i < 5; i++) {
            String tree = "tree-" + i;
            trees().create(TaskTree.of(tree, call("upper", "\"a\"")));
            awaitEnd(tree);
        }
        assertThat(trees().report("other", 0).orElseThrow().state().state()).isEqualTo(TreeState.State.STARTABLE);
    }
}
