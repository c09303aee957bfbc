package dev.quiver.controller.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.quiver.lifecycle.worker.WorkerRecord;

/**
 * The workers of a pool as they said of themselves in Redis, by the uid of their pod. Immutable.
 *
 * @param workers of a pod with several sessions the one heard last
 * @param violations what is wrong with a pod, for those with whom something is
 * @param at when Redis was asked, by the operator's clock
 */
public record WorkerRegistry(Map<String, WorkerRecord> workers, Map<String, String> violations, Instant at) {

    /** A worker that has missed three beats and its lease is not heard any more. */
    public static final Duration HEARD_WITHIN = Duration.ofSeconds(12);

    /** From what Redis listed. */
    public static WorkerRegistry of(Collection<WorkerRecord> records, Instant at) {
        return new WorkerRegistry(
                records.stream()
                        .collect(Collectors.toMap(
                                r -> r.worker().podUid(),
                                Function.identity(),
                                BinaryOperator.maxBy(Comparator.comparing(WorkerRecord::lastBeat)))),
                records.stream()
                        .filter(r -> r.trouble().isPresent())
                        .collect(Collectors.toMap(
                                r -> r.worker().podUid(), r -> r.trouble().orElseThrow(), (one, other) -> one)),
                at);
    }

    /** The worker in that pod, if it is heard. */
    public Optional<WorkerRecord> heard(String podUid) {
        return Optional.ofNullable(workers.get(podUid)).filter(WorkerRegistry::heard);
    }

    /** What is wrong with that pod, in its supervisor's words; an earlier session of the pod may have said it. */
    public Optional<String> violation(String podUid) {
        return Optional.ofNullable(violations.get(podUid));
    }

    /** The names of functions that workers serve which are heard, sorted. */
    public List<String> handlers() {
        return workers.values().stream()
                .filter(WorkerRegistry::heard)
                .flatMap(w -> w.handlers().stream())
                .distinct()
                .sorted()
                .toList();
    }

    /** Slots of all workers that are heard. */
    public int slots() {
        return workers.values().stream()
                .filter(WorkerRegistry::heard)
                .mapToInt(w -> w.worker().slots())
                .sum();
    }

    /** Slots that run a task. */
    public int busySlots() {
        return workers.values().stream()
                .filter(WorkerRegistry::heard)
                .mapToInt(WorkerRecord::busySlots)
                .sum();
    }

    private static boolean heard(WorkerRecord worker) {
        return Duration.between(worker.lastBeat(), worker.storeTime()).compareTo(HEARD_WITHIN) < 0;
    }
}
