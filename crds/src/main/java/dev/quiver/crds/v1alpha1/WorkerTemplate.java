package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;

/** The workers that a {@link TaskSet} brings for itself: the spec of a {@link WorkerPool}, without the numbers. */
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record WorkerTemplate(
        @JsonPropertyDescription("How many tasks each pod runs at a time, and the memory for their inputs and outputs.")
        Slots slots,

        @JsonPropertyDescription(
                "The pod to run. Its container named worker runs the tasks; the operator sets that container's"
                        + " command, and adds the supervisor and the memory volumes.")
        @Required
        PodTemplateSpec template,

        @JsonPropertyDescription(
                "Keeps one process alive in each slot, which runs functions by name for tasks with spec.task.handler."
                        + " Tasks with a command run beside it.")
        Handler handler,

        @JsonPropertyDescription("The sidecar that the operator adds to each pod.")
        Supervisor supervisor,

        @JsonPropertyDescription(
                "How long, in seconds, a draining pod may finish its running tasks: 0 to 3600. Tasks that take longer"
                        + " run again elsewhere, without a trial used.")
        @Default("300")
        @Min(0)
        @Max(3600)
        Integer drainSeconds) {
    public WorkerTemplate {
        slots = slots == null ? Slots.DEFAULT : slots;
        supervisor = supervisor == null ? Supervisor.DEFAULT : supervisor;
        drainSeconds = drainSeconds == null ? 300 : drainSeconds;
    }
}
