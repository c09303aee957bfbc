package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Handler;
import dev.quiver.crds.v1alpha1.HandlerReason;
import dev.quiver.crds.v1alpha1.Slots;
import dev.quiver.crds.v1alpha1.TaskInput;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.crds.v1alpha1.TaskTemplateBuilder;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerTemplateBuilder;

/** Runs whose tasks are functions of the pool's handler process. */
@ExtendWith(ApiServer.class)
class HandlerIT {

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    @Test
    void workersSayWhatTheyServeAndTheRunWhetherThatIsEnough(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        WorkerPool pool = Samples.pool("serves", 1);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .handler(new Handler(List.of("python3", "-m", "images")))
                .build());
        client.resource(pool).create();
        client.resource(Samples.set("thumbs", guest("serves").task(TaskTemplate.ofHandler("resize"))))
                .create();
        seen.awaitRun("thumbs", ConditionType.HandlerAvailable, HandlerReason.NoWorkers);
        var pod = seen.awaitPods("serves", 1).getFirst();
        assertThat(pod.getSpec().getContainers().getFirst().getArgs()).containsExactly("--", "python3", "-m", "images");
        new Kubelet(client).allReady("serves");
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            worker.serve("crop");
            assertThat(seen.awaitRun("thumbs", ConditionType.HandlerAvailable, HandlerReason.NotServed)
                            .getMessage())
                    .isEqualTo("No worker of pool serves serves handler \"resize\"; served are: crop.");
            assertThat(seen.awaitRun("thumbs", ConditionType.Finished, TaskSetReason.WaitingForWorkers)
                            .getMessage())
                    .contains("served are: crop");
            worker.serve("crop", "resize");
            assertThat(seen.awaitRun("thumbs", ConditionType.HandlerAvailable, HandlerReason.HandlerServed)
                            .getStatus())
                    .isEqualTo("True");
            assertThat(seen.pool("serves").orElseThrow().handlers()).containsExactly("crop", "resize");
            assertThat(worker.passAll()).isEqualTo(3);
        }
        seen.awaitRun("thumbs", ConditionType.Finished, TaskSetReason.AllTasksSucceeded);
        assertThat(seen.events("thumbs")).containsOnlyOnce("NotServed");
    }

    @Test
    void aPoolThatRunsCommandsOnlyIsSaidAtOnce(KubernetesClient client) {
        client.resource(Samples.pool("commands", 0)).create();
        client.resource(Samples.set("lost", guest("commands").task(TaskTemplate.ofHandler("resize"))))
                .create();
        var said = new Seen(client).awaitRun("lost", ConditionType.HandlerAvailable, HandlerReason.NoHandlerCommand);
        assertThat(said.getStatus()).isEqualTo("False");
        assertThat(said.getMessage()).contains("pool commands has no handler.command");
    }

    @Test
    void anInputThatFitsNoSlotEndsTheRunWithBothSizes(KubernetesClient client) throws Exception {
        var large = TaskInput.ofJson(JsonMapper.builder().build().readTree("\"" + "x".repeat(5000) + "\""));
        client.resource(Samples.set(
                        "large",
                        Samples.counted(1)
                                .workerTemplate(WorkerTemplateBuilder.builder()
                                        .slots(new Slots(1, new Quantity("4Ki"), null))
                                        .handler(new Handler(List.of("serve")))
                                        .template(Samples.template())
                                        .build())
                                .task(TaskTemplateBuilder.builder()
                                        .handler("resize")
                                        .input(large)
                                        .build())))
                .create();
        assertThat(new Seen(client)
                        .awaitRun("large", ConditionType.Finished, TaskSetReason.InputTooLarge)
                        .getMessage())
                .contains("spec.task: input has 5002 bytes, and slots.inputSize of the pool is 4096");
    }

    @Test
    void linesOfAConfigMapMayBringInputs(KubernetesClient client) {
        client.resource(Samples.pool("lines", 0)).create();
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("lines")
                        .endMetadata()
                        .addToData("list", "plain\n{\"name\":\"b\",\"input\":{\"locator\":\"s3://x/b\"}}\n")
                        .build())
                .create();
        client.resource(Samples.set(
                        "lines",
                        guest("lines")
                                .source(TaskSource.ofConfigMapKey("lines", "list"))
                                .task(TaskTemplate.ofHandler("resize"))))
                .create();
        assertThat(new Seen(client).awaitRun("lines", s -> s.total() != null).total())
                .isEqualTo(2);
    }

    private static TaskSetSpecBuilder guest(String pool) {
        return Samples.counted(3).workerTemplate(null).workerPoolRef(new WorkerPoolRef(pool));
    }
}
