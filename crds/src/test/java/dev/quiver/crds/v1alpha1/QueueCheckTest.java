package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.Quantity;
import org.junit.jupiter.api.Test;

class QueueCheckTest {

    private static MapReduceJobSpecBuilder spec() {
        return MapReduceJobSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef("sums"))
                .wire(MapReduceWire.Queue)
                .failurePolicy(ChunkFailurePolicy.SkipChunk)
                .map(MapReduceMap.ofHandler("sum.map"))
                .process(MapReducePart.ofHandler("sum.process"))
                .reduce(MapReducePart.ofHandler("sum.reduce"));
    }

    private static void refuses(UnaryOperator<MapReduceJobSpecBuilder> change, String words) {
        assertThat(change.apply(spec()).build().wireFault())
                .hasValueSatisfying(
                        fault -> assertThat(fault).startsWith(words + " ").contains("wire: Queue"));
        assertThat(change.apply(spec()).wire(MapReduceWire.Quiver).build().wireFault())
                .isEmpty();
    }

    @Test
    void takesTheFunctionsOfAType() {
        assertThat(spec().build().wireFault()).isEmpty();
        assertThat(spec().build().queueType()).isEqualTo("sum");
        assertThat(spec().input(MapReduceInput.ofJson(JsonNodeFactory.instance.numberNode(1)))
                        .postponeSeconds(5)
                        .ttlSecondsAfterFinished(5L)
                        .storeLossPolicy(StoreLossPolicy.Resubmit)
                        .build()
                        .wireFault())
                .isEmpty();
    }

    @Test
    void namesWhatTheKeysDoNotHold() {
        refuses(spec -> spec.combine(MapReduceCombine.ofHandler("add")), "spec.combine");
        refuses(spec -> spec.scratch(new MapReduceScratch("/scratch")), "spec.scratch");
        refuses(spec -> spec.split(new MapReduceSplit(SplitUnit.lines, 1L, "/data")), "spec.split");
        refuses(spec -> spec.chunks(new MapReduceChunks(10)), "spec.chunks");
        refuses(spec -> spec.chunks(new MapReduceChunks(2, MapReduceChunks.MOST)), "spec.chunks");
        refuses(spec -> spec.resultsSize(new Quantity("1Mi")), "spec.resultsSize");
        refuses(spec -> spec.activeDeadlineSeconds(5L), "spec.activeDeadlineSeconds");
        refuses(spec -> spec.suspend(true), "spec.suspend");
        refuses(spec -> spec.failurePolicy(ChunkFailurePolicy.Fail), "spec.failurePolicy");
    }

    @Test
    void namesAFunctionThatIsNotOfTheType() {
        refuses(spec -> spec.process(MapReducePart.ofHandler("sum")), "spec.process.handler");
        refuses(spec -> spec.process(MapReducePart.ofHandler(".process")), "spec.process.handler");
        refuses(
                spec -> spec.process(
                        MapReducePartBuilder.builder().command(List.of("sum")).build()),
                "spec.process.handler");
        refuses(spec -> spec.map(MapReduceMap.ofHandler("map")), "spec.map.handler");
        refuses(spec -> spec.map(null), "spec.map.handler");
        refuses(spec -> spec.reduce(MapReducePart.ofHandler("total.reduce")), "spec.reduce.handler");
        refuses(spec -> spec.reduce(null), "spec.reduce.handler");
    }

    @Test
    void namesBoundsThatThePoolHasForTheType() {
        refuses(
                spec -> spec.process(process()
                        .args(List.of(JsonNodeFactory.instance.nullNode()))
                        .build()),
                "spec.process.args");
        refuses(spec -> spec.process(process().maxTrials(3).build()), "spec.process.maxTrials");
        refuses(spec -> spec.process(process().backoff(Backoff.DEFAULT).build()), "spec.process.backoff");
        refuses(spec -> spec.process(process().activeDeadlineSeconds(3).build()), "spec.process.activeDeadlineSeconds");
        refuses(
                spec -> spec.process(
                        process().workerPoolRef(new WorkerPoolRef("b")).build()),
                "spec.process.workerPoolRef");
        refuses(
                spec -> spec.map(MapReduceMapBuilder.builder()
                        .handler("sum.map")
                        .paged(true)
                        .build()),
                "spec.map.paged");
    }

    private static MapReducePartBuilder process() {
        return MapReducePartBuilder.builder().handler("sum.process");
    }
}
