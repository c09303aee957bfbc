package dev.quiver.lifecycle.task.results;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.group;
import static dev.quiver.lifecycle.task.World.leaf;
import static dev.quiver.lifecycle.task.World.passed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.World.Worker;
import dev.quiver.lifecycle.task.model.NodeOutcome;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;

/** Many results of the largest size, in a Redis that closes a connection with more than 1 MiB of answers. */
class LargeResultsIT {
    @RegisterExtension
    static final RedisServer REDIS =
            new RedisServer("--client-output-buffer-limit", "normal", "1048576", "1048576", "0");

    private static final int MANY = 24;
    private static final String LARGE = "\"" + "x".repeat(262_000) + "\"";
    private static final String ALL = "[" + String.join(",", Collections.nCopies(MANY, LARGE)) + "]";
    private static final long SLOT = 1 << 20;
    private static final long MOST = 64 << 20;

    private World world;
    private Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static TreeNode wide() {
        return group(
                OnChildError.FAIL,
                IntStream.range(0, MANY).mapToObj(i -> leaf("n" + i)).toList());
    }

    /** Each leaf of the group returns a large value; the next task. */
    private Claim afterGroup() {
        for (int i = 0; i < MANY; i++) {
            worker.step(List.of(), 1);
            worker.step(List.of(passed(worker.held.getFirst(), LARGE)), 0);
        }
        return worker.claim().getFirst();
    }

    private long bytesSent() {
        String stats = world.store.ask(redis -> redis.info("stats"));
        return stats.lines()
                .filter(line -> line.startsWith("total_net_output_bytes:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    @Test
    void joinedInputIsRefusedBeforeItIsRead() {
        world.begin("t", chain(wide(), leaf("merge")));
        Claim merge = afterGroup();
        long before = bytesSent();
        assertThatThrownBy(() -> worker.source.complete(merge.task(), SLOT))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessage("the input has " + MANY * LARGE.length() + " bytes, at most " + SLOT + " are allowed");
        assertThat(bytesSent() - before).isLessThan(SLOT);
    }

    @Test
    void nodeAtTheEndRunsWithoutAResultThatIsTooLargeForIt() {
        TaskTree tree = new TaskTree(
                "t", wide(), Optional.of(leaf("last")), true, Optional.empty(), Duration.ZERO, Optional.empty());
        assertThat(world.trees.create(tree)).isEqualTo(Trees.Created.BEGUN);
        Claim last = afterGroup();
        assertThat(world.arguments(last)).isEqualTo("[\"last\",{\"state\":\"finished\",\"result\":null}]");
    }

    @Test
    void wholeResultsAreReadInAnswersOfFewBytes() {
        world.begin("t", chain(wide(), leaf("merge")));
        afterGroup();
        String joined = world.trees.result("t.1", MOST);
        assertThat(joined).isEqualTo(ALL);
        List<String> ids =
                IntStream.range(0, MANY).mapToObj(i -> "t." + (3 + i)).toList();
        Map<String, NodeOutcome> outcomes = new TaskOutcomes(world.store, world.keyspace).of(ids, MOST);
        assertThat(outcomes).hasSize(MANY).containsValue(new NodeOutcome.Value(LARGE));
        assertThat(outcomes.values()).containsOnly(new NodeOutcome.Value(LARGE));
    }

    @Test
    void resultsOfChunksAreRefusedOrReadInTheSameWay() {
        ChunkResults chunks = ChunkResults.of(world.store, world.keyspace, "t.1");
        String hash = chunks.keys().hash();
        world.store.ask(redis -> redis.hset(hash, Map.of("count", Integer.toString(MANY), "fan_in", "0")));
        for (int i = 0; i < MANY; i++) {
            String ordinal = Integer.toString(i);
            world.store.ask(redis -> redis.hset(chunks.keys().results(), ordinal, "J\n" + LARGE));
        }
        long before = bytesSent();
        assertThatThrownBy(() -> chunks.all(SLOT))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessageContaining(" bytes, at most " + SLOT + " are allowed");
        assertThat(bytesSent() - before).isLessThan(SLOT);
        assertThat(chunks.all(MOST)).isEqualTo(ALL);
    }
}
