package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/** The fields that may change in a MapReduceJob that is there, and those that may not. */
@ExtendWith(ApiServer.class)
class MapReduceUpdatesIT {
    private static final String ONLY = "cannot be changed: only suspend, cancel, relPriority, tags, schedule,"
            + " activeDeadlineSeconds and ttlSecondsAfterFinished can";
    private static final String WITHOUT_SCHEDULE = "cannot be changed without schedule";

    private final KubernetesClient client;

    MapReduceUpdatesIT(KubernetesClient client) {
        this.client = client;
    }

    @Test
    void changesWhatIsMeantToChangeAndKeepsTheRest() {
        create("once", spec -> spec);
        change("once", spec -> spec.suspend(true).activeDeadlineSeconds(60L).ttlSecondsAfterFinished(0L));
        change("once", spec -> spec.relPriority(7).tags(List.of("view")));
        change("once", spec -> spec.relPriority(null).tags(null));
        refuses("once", spec -> spec.relPriority(-100_000), "spec.relPriority");
        refuses("once", spec -> spec.tags(List.of("")), "spec.tags");
        refuses("once", spec -> spec.map(null).input(MapReduceInput.ofJson(TextNode.valueOf("a"))), "spec.map");
        refuses("once", spec -> spec.process(MapReducePart.ofHandler("other")), "spec.process", WITHOUT_SCHEDULE);
        refuses("once", spec -> spec.input(MapReduceInput.ofJson(TextNode.valueOf("a"))), "spec.input");
        refuses("once", spec -> spec.combine(MapReduceCombine.ofHandler("add")), "spec.combine", WITHOUT_SCHEDULE);
        refuses("once", spec -> spec.reduce(MapReducePart.ofHandler("top")), "spec.reduce", WITHOUT_SCHEDULE);
        refuses("once", spec -> spec.chunks(new MapReduceChunks(7)), "spec.chunks", WITHOUT_SCHEDULE);
        refuses("once", spec -> spec.failurePolicy(ChunkFailurePolicy.SkipChunk), "spec.failurePolicy");
        refuses("once", spec -> spec.resultsSize(new Quantity("1Mi")), "spec.resultsSize", WITHOUT_SCHEDULE);
        refuses("once", spec -> spec.workerPoolRef(new WorkerPoolRef("other")), "spec.workerPoolRef", ONLY);
        refuses("once", spec -> spec.storeLossPolicy(StoreLossPolicy.Resubmit), "spec.storeLossPolicy", ONLY);
        refuses("once", spec -> spec.history(RunHistory.DEFAULT), "spec.history", ONLY);
        refuses("once", spec -> spec.postponeSeconds(5), "spec.postponeSeconds", ONLY);
        refuses("once", spec -> spec.schedule(TaskSchedule.ofCron("@daily")), "spec.schedule", "added or removed");
        change("once", spec -> spec.cancel(true));
        refuses("once", spec -> spec.cancel(false), "spec.cancel", "only false to true is allowed");
    }

    @Test
    void takesOtherWorkForTheNextRunOfASchedule() {
        create("nightly", spec -> spec.schedule(TaskSchedule.ofCron("@daily")));
        change("nightly", spec -> spec.process(MapReducePart.ofHandler("other")).resultsSize(new Quantity("1Mi")));
        change("nightly", spec -> spec.map(null).input(MapReduceInput.ofJson(TextNode.valueOf("a"))));
        change("nightly", spec -> spec.schedule(TaskSchedule.ofCron("0 4 * * *")));
        refuses("nightly", spec -> spec.schedule(null), "spec.schedule", "cannot be added or removed");
    }

    private void create(String name, UnaryOperator<MapReduceJobSpecBuilder> of) {
        var job = Specimens.mapReduceJob(name);
        job.setSpec(of.apply(MapReduceJobSpecBuilder.builder(job.getSpec())).build());
        client.resource(job).create();
    }

    private MapReduceJob change(String name, UnaryOperator<MapReduceJobSpecBuilder> change) {
        return client.resources(MapReduceJob.class).withName(name).edit(job -> {
            job.setSpec(
                    change.apply(MapReduceJobSpecBuilder.builder(job.getSpec())).build());
            return job;
        });
    }

    private void refuses(String name, UnaryOperator<MapReduceJobSpecBuilder> change, String... words) {
        var refusal = catchThrowableOfType(KubernetesClientException.class, () -> change(name, change));
        assertThat(refusal).isNotNull();
        assertThat(refusal.getCode()).isEqualTo(422);
        assertThat(refusal.getMessage()).contains(words);
    }
}
