package dev.quiver.controller.taskset;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.controller.run.ChangeMarks;
import dev.quiver.controller.run.ReconciledKind;
import dev.quiver.controller.store.KeyOwners;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/**
 * TaskSets as a kind of run. Also gives the change marks of a keyspace for all kinds, which the Redis contract keeps
 * with TaskSets.
 *
 * @param control of a keyspace, under the leader's present term
 * @param writable whether the status of a uid may be written now
 */
public record TaskSetRuns(Function<Keyspace, TaskSetControl> control, Predicate<String> writable)
        implements ReconciledKind, KeyOwners, ChangeMarks {

    @Override
    public Class<? extends CustomResource<?, ?>> type() {
        return TaskSet.class;
    }

    @Override
    public List<Class<? extends CustomResource<?, ?>>> types() {
        return List.of(TaskSet.class);
    }

    @Override
    public boolean due(String uid) {
        return writable.test(uid);
    }

    @Override
    public Set<String> ended(Keyspace keyspace, Set<String> uids) {
        return control.apply(keyspace).ended(uids);
    }

    @Override
    public Set<String> present(Keyspace keyspace) {
        return control.apply(keyspace).present().stream()
                .map(TaskSetControl::owner)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    @Override
    public void drop(Keyspace keyspace, String uid) {
        control.apply(keyspace).drop(TaskSetControl.listing(uid));
        control.apply(keyspace).drop(uid);
    }

    /** A program that names tasks reports to the set whose tasks these are. */
    @Override
    public String owner(String uid) {
        return TaskSetControl.owner(uid);
    }

    @Override
    public List<DirtyMark> dirty(Keyspace keyspace, int limit) {
        return control.apply(keyspace).dirty(limit);
    }

    @Override
    public void clean(Keyspace keyspace, Collection<DirtyMark> marks) {
        control.apply(keyspace).clean(marks);
    }
}
