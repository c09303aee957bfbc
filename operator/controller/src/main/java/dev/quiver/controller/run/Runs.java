package dev.quiver.controller.run;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.processing.event.ResourceID;

import dev.quiver.controller.store.Followed;
import dev.quiver.controller.store.Follower;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Asks Redis which runs changed, one question for all runs of a keyspace, and wakes those whose status may be written
 * now. Does nothing more. A mark is taken into memory and removed from Redis unless it changed meanwhile. A leader that
 * starts reconciles every run, so the loss of this memory does no harm. Thread-safe; {@link #poll} is for one thread at
 * a time and keyspace.
 */
public final class Runs implements Follower {

    private static final int MARKS_AT_ONCE = 1000;
    private static final int MOST_TOLD = 100;

    /**
     * The runs of one kind.
     *
     * @param followed a note marks a run that changed and whose status may not be written yet
     */
    private record OfKind(ReconciledKind kind, Followed<DirtyMark> followed) {}

    private final ChangeMarks marks;
    private final List<OfKind> kinds = new CopyOnWriteArrayList<>();

    /** Follows nothing yet. */
    public Runs(ChangeMarks marks) {
        this.marks = marks;
    }

    /** Adds a kind; the result holds its followed runs. */
    public Followed<DirtyMark> of(ReconciledKind kind) {
        Followed<DirtyMark> followed = new Followed<>();
        kinds.add(new OfKind(kind, followed));
        return followed;
    }

    /** Reconciles every run of a keyspace: the keyspace has changed. */
    public void wakeAll(Keyspace keyspace) {
        kinds.forEach(of -> of.followed().wakeAll(keyspace));
    }

    /** Runs of a keyspace, as objects of Events, at most a hundred of each kind: kind, name, namespace and uid. */
    public List<HasMetadata> resources(Keyspace keyspace) {
        return kinds.stream()
                .flatMap(of ->
                        of.followed().in(keyspace).stream().limit(MOST_TOLD).map(run -> stub(of.kind(), run)))
                .toList();
    }

    private static HasMetadata stub(ReconciledKind kind, Followed.Resource run) {
        GenericKubernetesResource stub = new GenericKubernetesResource();
        stub.setApiVersion(HasMetadata.getApiVersion(kind.type()));
        stub.setKind(HasMetadata.getKind(kind.type()));
        stub.setMetadata(new ObjectMetaBuilder()
                .withName(run.id().getName())
                .withNamespace(run.id().getNamespace().orElseThrow())
                .withUid(run.uid())
                .build());
        return stub;
    }

    @Override
    public Collection<Keyspace> keyspaces() {
        Set<Keyspace> all = new HashSet<>();
        kinds.forEach(of -> all.addAll(of.followed().keyspaces()));
        return all;
    }

    @Override
    public void poll(Keyspace keyspace) {
        List<DirtyMark> changed = marks.dirty(keyspace, MARKS_AT_ONCE);
        List<Set<String>> notDue =
                kinds.stream().map(of -> note(of, keyspace, changed)).toList();
        if (!changed.isEmpty()) {
            marks.clean(keyspace, changed);
        }
        for (int i = 0; i < notDue.size(); i++) {
            ReconciledKind kind = kinds.get(i).kind();
            Set<String> waiting = notDue.get(i);
            Set<String> ended = waiting.isEmpty() ? Set.of() : kind.ended(keyspace, waiting);
            wake(kinds.get(i), keyspace, ended.stream().map(kind::owner).collect(Collectors.toSet()));
        }
    }

    /** Notes the runs of a kind that changed and whose status may not be written yet. */
    private static Set<String> note(OfKind of, Keyspace keyspace, List<DirtyMark> changed) {
        Set<String> notDue = new HashSet<>();
        for (DirtyMark mark : changed) {
            String uid = of.kind().owner(mark.uid());
            if (of.followed().note(keyspace, uid, mark) && !of.kind().due(uid)) {
                notDue.add(mark.uid());
            }
        }
        return notDue;
    }

    private static void wake(OfKind of, Keyspace keyspace, Set<String> ended) {
        List<ResourceID> now = new ArrayList<>();
        for (String uid : of.followed().notesIn(keyspace).keySet()) {
            if (ended.contains(uid) || of.kind().due(uid)) {
                of.followed().takeNote(uid).ifPresent(now::add);
            }
        }
        of.followed().wake(now);
    }
}
