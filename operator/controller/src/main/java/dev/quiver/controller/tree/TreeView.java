package dev.quiver.controller.tree;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.controller.store.RecordBacklog;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TreeSpec;
import dev.quiver.crds.v1alpha1.TreeStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.ScheduleReport;

/** The facts about a run that is a tree in Redis, at the start of a reconcile. */
public interface TreeView {

    /** The resource. */
    HasMetadata run();

    /** Its spec. */
    TreeSpec spec();

    /** The status last written; empty components when there was none. */
    TreeStatus before();

    /** That of its tree. */
    Keyspace keyspace();

    /** Whether Redis was asked, and has it. */
    ObservedStore<?> store();

    /** The tree, where Redis has it; of a schedule that of its latest run. */
    Optional<ObservedTree> tree();

    /** The schedule in Redis, where the spec has one and Redis answered. */
    Optional<ScheduleReport> schedule();

    /** The pools that the spec names, that of spec.workerPoolRef first. */
    Map<String, ObservedPool> pools();

    /** Whether Redis has the limits of this generation from this leader. */
    boolean adjusted();

    /** How far history is behind in its keyspace; absent while it is not known. */
    Optional<RecordBacklog> backlog();

    /** By the operator's clock, for transition times; Redis' clock ends a tree. */
    Instant now();

    /** Whether the status shows numbers from Redis: then a tree that Redis does not have was lost. */
    boolean accepted();

    /** The hash of the work of the spec. */
    String workHash();

    /** Whether the status shows its end. */
    default boolean finished() {
        return Conditions.isTrue(before().conditions(), ConditionType.Finished);
    }

    /** Whether it runs again and again. */
    default boolean recurring() {
        return spec().recurring().isPresent();
    }

    /** Whether nothing is to be given out. */
    default boolean suspends() {
        return spec().suspend() && !spec().cancel();
    }

    /** Whether Redis begins the tree at its time, also where the spec names none. */
    default boolean timesItself() {
        return true;
    }

    /** Whether the status does not show yet where the tree will be. */
    default boolean placeIsNew() {
        return before().keyspace() == null && Keyspaces.name(keyspace()).isPresent();
    }

    /** The pools that are not there, by name. */
    default List<String> missingPools() {
        return pools().entrySet().stream()
                .filter(pool -> pool.getValue() instanceof ObservedPool.Missing)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The pools that are there. */
    default List<WorkerPool> servingPools() {
        return pools().values().stream()
                .map(ObservedPool::serving)
                .flatMap(Optional::stream)
                .toList();
    }

    /** The pools of these names, as the informer has them. */
    static Map<String, ObservedPool> pools(Set<String> names, Set<WorkerPool> there) {
        Map<String, WorkerPool> byName = there.stream()
                .collect(Collectors.toMap(pool -> pool.getMetadata().getName(), Function.identity()));
        Map<String, ObservedPool> pools = new LinkedHashMap<>();
        names.forEach(name -> pools.put(name, ObservedPool.shared(name, Optional.ofNullable(byName.get(name)))));
        return pools;
    }
}
