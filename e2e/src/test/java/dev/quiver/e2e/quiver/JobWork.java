package dev.quiver.e2e.quiver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.crds.v1alpha1.MapReduceChunkCounts;
import dev.quiver.crds.v1alpha1.MapReduceJobState;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;

/**
 * A map-reduce job in an accident. Map writes numbers, most chunks take a second, one in five fails, and the last ones wait
 * for the test. Then reduce gets all their results.
 */
final class JobWork implements AllKinds.Work {

    private static final int CHUNKS = 60;
    private static final int FREE = 40;
    private static final int FAILING = 5; // one in so many

    private static final String SCRIPT = """
            sleep 1; [ $QUIVER_INDEX -lt {free} ] || {wait}; echo ends; [ $((QUIVER_INDEX % {failing})) != 0 ]; printf $QUIVER_INDEX > $QUIVER_OUTPUT""".replace("{free}", Integer.toString(FREE))
            .replace("{failing}", Integer.toString(FAILING))
            .replace("{wait}", Gate.WAIT);

    private final Space space;
    private final Job job;

    private JobWork(Space space) {
        this.space = space;
        space.patientPool("chunks", 2, 2);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: MapReduceJob
                metadata: {name: chunks}
                spec:
                  workerPoolRef: {name: chunks}
                  map: {command: [sh, -c, 'seq 0 %d > $QUIVER_OUTPUT']}
                  process: {command: [sh, -ec, '%s'], maxTrials: 1}
                  reduce: {command: [sh, -c, 'head -c $QUIVER_INPUT_LENGTH $QUIVER_INPUT > $QUIVER_OUTPUT']}
                  failurePolicy: SkipChunk
                """.formatted(CHUNKS - 1, SCRIPT));
        this.job = space.job("chunks");
    }

    static AllKinds.Work begin(Space space) {
        return new JobWork(space);
    }

    @Override
    public int tasks() {
        return CHUNKS;
    }

    @Override
    public void awaitMidway() {
        job.awaitChunks(4);
    }

    @Override
    public void awaitGoesOn() {
        job.awaitChunks(FREE / 2);
    }

    @Override
    public void assertRight() {
        MapReduceJobStatus end = new Gate(space).letEnd(job);
        assertThat(end.state()).as("%s", end).isEqualTo(MapReduceJobState.FINISHED);
        assertThat(end.chunks())
                .returns((long) CHUNKS - CHUNKS / FAILING, MapReduceChunkCounts::done)
                .returns((long) CHUNKS / FAILING, MapReduceChunkCounts::skipped);
        List<String> results = StreamSupport.stream(end.result().get(0).spliterator(), false)
                .map(JsonNode::toString)
                .toList();
        assertThat(results)
                .containsExactlyElementsOf(IntStream.range(0, CHUNKS)
                        .filter(i -> i % FAILING != 0)
                        .mapToObj(Integer::toString)
                        .toList());
    }
}
