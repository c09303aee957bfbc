package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Job;
import dev.quiver.e2e.quiver.Kubectl;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Watching;

/** The path of a person with a map-reduce job, from apply to delete. */
@Scenario
class MapReducePathE2E {

    private static final int CHUNKS = 400;

    @Test
    void countsChunksShowsThemCombinesAndLeavesNothing(Space space, Installation quiver) {
        space.readyPool("shared", 2, 4);
        Kubectl kubectl = space.kubectl();
        Job job = space.job("squares");
        try (Watching table = kubectl.watch("get", "mrj", "-w")) {
            // $QUIVER_INPUT of a chunk is [17], of a combine [[1,2,3]], of reduce [[42]].
            kubectl.apply("""
                    apiVersion: quiver.dev/v1alpha1
                    kind: MapReduceJob
                    metadata: {name: squares}
                    spec:
                      workerPoolRef: {name: shared}
                      map: {command: [sh, -c, 'seq 1 %d > $QUIVER_OUTPUT']}
                      process: {command: [sh, -c, 'head -c $QUIVER_INPUT_LENGTH $QUIVER_INPUT | tr -d "[]" > $QUIVER_OUTPUT']}
                      combine:
                        fanIn: 16
                        command: [sh, -c, 'head -c $QUIVER_INPUT_LENGTH $QUIVER_INPUT | tr -d "[]" | tr , "\\n" | awk "{s+=\\$1} END {print s}" > $QUIVER_OUTPUT']
                      reduce: {command: [sh, -c, 'head -c $QUIVER_INPUT_LENGTH $QUIVER_INPUT > $QUIVER_OUTPUT']}
                    """.formatted(CHUNKS));
            kubectl.run("wait", "--for=condition=Finished", "mrj/squares", "--timeout=4m");
            assertThat(table.lines().getFirst().split(" +"))
                    .containsExactly("NAME", "STATE", "CHUNKS", "%", "ERRORED", "ETA", "SUCCEEDED", "AGE");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(table.lines().getLast().split(" +"))
                            .contains("squares", "finished", CHUNKS + "/" + CHUNKS, "100", "True"));
        }
        MapReduceJobStatus end = job.status();
        assertThat(end.result()).as("%s", end).hasToString("[[" + (long) CHUNKS * (CHUNKS + 1) / 2 + "]]");
        assertThat(end.chunks().combinesDone())
                .isEqualTo(end.chunks().combines())
                .isPositive();
        assertThat(kubectl.run("describe", "mrj", "squares"))
                .contains("JobSucceeded", "400 of 400 chunks were done.", "There are 400 chunks.");

        String uid = job.uid();
        kubectl.run("delete", "mrj", "squares", "--timeout=4m");
        assertThat(quiver.redis().keysWith(uid)).allMatch(key -> key.contains(":tombstone:"));
    }

    @Test
    void describesTheChunkThatFailedAndStopsRunningOnesWhenItIsCancelled(Space space) {
        Pool pool = space.readyPool("shared", 1, 2);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: MapReduceJob
                metadata: {name: broken}
                spec:
                  workerPoolRef: {name: shared}
                  input: {json: [1, 2]}
                  process: {command: [sh, -c, 'echo looking for a widget >&2; exit 7'], maxTrials: 1}
                ---
                apiVersion: quiver.dev/v1alpha1
                kind: MapReduceJob
                metadata: {name: long}
                spec:
                  workerPoolRef: {name: shared}
                  input: {json: {any: thing}}
                  process: {command: [sleep, '600'], maxTrials: 1}
                """);
        Job broken = space.job("broken");
        broken.awaitFinished();
        assertThat(broken.reason(ConditionType.Succeeded)).isEqualTo("ChunksFailed");
        assertThat(space.kubectl().run("describe", "mrj", "broken"))
                .contains("looking for a widget", "ChunksFailed", "chunk-");

        Job sleeper = space.job("long");
        pool.await("running it", status -> Integer.valueOf(1).equals(status.busySlots()));
        sleeper.patch("\"cancel\":true");
        Promise.of("the running chunk is stopped", Duration.ofSeconds(2))
                .await(() -> pool.exec("/quiver/agent/quiver-agent", "slots")
                        .lines()
                        .noneMatch(line -> line.matches("[01] +running .*")));
        sleeper.awaitFinished();
        assertThat(sleeper.reason(ConditionType.Succeeded)).isEqualTo("Cancelled");
    }
}
