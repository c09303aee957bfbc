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

    /** A pod that was told to drain says so at its next heartbeat. */
    private static final Duration ANSWER = Duration.ofSeconds(1);

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
        int surplus = Math.max(0, live.size() - ceiling(facts, live));
        List<Deletion> outdated = outdated(facts, live, surplus, now);
        deletions.addAll(outdated);
        IdleScaleIn.Leaving leaving = surplus(facts, live, surplus - outdated.size());
        leaving.delete().forEach(pod -> deletions.add(new Deletion(pod, Cause.SURPLUS)));
        deletions.forEach(d -> live.remove(d.pod()));

        int updated = (int) live.stream().filter(facts::updated).count();
        int missing = Math.max(0, Math.min(facts.wanted() - updated, ceiling(facts, live) - live.size()));
        Set<String> taken = facts.pods().stream().map(WorkerPod::name).collect(Collectors.toSet());
        List<String> create = PodNames.next(facts.pool(), facts.hash(), taken, missing);
        return PoolPlanBuilder.builder()
                .create(create)
                .deletions(deletions)
                .drains(leaving.drain().stream()
                        .filter(pod -> !isMarked(facts, pod))
                        .toList())
                .resumes(live.stream()
                        .filter(pod -> !leaving.drain().contains(pod) && resumes(facts, pod))
                        .toList())
                .requeueAt(requeueAt(facts, live, !broken.isEmpty() && !mayReplace, leaving.drain(), now))
                .build();
    }

    /** Pods of the present template that are too many. */
    private static IdleScaleIn.Leaving surplus(PoolFacts facts, List<WorkerPod> live, int surplus) {
        List<WorkerPod> updated = sorted(live.stream().filter(facts::updated));
        return facts.most().isPresent()
                ? new IdleScaleIn(facts.most().getAsInt(), facts.marks()).choose(updated, live.size(), surplus)
                : new IdleScaleIn.Leaving(
                        updated.stream().limit(Math.max(0, surplus)).toList(), List.of());
    }

    private static boolean isMarked(PoolFacts facts, WorkerPod pod) {
        DrainMark mark = facts.marks().get(pod.uid());
        return mark != null && mark.drains();
    }

    /** Whether a pod that stays was told to take no more work, by this leader or the one before. */
    private static boolean resumes(PoolFacts facts, WorkerPod pod) {
        DrainMark mark = facts.marks().get(pod.uid());
        return mark == null ? pod.draining() && !facts.holds() : mark.drains();
    }

    /**
     * Outdated pods, as far as enough others are available. One that is broken serves no tasks and is deleted in any
     * case. Otherwise a template that never gets ready would keep it for ever.
     */
    private static List<Deletion> outdated(PoolFacts facts, List<WorkerPod> live, int surplus, Instant now) {
        List<WorkerPod> outdated = sorted(live.stream().filter(p -> !facts.updated(p)));
        int minAvailable = facts.wanted() - facts.bounds().maxUnavailable();
        int starting = (int)
                live.stream().filter(p -> facts.updated(p) && !p.available()).count();
        int toGo = Math.min(outdated.size(), Math.max(0, live.size() - minAvailable - starting));
        int spare = (int) live.stream().filter(WorkerPod::available).count() - minAvailable;

        List<Deletion> deletions = new ArrayList<>();
        for (WorkerPod pod : outdated) {
            boolean affordable = !pod.available() || spare > 0;
            boolean due = deletions.size() < Math.max(surplus, toGo) || broken(pod, now);
            if (due && affordable) {
                deletions.add(new Deletion(pod, Cause.OUTDATED));
                spare -= pod.available() ? 1 : 0;
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

    private static Optional<Instant> requeueAt(
            PoolFacts facts, List<WorkerPod> live, boolean heldBack, List<WorkerPod> drain, Instant now) {
        Set<Instant> instants = new HashSet<>();
        if (!drain.isEmpty()) {
            instants.add(now.plus(ANSWER));
        }
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
