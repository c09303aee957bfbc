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
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/**
 * Asks Redis which runs changed, one question for all runs of a keyspace, and wakes those whose status may be written
 * now; ends at once. A mark is taken into memory and removed from Redis unless it moved on meanwhile: a leader that
 * starts looks at every run anyway, so nothing is lost with this memory. Thread-safe; {@link #poll} is for one thread
 * at a time and keyspace.
 */
public final class Runs {

    private static final int MARKS_AT_ONCE = 1000;
    private static final int MOST_TOLD = 100;

    private final Store store;
    private final Predicate<String> due;
    private final ByKeyspace runs = new ByKeyspace();
    /** Runs that changed and whose status may not be written yet. */
    private final Map<Keyspace, Set<String>> pending = new ConcurrentHashMap<>();

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
        runs.follow(set, keyspace);
    }

    /** No longer follows it. */
    public void unfollow(String uid) {
        runs.unfollow(uid)
                .ifPresent(run -> pending.computeIfPresent(run.keyspace(), (keyspace, uids) -> {
                    uids.remove(uid);
                    return uids.isEmpty() ? null : uids;
                }));
    }

    /** Where a run's keys are, if it is followed. */
    public Optional<Keyspace> keyspace(String uid) {
        return runs.of(uid).map(ByKeyspace.Followed::keyspace);
    }

    /** Told of runs to look at. */
    public void onChange(Consumer<Collection<ResourceID>> listener) {
        listeners.add(listener);
    }

    /** Looks at every run of a keyspace: it is not what it was. */
    public void wakeAll(Keyspace keyspace) {
        List<ResourceID> all =
                runs.in(keyspace).stream().map(ByKeyspace.Followed::id).toList();
        listeners.forEach(l -> l.accept(all));
    }

    /** Runs of a keyspace to speak of in Events, at most a hundred: name, namespace and uid. */
    public List<TaskSet> resources(Keyspace keyspace) {
        return runs.in(keyspace).stream().limit(MOST_TOLD).map(Runs::stub).toList();
    }

    private static TaskSet stub(ByKeyspace.Followed run) {
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
        return runs.keyspaces();
    }

    /** Asks one keyspace. */
    public void poll(Keyspace keyspace) {
        TaskSetControl control = store.runs(keyspace);
        List<DirtyMark> marks = control.dirty(MARKS_AT_ONCE);
        Set<String> notDue = new HashSet<>();
        for (DirtyMark mark : marks) {
            if (runs.of(mark.uid())
                    .filter(run -> run.keyspace().equals(keyspace))
                    .isPresent()) {
                wait(keyspace, mark.uid());
                if (!due.test(mark.uid())) {
                    notDue.add(mark.uid());
                }
            }
        }
        if (!marks.isEmpty()) {
            control.clean(marks);
        }
        wake(keyspace, notDue.isEmpty() ? Set.of() : control.ended(notDue));
    }

    private void wait(Keyspace keyspace, String uid) {
        pending.compute(keyspace, (same, uids) -> {
            Set<String> waiting = uids == null ? ConcurrentHashMap.newKeySet() : uids;
            waiting.add(uid);
            return waiting;
        });
    }

    private void wake(Keyspace keyspace, Set<String> ended) {
        List<ResourceID> now = new ArrayList<>();
        Set<String> waiting = pending.getOrDefault(keyspace, Set.of());
        for (String uid : waiting) {
            Optional<ByKeyspace.Followed> run = runs.of(uid);
            if (run.isEmpty() || ended.contains(uid) || due.test(uid)) {
                waiting.remove(uid);
                run.ifPresent(followed -> now.add(followed.id()));
            }
        }
        pending.computeIfPresent(keyspace, (same, uids) -> uids.isEmpty() ? null : uids);
        if (!now.isEmpty()) {
            listeners.forEach(l -> l.accept(now));
        }
    }
}
