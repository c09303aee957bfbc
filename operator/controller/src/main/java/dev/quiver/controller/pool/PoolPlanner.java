package dev.quiver.controller.pool;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.quiver.controller.pool.PoolPlan.Cause;
import dev.quiver.controller.pool.PoolPlan.Deletion;
import dev.quiver.controller.pool.podstatus.PodStage;

/**
 * Decides which pods a pool makes and which it deletes. Pure: the same facts at the same instant give the same plan. So
 * the next plan completes a half-done one.
 */
final class PoolPlanner {

    /** kubelet's back-off grows to minutes; a crashing container gets a new pod sooner. */
    static final Duration CRASHING_FOR = Duration.ofSeconds(10);

    private PoolPlanner() {}

    static PoolPlan plan(PoolFacts facts, Instant now) {
        List<WorkerPod> live =
                new ArrayList<>(facts.pods().stream().filter(WorkerPod::live).toList());
        List<Deletion> deletions = new ArrayList<>();

        List<WorkerPod> broken = live.stream().filter(p -> broken(p, now)).toList();
        boolean mayReplace = !facts.replaceFrom().isAfter(now);
        if (mayReplace) {
            broken.stream().filter(facts::updated).forEach(p -> deletions.add(new Deletion(p, Cause.REPLACED)));
            deletions.forEach(d -> live.remove(d.pod()));
        }
        deletions.addAll(surplusAndOutdated(facts, live, now));
        deletions.forEach(d -> live.remove(d.pod()));

        int updated = (int) live.stream().filter(facts::updated).count();
        int missing = Math.max(0, Math.min(facts.wanted() - updated, ceiling(facts, live) - live.size()));
        Set<String> taken = facts.pods().stream().map(WorkerPod::name).collect(Collectors.toSet());
        List<String> create = PodNames.next(facts.pool(), facts.hash(), taken, missing);
        return new PoolPlan(
                create, List.copyOf(deletions), requeueAt(facts, live, !broken.isEmpty() && !mayReplace, now));
    }

    /**
     * Pods above the number, and outdated ones as far as enough others are available. An outdated pod that is broken
     * serves no tasks and is deleted in any case. Otherwise a template that never gets ready would keep it for ever.
     */
    private static List<Deletion> surplusAndOutdated(PoolFacts facts, List<WorkerPod> live, Instant now) {
        List<WorkerPod> outdated = sorted(live.stream().filter(p -> !facts.updated(p)));
        List<WorkerPod> updated = sorted(live.stream().filter(facts::updated));
        int minAvailable = facts.wanted() - facts.bounds().maxUnavailable();
        int surplus = Math.max(0, live.size() - ceiling(facts, live));
        int starting = (int) updated.stream().filter(p -> !p.available()).count();
        int outdatedToGo = Math.min(outdated.size(), Math.max(0, live.size() - minAvailable - starting));
        int spare = (int) live.stream().filter(WorkerPod::available).count() - minAvailable;

        List<Deletion> deletions = new ArrayList<>();
        for (WorkerPod pod : outdated) {
            boolean affordable = !pod.available() || spare > 0;
            boolean due = deletions.size() < Math.max(surplus, outdatedToGo) || broken(pod, now);
            if (due && affordable) {
                deletions.add(new Deletion(pod, Cause.OUTDATED));
                spare -= pod.available() ? 1 : 0;
            }
        }
        for (WorkerPod pod : updated) {
            if (deletions.size() < surplus) {
                deletions.add(new Deletion(pod, Cause.SURPLUS));
            }
        }
        return deletions;
    }

    private static int ceiling(PoolFacts facts, List<WorkerPod> live) {
        boolean rolling = live.stream().anyMatch(p -> !facts.updated(p));
        return facts.wanted() + (rolling && facts.wanted() > 0 ? facts.bounds().maxSurge() : 0);
    }

    private static boolean broken(WorkerPod pod, Instant now) {
        return switch (pod.stage()) {
            case ENDED -> true;
            case CRASHING -> crashingUntil(pod).filter(at -> !at.isAfter(now)).isPresent();
            default -> pod.silent() || pod.violation().isPresent();
        };
    }

    /** Absent while the container runs again: then it gets time to become ready. */
    private static Optional<Instant> crashingUntil(WorkerPod pod) {
        return pod.since().map(ended -> ended.plus(CRASHING_FOR));
    }

    private static Optional<Instant> requeueAt(PoolFacts facts, List<WorkerPod> live, boolean heldBack, Instant now) {
        Set<Instant> instants = new HashSet<>();
        if (heldBack) {
            instants.add(facts.replaceFrom());
        }
        live.stream()
                .filter(p -> p.stage() == PodStage.CRASHING)
                .flatMap(p -> crashingUntil(p).stream())
                .filter(at -> at.isAfter(now))
                .forEach(instants::add);
        return instants.stream().min(Instant::compareTo);
    }

    private static List<WorkerPod> sorted(Stream<WorkerPod> pods) {
        return pods.sorted(ScaleInOrder.FIRST_TO_DELETE).toList();
    }
}
