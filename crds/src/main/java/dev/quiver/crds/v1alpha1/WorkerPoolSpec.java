package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.model.annotation.SpecReplicas;

/** A person's wishes for a {@link WorkerPool}. */
@ValidationRule(
        value = "has(self.keyspace) == has(oldSelf.keyspace)",
        message = Rules.KEYSPACE_IS_FIXED,
        fieldPath = ".keyspace")
@ValidationRule(
        value = "!has(self.autoscaling) || self.replicas <= self.autoscaling.maxReplicas",
        message = "replicas must not be greater than autoscaling.maxReplicas",
        fieldPath = ".replicas")
@ValidationRule(
        value =
                "!has(self.grantedPrefix) || !has(self.priorityBoosts) && !has(self.fairness)"
                        + " && !has(self.resources) && !has(self.resourceAliases) && (!has(self.ageingPerMinute) || self.ageingPerMinute == 0)",
        message =
                "must stand without priorityBoosts, fairness, resources, resourceAliases and ageingPerMinute: the programs of that prefix decide",
        fieldPath = ".grantedPrefix")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record WorkerPoolSpec(
        @JsonPropertyDescription(
                "How many worker pods to keep: 0 to 1000; with autoscaling the fewest. kubectl scale and autoscalers write"
                        + " it through the scale subresource. The operator never writes it.")
        @Default("1")
        @Min(0)
        @Max(1000)
        @SpecReplicas
        Integer replicas,

        @JsonPropertyDescription(
                "Drains the pods and keeps none while true; replicas keeps its value and counts again" + " afterwards.")
        @Default("false")
        Boolean suspend,

        @JsonPropertyDescription(
                "Makes more pods than replicas while tasks wait, and removes them when they are idle. Can be changed at any"
                        + " time.")
        Autoscaling autoscaling,

        @JsonPropertyDescription(
                "How many tasks each pod runs at a time, and the memory for their inputs and outputs. A"
                        + " change rolls through the pool.")
        Slots slots,

        @JsonPropertyDescription(
                "The pod to run. Its container named worker runs the tasks; the operator sets that container's"
                        + " command, and adds the supervisor and the memory volumes. A change rolls through the pool.")
        @Required
        PodTemplateSpec template,

        @JsonPropertyDescription(
                "Keeps one process alive in each slot, which runs functions by name for tasks with spec.task.handler."
                        + " Tasks with a command run beside it. A change rolls through the pool.")
        Handler handler,

        @JsonPropertyDescription("The sidecar that the operator adds to each pod.")
        Supervisor supervisor,

        @JsonPropertyDescription(
                "Names a keyspace of Redis that pools of this namespace share: with it the keys begin with"
                        + " quiver:{<namespace>/<keyspace>}:, without it with quiver:{<namespace>}:. A DNS label of at most 63"
                        + " characters. Cannot be changed.")
        @Size(min = 1, max = 63)
        @ValidationRule(
                value = "self" + Rules.IS_DNS_LABEL,
                message = "must be a DNS label: " + Rules.DNS_LABEL + ", at most 63 characters")
        @ValidationRule(value = "self == oldSelf", message = Rules.KEYSPACE_IS_FIXED)
        String keyspace,

        @JsonPropertyDescription(
                "Works under a prefix of Redis keys that programs with npm's idoit share. Needs operator.grantedPrefixes of"
                        + " the chart to name this prefix for the namespace, and no Redis Cluster. Can be changed at any time.")
        GrantedPrefix grantedPrefix,

        @JsonPropertyDescription(
                "The record of tasks that programs create without a resource, where the installation keeps history. Can be"
                        + " changed at any time, and counts for what ends from then on.")
        PoolHistory history,

        @JsonPropertyDescription(
                "What the pool adds to the priority of Tasks with a tag: at most 256 tags, each once. Programs may add more"
                        + " for themselves. Waiting Tasks move at once. Can be changed at any time.")
        @Size(max = PriorityBoost.MOST)
        List<PriorityBoost> priorityBoosts,

        @JsonPropertyDescription(
                "What each Task gains in priority for every minute that it waits: 0 to 1000. So none waits for ever behind"
                        + " better ones. A change counts from then on, for Tasks that come later. Can be changed at any time.")
        @Default("0")
        @Min(0)
        @Max(1000)
        Integer ageingPerMinute,

        @JsonPropertyDescription(
                "Lets the Tasks of each fairnessKey take turns, so that a backlog of one key does not hold up another's."
                        + " Left out, Tasks of one priority run in the order of their arrival. Can be changed at any time.")
        Fairness fairness,

        @JsonPropertyDescription(
                "Resources that Tasks of the pool may name, or patterns of them: at most 64, each once. A Task that names one"
                        + " waits while it is missing, and holds no pod. Programs close and open them, and so do Tasks that"
                        + " come upon one that is away. Can be changed at any time.")
        @Size(max = PoolResource.MOST)
        List<PoolResource> resources,

        @JsonPropertyDescription(
                "Names that stand for several resources when a Task comes: at most 16. A change counts for Tasks that come"
                        + " later. Can be changed at any time.")
        @Size(max = ResourceAlias.MOST)
        List<ResourceAlias> resourceAliases,

        @JsonPropertyDescription(
                "How long, in seconds, a draining pod may finish its running tasks: 0 to 3600. Tasks that take longer"
                        + " run again elsewhere, without a trial used.")
        @Default("300")
        @Min(0)
        @Max(3600)
        Integer drainSeconds,

        @JsonPropertyDescription("How fast pods are replaced when template, slots, handler or supervisor change.")
        Rollout rollout) {
    public WorkerPoolSpec {
        replicas = replicas == null ? 1 : replicas;
        suspend = suspend != null && suspend;
        slots = slots == null ? Slots.DEFAULT : slots;
        supervisor = supervisor == null ? Supervisor.DEFAULT : supervisor;
        priorityBoosts = priorityBoosts == null ? List.of() : List.copyOf(priorityBoosts);
        ageingPerMinute = ageingPerMinute == null ? 0 : ageingPerMinute;
        resources = resources == null ? List.of() : List.copyOf(resources);
        resourceAliases = resourceAliases == null ? List.of() : List.copyOf(resourceAliases);
        drainSeconds = drainSeconds == null ? 300 : drainSeconds;
        rollout = rollout == null ? Rollout.DEFAULT : rollout;
    }

    /** How far the pool follows its work, where it does. */
    public Optional<Autoscaling> follows() {
        return Optional.ofNullable(autoscaling);
    }

    /** The name behind the namespace in this pool's keyspace, where it has one. */
    public Optional<String> namedKeyspace() {
        return Optional.ofNullable(keyspace);
    }

    /** The keys of idoit that it works under, where it does. */
    public Optional<GrantedPrefix> foreignKeys() {
        return Optional.ofNullable(grantedPrefix);
    }

    /** The record of tasks without a resource; the usual one where none is named. */
    public PoolHistory historyOrDefault() {
        return history == null ? PoolHistory.DEFAULT : history;
    }

    /** The process that serves functions, where the pool has one. */
    public Optional<Handler> handlerProcess() {
        return Optional.ofNullable(handler);
    }

    /** {@link #drainSeconds} as a duration. */
    public Duration drain() {
        return Duration.ofSeconds(drainSeconds);
    }
}
