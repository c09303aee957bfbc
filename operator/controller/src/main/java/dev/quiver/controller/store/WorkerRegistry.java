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
 * The workers of a pool as they registered in Redis, by the uid of their pod. Immutable.
 *
 * @param workers of a pod with several sessions the one with the latest heartbeat
 * @param violations how containers broke the rules of their slots
 * @param at when Redis was asked, by the operator's clock
 */
public record WorkerRegistry(Map<String, WorkerRecord> workers, Map<String, String> violations, Instant at) {

    /** A worker that has missed three heartbeats and its lease is no longer alive. */
    public static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(12);

    /** The registry of the records that Redis listed. */
    public static WorkerRegistry of(Collection<WorkerRecord> records, Instant at) {
        return new WorkerRegistry(
                records.stream()
                        .collect(Collectors.toMap(
                                r -> r.worker().podUid(),
                                Function.identity(),
                                BinaryOperator.maxBy(Comparator.comparing(WorkerRecord::lastHeartbeat)))),
                records.stream()
                        .filter(r -> r.trouble().isPresent())
                        .collect(Collectors.toMap(
                                r -> r.worker().podUid(), r -> r.trouble().orElseThrow(), (one, other) -> one)),
                at);
    }

    /** The worker in that pod, if it is alive. */
    public Optional<WorkerRecord> alive(String podUid) {
        return Optional.ofNullable(workers.get(podUid)).filter(WorkerRegistry::alive);
    }

    /** How that pod's container broke the rules of its slots; an earlier session of the pod may have reported it. */
    public Optional<String> violation(String podUid) {
        return Optional.ofNullable(violations.get(podUid));
    }

    /** The names of functions that live workers serve, sorted. */
    public List<String> handlers() {
        return workers.values().stream()
                .filter(WorkerRegistry::alive)
                .flatMap(w -> w.handlers().stream())
                .distinct()
                .sorted()
                .toList();
    }

    /** Slots of all live workers. */
    public int slots() {
        return workers.values().stream()
                .filter(WorkerRegistry::alive)
                .mapToInt(w -> w.worker().slots())
                .sum();
    }

    /** Slots that run a task. */
    public int busySlots() {
        return workers.values().stream()
                .filter(WorkerRegistry::alive)
                .mapToInt(WorkerRecord::busySlots)
                .sum();
    }

    private static boolean alive(WorkerRecord worker) {
        return Duration.between(worker.lastHeartbeat(), worker.storeTime()).compareTo(HEARTBEAT_TIMEOUT) < 0;
    }
}
