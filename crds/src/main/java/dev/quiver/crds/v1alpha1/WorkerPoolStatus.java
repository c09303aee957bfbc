package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.model.annotation.LabelSelector;
import io.fabric8.kubernetes.model.annotation.StatusReplicas;

/** The operator's report on a {@link WorkerPool}. */
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record WorkerPoolStatus(
        @JsonPropertyDescription("The metadata.generation that this status was computed from.") @Min(0)
        Long observedGeneration,

        @JsonPropertyDescription("Pods that exist and are not terminating, those that drain included; read by the scale"
                + " subresource.")
        @Min(0)
        @Max(2000)
        @StatusReplicas
        Integer replicas,

        @JsonPropertyDescription("Pods that are ready to run tasks.") @Min(0) @Max(2000)
        Integer readyReplicas,

        @JsonPropertyDescription("Pods made from the present template.") @Min(0) @Max(2000)
        Integer updatedReplicas,

        @JsonPropertyDescription("Pods that take no new task, finish their running tasks and are then deleted.")
        @Min(0)
        @Max(2000)
        Integer drainingReplicas,

        @JsonPropertyDescription(
                "Pods that there should be: replicas, none while suspended, and with autoscaling what the work needs.")
        @Min(0)
        @Max(1000)
        Integer desiredReplicas,

        @JsonPropertyDescription("Tasks that wait for a slot of the pool and could run now. With autoscaling only.")
        @Min(0)
        Long queued,

        @JsonPropertyDescription(
                "Seconds that one slot would take for the waiting tasks and the rest of the running ones, by the tasks before."
                        + " With autoscaling only.")
        @Min(0)
        Long workSeconds,

        @JsonPropertyDescription("Tasks that wait for a resource. They hold no pod.") @Min(0)
        Long blocked,

        @JsonPropertyDescription(
                "Resources of the pool, at most 64: those first for which most Tasks wait, then others that are missing.")
        @Size(max = MAX_RESOURCES)
        List<PoolResourceStatus> resources,

        @JsonPropertyDescription("Slots of all ready pods.") @Min(0) @Max(128_000)
        Integer slots,

        @JsonPropertyDescription("Slots that run a task now.") @Min(0) @Max(128_000)
        Integer busySlots,

        @JsonPropertyDescription("Label selector of the pool's pods, for the scale subresource.")
        @Size(max = 512)
        @LabelSelector
        String selector,

        @JsonPropertyDescription(
                "Names of the functions that workers of the pool serve, sorted: at most 64, each at most 128 characters.")
        @Size(max = 64)
        List<@Size(max = 128) String> handlers,

        @JsonPropertyDescription(
                "Hash of the parts of the pods: the template, the slots, the handler and the worker image.")
        @Size(max = 64)
        String templateHash,

        @JsonPropertyDescription(
                "Number that the first idoit gave a pool of this name: 52 bits of its SHA-256. Only while spec.grantedPrefix"
                        + " is in use. On the wire stands the name.")
        @Min(0)
        Long idoitPoolID,

        @JsonPropertyDescription(
                "Ready, Draining, SlotsIntact, StoreReachable, Suspended, with spec.grantedPrefix PrefixGranted, with"
                        + " spec.autoscaling Autoscaling, HistoryBacklogged, StatusComplete and WatchedTwice, at most one of each type; at most 16 in all.")
        @Size(max = 16)
        List<Condition> conditions) {

    /** How many resources are listed at most. */
    public static final int MAX_RESOURCES = 64;

    /** How many handlers are listed at most. */
    public static final int MAX_HANDLERS = 64;

    public WorkerPoolStatus {
        resources = resources == null ? List.of() : List.copyOf(resources);
        handlers = handlers == null ? List.of() : List.copyOf(handlers);
        conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }
}
