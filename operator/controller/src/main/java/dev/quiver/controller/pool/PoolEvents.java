package dev.quiver.controller.pool;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.Announcement;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/** What a person should be told about a pool, from how its conditions changed and what was done. Pure. */
final class PoolEvents {

    private static final Set<String> ALARMING = Set.of(
            WorkerPoolReason.PodsRefused.name(),
            WorkerPoolReason.SpecInvalid.name(),
            WorkerPoolReason.RedisSecretMissing.name(),
            WorkerPoolReason.ImagePullFailed.name(),
            WorkerPoolReason.ContainerConfigInvalid.name(),
            WorkerPoolReason.ContainersCrashing.name(),
            WorkerPoolReason.PodsUnschedulable.name());

    private PoolEvents() {}

    static List<Announcement> of(WorkerPoolStatus before, WorkerPoolStatus after, PoolPlan plan) {
        List<Announcement> told = new ArrayList<>();
        Optional<Condition> ready = Conditions.find(after.conditions(), ConditionType.Ready);
        String reasonBefore = Conditions.find(before.conditions(), ConditionType.Ready)
                .map(Condition::getReason)
                .orElse("");
        ready.filter(c -> ALARMING.contains(c.getReason()) && !c.getReason().equals(reasonBefore))
                .ifPresent(c -> told.add(Announcement.warning(c.getReason(), c.getMessage())));
        Conditions.find(after.conditions(), ConditionType.SlotsIntact)
                .filter(is -> WorkerPoolReason.SlotsViolated.name().equals(is.getReason()))
                .filter(is -> Conditions.find(before.conditions(), ConditionType.SlotsIntact)
                        .filter(was -> was.getMessage().equals(is.getMessage()))
                        .isEmpty())
                .ifPresent(is -> told.add(Announcement.warning(is.getReason(), is.getMessage())));
        long replaced = plan.letGo().stream()
                .filter(d -> d.why() == PoolPlan.Why.REPLACED)
                .count();
        if (replaced > 0) {
            WorkerPod first = plan.letGo().stream()
                    .filter(d -> d.why() == PoolPlan.Why.REPLACED)
                    .findFirst()
                    .orElseThrow()
                    .pod();
            String why = first.complaint();
            told.add(Announcement.warning(
                    "PodsReplaced",
                    replaced == 1
                            ? "Replaced pod " + first.name() + ": " + why
                            : "Replaced " + replaced + " pods, among them " + first.name() + ": " + why));
        }
        if (before.templateHash() != null && !before.templateHash().equals(after.templateHash())) {
            told.add(Announcement.normal(
                    "RollingOut", "Pods are replaced by ones of template " + after.templateHash() + "."));
        }
        return told;
    }
}
