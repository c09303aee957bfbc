package dev.quiver.controller.task;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskSpec;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.ScheduleReport;

/**
 * The facts about a Task at the start of a reconcile.
 *
 * @param before the status last written; empty components when there was none
 * @param keyspace of its tree
 * @param store the tree; of a schedule that of its latest run
 * @param schedule in Redis, where the spec has one and Redis answered
 * @param pools those that the spec names, that of spec.workerPoolRef first
 * @param layout of its tree
 * @param prefixes those that namespaces were granted
 * @param adjusted whether Redis has the limits of this generation from this leader
 * @param now by the operator's clock, for transition times; Redis' clock ends a tree
 */
record TaskView(
        Task task,
        TaskStatus before,
        Keyspace keyspace,
        ObservedStore<ObservedTree> store,
        Optional<ScheduleReport> schedule,
        Map<String, ObservedPool> pools,
        TaskLayout layout,
        GrantedPrefixes prefixes,
        boolean adjusted,
        Instant now) {

    TaskSpec spec() {
        return task.getSpec();
    }

    boolean finished() {
        return Conditions.isTrue(before.conditions(), ConditionType.Finished);
    }

    /** Whether the status shows numbers from Redis: then a tree that Redis does not have was lost. */
    boolean accepted() {
        return before.progress() != null || before.schedule() != null;
    }

    /** Whether it runs again and again. */
    boolean recurring() {
        return spec().recurring().isPresent();
    }

    /** The tree, where Redis has it. */
    Optional<ObservedTree> tree() {
        return store.snapshot();
    }

    /** The pools that are not there, by name. */
    List<String> missingPools() {
        return pools.entrySet().stream()
                .filter(pool -> pool.getValue() instanceof ObservedPool.Missing)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The pools that are there. */
    List<WorkerPool> servingPools() {
        return pools.values().stream()
                .map(ObservedPool::serving)
                .flatMap(Optional::stream)
                .toList();
    }

    /** The names of the WorkerPools that run parts of a node, each once; of one with children alone none. */
    static Set<String> poolsOf(TaskSpec spec, TaskNode node) {
        Set<String> names = new LinkedHashSet<>();
        node.runners().forEach(runner -> names.add(poolOf(spec, runner)));
        return names;
    }

    /** The name of the WorkerPool that runs this; of a foreign node that of the spec. */
    static String poolOf(TaskSpec spec, TaskNode.Runner runner) {
        return runner.pool() == null
                ? spec.workerPoolRef().name()
                : runner.pool().name();
    }

    /** The names of all pools that a spec names, that of spec.workerPoolRef first. */
    static Set<String> poolNames(TaskSpec spec) {
        Set<String> names = new LinkedHashSet<>();
        names.add(spec.workerPoolRef().name());
        spec.allNodes().forEach(node -> names.addAll(poolsOf(spec, node)));
        return names;
    }

    /** The pools of a spec, as the informer has them. */
    static Map<String, ObservedPool> pools(TaskSpec spec, Set<WorkerPool> there) {
        Map<String, WorkerPool> byName = there.stream()
                .collect(Collectors.toMap(pool -> pool.getMetadata().getName(), Function.identity()));
        Map<String, ObservedPool> pools = new LinkedHashMap<>();
        poolNames(spec)
                .forEach(name -> pools.put(name, ObservedPool.shared(name, Optional.ofNullable(byName.get(name)))));
        return pools;
    }
}
