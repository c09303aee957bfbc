package dev.quiver.supervisor;

import static dev.quiver.supervisor.Trees.chain;
import static dev.quiver.supervisor.Trees.forEach;
import static dev.quiver.supervisor.Trees.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;

/** Trees of Tasks in a pod of real parts whose Redis has no memory for a while. */
class TasksMemoryIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private PoolFixture pool;
    private WorkerPod pod;

    @BeforeEach
    void startPod() throws IOException {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pod = WorkerPod.of("a", pool, REDIS.endpoint(), 4, Patience.LIMIT);
    }

    @AfterEach
    void close() throws IOException {
        memory(0);
        pod.close();
        pool.close();
    }

    private static void memory(int most) {
        REDIS.store().ask(redis -> redis.configSet("maxmemory", Integer.toString(most)));
    }

    private TaskTrees trees() {
        return pool.lifecycle().trees(pool.keyspace());
    }

    private void begin(String tree, TreeNode root) {
        assertThat(trees().create(TaskTree.of(tree, root))).isEqualTo(Trees.Created.BEGUN);
    }

    private TreeState state(String tree) {
        return trees().find(tree).orElseThrow();
    }

    @Test
    void chainsEndWithoutMemoryAndAForEachGoesOnWhenThereIsSome() throws IOException {
        pod.start();
        Path full = pod.scratch().resolve("full");
        String wait = "until [ -e " + full + " ]; do sleep 0.05; done; ";
        begin("wide", chain(shell(wait + "echo '[1,2,3]' > $QUIVER_OUTPUT"), forEach(shell("true"))));
        begin("chain", chain(shell(wait), shell("true"), shell("echo 7 > $QUIVER_OUTPUT")));
        await().until(() ->
                state("wide").counts().locked() == 1 && state("chain").counts().locked() == 1);
        memory(1);
        Files.createFile(full);
        await().until(() -> state("chain").over());
        assertThat(trees().result("chain", 10)).isEqualTo("7");
        await().until(() -> state("wide").counts().finished() == 1);
        assertThat(state("wide").total()).as("one task and three elements").isEqualTo(4);
        assertThat(state("wide").counts().startable()).isZero();
        memory(0);
        await().until(() -> state("wide").over());
        assertThat(state("wide").state()).isEqualTo(TreeState.State.FINISHED);
    }
}
