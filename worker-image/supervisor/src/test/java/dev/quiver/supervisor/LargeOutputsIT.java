package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.tree.TaskTrees;

/** Outputs and inputs of allowed sizes, more of them at once than the heap of the image holds. */
class LargeOutputsIT {

    private static final String HEAP = "96m";
    private static final Duration LONG = Duration.ofMinutes(4);
    private static final int SLOTS = 24;
    private static final int BYTES = 4_000_000;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static WorkerPod pod(PoolFixture pool) throws IOException {
        return WorkerPod.of("a", pool, REDIS.endpoint(), SLOTS, Duration.ofSeconds(30))
                .withHeap(HEAP);
    }

    /** A program that waits until the test lets all of them go on. */
    private static String meeting(Path place, String program) {
        return ": > " + place + "/running-$$; until [ -e " + place + "/go ]; do sleep 0.1; done; " + program;
    }

    private static void letGo(Path place, int running) throws IOException {
        Awaitility.await().atMost(LONG).until(() -> {
            try (Stream<Path> files = Files.list(place)) {
                return files.count() >= running;
            }
        });
        Files.createFile(place.resolve("go"));
    }

    private static List<TreeState> ended(TaskTrees trees, List<String> jobs) {
        Awaitility.await()
                .atMost(LONG)
                .until(() -> jobs.stream()
                        .allMatch(job -> trees.find(job).orElseThrow().over()));
        return jobs.stream().map(job -> trees.find(job).orElseThrow()).toList();
    }

    private static List<TreeState> mapTogether(String output) throws Exception {
        PoolFixture pool = new PoolFixture(REDIS.endpoint()).reaping();
        try (WorkerPod pod = pod(pool).writing(4 << 20).reading(1 << 20).start()) {
            String map = meeting(pod.scratch(), "{ " + output + "; } > $QUIVER_OUTPUT");
            TaskTrees trees = pool.lifecycle().trees(pool.keyspace());
            List<String> jobs =
                    IntStream.range(0, SLOTS).mapToObj(i -> "job" + i).toList();
            jobs.forEach(job -> trees.create(TaskTree.of(job, Trees.mapReduce(map, "true", "true", 0))));
            letGo(pod.scratch(), SLOTS);
            List<TreeState> all = ended(trees, jobs);
            assertThat(pod.supervisor().isAlive()).isTrue();
            return all;
        }
    }

    @Test
    void mapsOfFourMegabytesEndTogether() throws Exception {
        assertThat(mapTogether("head -c " + BYTES + " /dev/zero | tr '\\0' x | fold -w 200000"))
                .allSatisfy(job -> assertThat(job.error()).isEmpty());
    }

    /** Its tree would take more than ten times its bytes. */
    @Test
    void mapsWhoseChunkIsOneLargeDocumentFailInWords() throws Exception {
        assertThat(mapTogether("printf '['; yes '[],' | tr -d '\\n' | head -c 3999999; printf '0]'"))
                .allSatisfy(job -> assertThat(job.error().orElseThrow().message())
                        .startsWith("chunk 0 has 4000002 bytes, at most 262144"));
    }

    @Test
    void mapsOfTwoMillionShortLinesFailInWords() throws Exception {
        assertThat(mapTogether("yes | head -c " + BYTES))
                .allSatisfy(job -> assertThat(job.error().orElseThrow().message())
                        .startsWith("there are 2000000 chunks, at most "));
    }

    @Test
    void inputsOfMegabytesGoToAllSlots() throws Exception {
        PoolFixture pool = new PoolFixture(REDIS.endpoint()).reaping();
        try (WorkerPod pod = pod(pool).writing(1 << 20).reading(5 << 20).start()) {
            TreeNode big = Trees.shell(
                    "{ printf '\"'; head -c 250000 /dev/zero | tr '\\0' x; printf '\"'; } > $QUIVER_OUTPUT");
            TreeNode each = Trees.shell(meeting(pod.scratch(), "true"));
            TaskTrees trees = pool.lifecycle().trees(pool.keyspace());
            trees.create(TaskTree.of(
                    "t",
                    Trees.chain(
                            Trees.group(Collections.nCopies(15, big)),
                            Trees.group(Collections.nCopies(SLOTS + 16, each)))));
            letGo(pod.scratch(), SLOTS);
            assertThat(ended(trees, List.of("t")).getFirst().error()).isEmpty();
            assertThat(pod.supervisor().isAlive()).isTrue();
        }
    }
}
