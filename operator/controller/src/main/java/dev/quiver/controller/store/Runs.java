package dev.quiver.controller.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.processing.event.ResourceID;

import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.taskset.DirtyMark;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/**
 * Asks Redis which runs changed, one question for all runs of a keyspace, and wakes those whose status may be written
 * now; ends at once. A mark is taken into memory and removed from Redis unless it moved on meanwhile: a leader that
 * starts looks at every run anyway, so nothing is lost with this memory. Thread-safe; {@link #poll} is for one thread
 * at a time and keyspace.
 */
public final class Runs {

    private static final int MARKS_AT_ONCE = 1000;
    private static final int MOST_TOLD = 100;

    private record Followed(ResourceID id, String uid, Keyspace keyspace) {}

    private final Store store;
    private final Predicate<String> due;
    private final Map<String, Followed> runs = new ConcurrentHashMap<>();
    private final Set<String> pending = ConcurrentHashMap.newKeySet();
    private final List<Consumer<Collection<ResourceID>>> listeners = new CopyOnWriteArrayList<>();

    /**
     * Follows nothing yet.
     *
     * @param due whether the status of that uid may be written now
     */
    public Runs(Store store, Predicate<String> due) {
        this.store = store;
        this.due = due;
    }

    /** Follows a run from now on; to be called before it is looked at. Idempotent. */
    public void follow(TaskSet set, Keyspace keyspace) {
        String uid = set.getMetadata().getUid();
        runs.put(uid, new Followed(ResourceID.fromResource(set), uid, keyspace));
    }

    /** No longer follows it. */
    public void unfollow(String uid) {
        runs.remove(uid);
        pending.remove(uid);
    }

    /** Where a run's keys are, if it is followed. */
    public Optional<Keyspace> keyspace(String uid) {
        return Optional.ofNullable(runs.get(uid)).map(Followed::keyspace);
    }

    /** Told of runs to look at. */
    public void onChange(Consumer<Collection<ResourceID>> listener) {
        listeners.add(listener);
    }

    /** Looks at every run of a keyspace: it is not what it was. */
    public void wakeAll(Keyspace keyspace) {
        List<ResourceID> all = runs.values().stream()
                .filter(r -> r.keyspace().equals(keyspace))
                .map(Followed::id)
                .toList();
        listeners.forEach(l -> l.accept(all));
    }

    /** Runs of a keyspace to speak of in Events, at most a hundred: name, namespace and uid. */
    public List<TaskSet> resources(Keyspace keyspace) {
        return runs.values().stream()
                .filter(r -> r.keyspace().equals(keyspace))
                .limit(MOST_TOLD)
                .map(Runs::stub)
                .toList();
    }

    private static TaskSet stub(Followed run) {
        TaskSet set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder()
                .withName(run.id().getName())
                .withNamespace(run.id().getNamespace().orElseThrow())
                .withUid(run.uid())
                .build());
        return set;
    }

    /** The keyspaces that have runs. */
    public Collection<Keyspace> keyspaces() {
        return runs.values().stream().map(Followed::keyspace).distinct().toList();
    }

    /** Asks one keyspace. */
    public void poll(Keyspace keyspace) {
        TaskSetControl control = store.runs(keyspace);
        List<DirtyMark> marks = control.dirty(MARKS_AT_ONCE);
        Set<String> notDue = new HashSet<>();
        for (DirtyMark mark : marks) {
            if (runs.containsKey(mark.uid())) {
                pending.add(mark.uid());
                if (!due.test(mark.uid())) {
                    notDue.add(mark.uid());
                }
            }
        }
        if (!marks.isEmpty()) {
            control.clean(marks);
        }
        Set<String> ended = new HashSet<>();
        if (!notDue.isEmpty()) {
            control.snapshot(notDue).values().stream()
                    .filter(s -> s.status().isFinal())
                    .map(TaskSetSnapshot::uid)
                    .forEach(ended::add);
        }
        wake(keyspace, ended);
    }

    private void wake(Keyspace keyspace, Set<String> ended) {
        List<ResourceID> now = new ArrayList<>();
        for (String uid : pending) {
            Followed run = runs.get(uid);
            if (run != null && run.keyspace().equals(keyspace) && (ended.contains(uid) || due.test(uid))) {
                pending.remove(uid);
                now.add(run.id());
            }
        }
        if (!now.isEmpty()) {
            listeners.forEach(l -> l.accept(now));
        }
    }
}
