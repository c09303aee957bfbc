package dev.quiver.controller.tree;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.controller.store.RecordBacklog;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TreeSpec;
import dev.quiver.crds.v1alpha1.TreeStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.schedule.ScheduleReport;

/** The facts about a run that is a tree in Redis, at the start of a reconcile. */
public interface TreeView {

    /** The resource. */
    HasMetadata run();

    /** Its spec. */
    TreeSpec spec();

    /** The status last written; empty components when there was none. */
    TreeStatus before();

    /** Where its tree is, or would be. */
    TreeLayout layout();

    /** Those that namespaces were granted. */
    GrantedPrefixes prefixes();

    /** The keyspace of its tree. */
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

    /** The resources that its queued work waits for. */
    Blockage blockage();

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
        return spec().suspend() && !spec().cancel() && timesItself();
    }

    /** Whether Redis begins the tree at its time, also where the spec names none. */
    default boolean timesItself() {
        return layout() instanceof TreeLayout.Own;
    }

    /** Whether the status does not show yet where the tree will be. */
    default boolean placeIsNew() {
        return before().keyspace() == null && Keyspaces.name(keyspace()).isPresent()
                || !Optional.ofNullable(before().grantedPrefix()).equals(layout().granted());
    }

    /** When it ended, by Redis' clock; by the operator's where Redis has no such time, as for a schedule. */
    default Instant end() {
        return tree().filter(_ -> !recurring())
                .map(ObservedTree::report)
                .flatMap(TreeReport::finishedAt)
                .orElse(now());
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
    static Map<String, ObservedPool> pools(Set<String> names, Function<String, Optional<WorkerPool>> there) {
        Map<String, ObservedPool> pools = new LinkedHashMap<>();
        names.forEach(name -> pools.put(name, ObservedPool.shared(name, there.apply(name))));
        return pools;
    }
}
