package dev.quiver.controller.pool.podspec;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.crds.v1alpha1.Slots;
import dev.quiver.crds.v1alpha1.Supervisor;
import dev.quiver.crds.v1alpha1.WorkerPoolSpec;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;

class MemoryFitTest {

    private static final PodPlatform PLATFORM =
            new PodPlatform("quiver/worker:1", "IfNotPresent", new ResourceRequirements(), false);

    @Test
    void outputsThatFillTheContainersLimitAreSaidWithBothSizes() {
        assertThat(MemoryFit.problem(spec(new Slots(8, null, new Quantity("64Mi")), "256Mi", null), PLATFORM))
                .hasValueSatisfying(message -> assertThat(message)
                        .contains("outputs of 8 slots")
                        .contains(Long.toString(8L * ((64 << 20) + (2 * 16 + 4) * 1024) + 9 * 512 * 1024))
                        .contains("resources.limits.memory 256Mi"));
        assertThat(MemoryFit.problem(spec(new Slots(8, null, new Quantity("64Mi")), "1Gi", null), PLATFORM))
                .isEmpty();
    }

    @Test
    void outputsThatLeaveTheAgentNoRoomBelowItsLineAreSaid() {
        Slots slots = new Slots(8, null, new Quantity("64Mi"));
        assertThat(MemoryFit.problem(spec(slots, "540Mi", null), PLATFORM))
                .as("they fit, and the agent would end every task at 95 % of the limit")
                .isPresent();
        assertThat(MemoryFit.problem(spec(slots, "600Mi", null), PLATFORM)).isEmpty();
    }

    @Test
    void withoutALimitThereIsNothingToFit() {
        assertThat(MemoryFit.problem(spec(new Slots(8, null, new Quantity("1Gi")), null, null), PLATFORM))
                .isEmpty();
    }

    @Test
    void aSupervisorThatCannotStartIsSaid() {
        assertThat(MemoryFit.problem(spec(Slots.DEFAULT, null, "64Mi"), PLATFORM))
                .hasValueSatisfying(message -> assertThat(message)
                        .contains("spec.supervisor.resources.limits.memory is " + (64 << 20) + " bytes")
                        .contains("128Mi"));
        assertThat(MemoryFit.problem(spec(Slots.DEFAULT, null, "128Mi"), PLATFORM))
                .isEmpty();
    }

    @Test
    void theFieldThatIsNamedIsTheOneThatSomebodySet() {
        PodPlatform small = new PodPlatform("quiver/worker:1", "IfNotPresent", memory("64Mi"), false);
        assertThat(MemoryFit.problem(spec(Slots.DEFAULT, null, null), small))
                .hasValueSatisfying(
                        message -> assertThat(message).startsWith("the chart's worker.supervisorResources"));
        WorkerPoolSpec requested = WorkerPoolSpecBuilder.builder(spec(Slots.DEFAULT, null, null))
                .supervisor(new Supervisor(new ResourceRequirementsBuilder()
                        .addToRequests("memory", new Quantity("64Mi"))
                        .build()))
                .build();
        assertThat(MemoryFit.problem(requested, PLATFORM))
                .hasValueSatisfying(message ->
                        assertThat(message).startsWith("spec.supervisor.resources.requests.memory is " + (64 << 20)));
    }

    private static WorkerPoolSpec spec(Slots slots, String workerLimit, String supervisorLimit) {
        var template = new PodTemplateSpecBuilder(Samples.template());
        if (workerLimit != null) {
            template.editSpec()
                    .editContainer(0)
                    .withResources(memory(workerLimit))
                    .endContainer()
                    .endSpec();
        }
        return WorkerPoolSpecBuilder.builder()
                .template(template.build())
                .slots(slots)
                .supervisor(supervisorLimit == null ? null : new Supervisor(memory(supervisorLimit)))
                .build();
    }

    private static ResourceRequirements memory(String limit) {
        return new ResourceRequirementsBuilder()
                .addToLimits("memory", new Quantity(limit))
                .build();
    }
}
