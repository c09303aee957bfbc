package dev.quiver.controller.pool;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.Sentence;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;

/**
 * Condition {@code Ready}: whether all wanted pods are ready. If not, the message gives the cause in the words of
 * kubelet, scheduler or API server. The first reason that applies wins, in the order of how much a person can do about
 * it. The message has all reasons. Pure.
 */
final class ReadyCondition {

    private static final int MESSAGES_SHOWN = 3;

    private ReadyCondition() {}

    static void set(PoolView view, PoolMemory memory, Conditions fresh) {
        Optional<Refusal> refusal = memory.refusal();
        if (view.deleting()) {
            fresh.set(ConditionType.Ready, ConditionStatus.False, WorkerPoolReason.Deleting);
            return;
        }
        if (view.pool().getSpec().suspend()) {
            fresh.set(ConditionType.Ready, ConditionStatus.False, WorkerPoolReason.Suspended);
            return;
        }
        if (view.blocked()) {
            Blocker no = view.blocker().orElseThrow();
            fresh.set(
                    ConditionType.Ready,
                    ConditionStatus.False,
                    no.reason(),
                    Sentence.of("No pod is made, and those that are there stay: " + no.message()));
            return;
        }
        boolean allReady =
                view.available() >= view.wanted() && view.live().stream().allMatch(view::updated) && refusal.isEmpty();
        if (allReady) {
            fresh.set(ConditionType.Ready, ConditionStatus.True, WorkerPoolReason.AllReplicasReady, count(view));
            return;
        }
        Optional<ReplacedPod> replaced = memory.replaced().filter(pod -> stillRelevant(pod, view));
        fresh.set(
                ConditionType.Ready,
                ConditionStatus.False,
                reason(view, refusal, replaced),
                message(view, refusal, replaced));
    }

    /** True while no pod of its template is ready, and none has failed as well. */
    private static boolean stillRelevant(ReplacedPod replaced, PoolView view) {
        return replaced.hash().equals(view.hash())
                && view.live().stream().filter(view::updated).noneMatch(pod -> pod.available() || pod.failed());
    }

    private static WorkerPoolReason reason(PoolView view, Optional<Refusal> refusal, Optional<ReplacedPod> replaced) {
        if (refusal.isPresent()) {
            return refusal.get().invalid() ? WorkerPoolReason.SpecInvalid : WorkerPoolReason.PodsRefused;
        }
        if (view.count(PodStage.IMAGE_FAILED) > 0) {
            return WorkerPoolReason.ImagePullFailed;
        }
        if (view.count(PodStage.CONFIG_INVALID) > 0) {
            return WorkerPoolReason.ContainerConfigInvalid;
        }
        if (view.pods().stream().anyMatch(WorkerPod::failed)) {
            return WorkerPoolReason.ContainersCrashing;
        }
        if (view.count(PodStage.UNSCHEDULABLE) > 0) {
            return WorkerPoolReason.PodsUnschedulable;
        }
        if (view.count(PodStage.GATED) > 0) {
            return WorkerPoolReason.PodsGated;
        }
        if (replaced.isPresent()) {
            return WorkerPoolReason.ContainersCrashing;
        }
        if (!view.live().stream().allMatch(view::updated)) {
            return WorkerPoolReason.RollingOut;
        }
        boolean waitingForWorkers = view.live().size() >= view.wanted() && view.count(PodStage.UNREADY) > 0;
        return waitingForWorkers ? WorkerPoolReason.WorkersNotReady : WorkerPoolReason.ScalingUp;
    }

    private static String message(PoolView view, Optional<Refusal> refusal, Optional<ReplacedPod> replaced) {
        Map<String, Long> problems = view.live().stream()
                .map(WorkerPod::message)
                .filter(message -> !message.isEmpty())
                .collect(Collectors.groupingBy(w -> w, TreeMap::new, Collectors.counting()));
        List<String> sentences = problems.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(MESSAGES_SHOWN)
                .map(e -> Sentence.of(e.getValue() + (e.getValue() == 1 ? " pod: " : " pods: ") + e.getKey()))
                .map(sentence -> " " + sentence)
                .toList();
        String no = refusal.map(r -> " " + Sentence.of("The API server refuses more: " + r.message()))
                .orElse("");
        String before = replaced.map(pod -> " " + Sentence.of("The pod before was replaced: " + pod.message()))
                .orElse("");
        return count(view) + no + String.join("", sentences) + before;
    }

    private static String count(PoolView view) {
        return view.available() + " of " + view.wanted() + " pods are ready.";
    }
}
