package dev.quiver.controller.pool;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.Event;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/** The Events about a pool, from the changes of its conditions and from acts. Pure. */
final class PoolEvents {

    /** Reasons of Ready for which a person has to act. */
    static final Set<String> ALARMING = Set.of(
            WorkerPoolReason.PodsRefused.name(),
            WorkerPoolReason.SpecInvalid.name(),
            WorkerPoolReason.RedisSecretMissing.name(),
            WorkerPoolReason.ImagePullFailed.name(),
            WorkerPoolReason.ContainerConfigInvalid.name(),
            WorkerPoolReason.ContainersCrashing.name(),
            WorkerPoolReason.PodsUnschedulable.name());

    private PoolEvents() {}

    /** Events of changed conditions, to be written after the status. */
    static List<Event> of(WorkerPoolStatus before, WorkerPoolStatus after) {
        List<Event> events = new ArrayList<>();
        Optional<Condition> ready = Conditions.find(after.conditions(), ConditionType.Ready);
        String reasonBefore = Conditions.find(before.conditions(), ConditionType.Ready)
                .map(Condition::getReason)
                .orElse("");
        ready.filter(c -> ALARMING.contains(c.getReason()) && !c.getReason().equals(reasonBefore))
                .ifPresent(c -> events.add(Event.warning(c.getReason(), c.getMessage())));
        Conditions.find(after.conditions(), ConditionType.SlotsIntact)
                .filter(is -> WorkerPoolReason.SlotsViolated.name().equals(is.getReason()))
                .filter(is -> Conditions.find(before.conditions(), ConditionType.SlotsIntact)
                        .filter(was -> was.getMessage().equals(is.getMessage()))
                        .isEmpty())
                .ifPresent(is -> events.add(Event.warning(is.getReason(), is.getMessage())));
        String prefixBefore = Conditions.find(before.conditions(), ConditionType.PrefixGranted)
                .map(Condition::getMessage)
                .orElse("");
        Conditions.find(after.conditions(), ConditionType.PrefixGranted)
                .filter(is -> is.getStatus().equals(ConditionStatus.False.name()))
                .filter(is -> !is.getMessage().equals(prefixBefore))
                .ifPresent(is -> events.add(Event.warning(is.getReason(), is.getMessage())));
        if (before.templateHash() != null && !before.templateHash().equals(after.templateHash())) {
            events.add(
                    Event.normal("RollingOut", "Pods are replaced by ones of template " + after.templateHash() + "."));
        }
        return events;
    }

    /** The Event of replaced pods, to be written with their deletion, since no later status has them. */
    static Optional<Event> replaced(PoolPlan plan) {
        List<WorkerPod> pods = plan.deletions().stream()
                .filter(d -> d.cause() == PoolPlan.Cause.REPLACED)
                .map(PoolPlan.Deletion::pod)
                .toList();
        return pods.stream()
                .findFirst()
                .map(first -> Event.warning(
                        "PodsReplaced",
                        (pods.size() == 1 ? "Replaced pod " : "Replaced " + pods.size() + " pods, among them ")
                                + first.name() + ": " + first.problem()));
    }
}
