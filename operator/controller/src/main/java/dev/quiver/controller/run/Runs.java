package dev.quiver.controller.run;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;

import dev.quiver.controller.store.Followed;
import dev.quiver.controller.store.Follower;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Asks Redis which runs changed, one question for all runs of a keyspace, and wakes those whose status may be written
 * now. A mark is taken into memory and removed from Redis unless it changed meanwhile. A leader that starts reconciles
 * every run, so the loss of this memory does no harm. Each minute it asks which runs have ended, for a mark may have been
 * missed. Thread-safe; {@link #poll} is for one thread at
 * a time and keyspace.
 */
public final class Runs implements Follower {

    private static final int MARKS_AT_ONCE = 1000;
    private static final int MOST_TOLD = 100;
    private static final int FEW_NOTES = 500;
    private static final int POLLS_A_LOOK = 4;
    /** A minute of polls. */
    static final int POLLS_A_ROUND = 240;

    /**
     * The runs of one kind.
     *
     * @param followed a note marks a run that changed and whose status may not be written yet
     */
    private record OfKind(ReconciledKind kind, Followed<DirtyMark> followed, Looks looks, Rounds rounds) {}

    /**
     * The changed runs of a kind.
     *
     * @param due uids of those whose status may be written now
     * @param early marks of the others
     */
    private record Noted(Set<String> due, Set<String> early) {}

    private final ChangeMarks marks;
    private final List<OfKind> kinds = new CopyOnWriteArrayList<>();

    /** Follows nothing yet. */
    public Runs(ChangeMarks marks) {
        this.marks = marks;
    }

    /** Adds a kind; the result holds its followed runs. */
    public Followed<DirtyMark> of(ReconciledKind kind) {
        Followed<DirtyMark> followed = new Followed<>();
        kinds.add(new OfKind(kind, followed, new Looks(new ConcurrentHashMap<>()), new Rounds()));
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
        List<Noted> noted =
                kinds.stream().map(of -> note(of, keyspace, changed)).toList();
        if (!changed.isEmpty()) {
            marks.clean(keyspace, changed);
        }
        for (int i = 0; i < noted.size(); i++) {
            OfKind of = kinds.get(i);
            Set<String> waiting = noted.get(i).early();
            Set<String> ended = waiting.isEmpty() ? Set.of() : of.kind().ended(keyspace, waiting);
            Set<String> now = new LinkedHashSet<>(noted.get(i).due());
            ended.forEach(mark -> now.add(of.kind().owner(mark)));
            now.addAll(missed(of, keyspace));
            if (of.looks().due(keyspace, of.followed().notes(keyspace))) {
                of.followed().notesIn(keyspace).keySet().stream()
                        .filter(of.kind()::due)
                        .forEach(now::add);
            }
            of.followed()
                    .wake(now.stream()
                            .map(of.followed()::takeNote)
                            .flatMap(Optional::stream)
                            .toList());
        }
    }

    /** The runs of a kind that have ended without a mark, among those whose turn it is; notes them. */
    private static List<String> missed(OfKind of, Keyspace keyspace) {
        Set<String> going = of.rounds().next(keyspace, of.followed());
        Set<String> ended = going.isEmpty() ? Set.of() : of.kind().ended(keyspace, going);
        return ended.stream()
                .map(id -> new DirtyMark(id, 0))
                .filter(mark -> of.followed().note(keyspace, of.kind().owner(mark.uid()), mark))
                .map(mark -> of.kind().owner(mark.uid()))
                .toList();
    }

    /** Notes the runs of a kind that changed. */
    private static Noted note(OfKind of, Keyspace keyspace, List<DirtyMark> changed) {
        Noted noted = new Noted(new LinkedHashSet<>(), new HashSet<>());
        for (DirtyMark mark : changed) {
            String uid = of.kind().owner(mark.uid());
            if (of.followed().note(keyspace, uid, mark)) {
                if (of.kind().due(uid)) {
                    noted.due().add(uid);
                } else {
                    noted.early().add(mark.uid());
                }
            }
        }
        return noted;
    }

    /**
     * When the notes of a keyspace are looked at: in each poll while they are few, in one of four where they are many.
     * Among thousands of runs a status is minutes old before it may be written, so a second more does not matter.
     */
    private record Looks(Map<Keyspace, Integer> passed) {

        boolean due(Keyspace keyspace, int notes) {
            if (notes <= FEW_NOTES) {
                passed.remove(keyspace);
                return notes > 0;
            }
            return passed.merge(keyspace, 1, Integer::sum) % POLLS_A_LOOK == 0;
        }
    }

    /**
     * The runs to be asked about although nothing told of them: the mark of an end may have been missed. In a minute each
     * run that goes on has its turn once, a thousand of them in a poll.
     */
    private static final class Rounds {

        private final Map<Keyspace, Round> rounds = new ConcurrentHashMap<>();

        /** The ids of the runs whose turn it is; for one thread at a time and keyspace. */
        Set<String> next(Keyspace keyspace, Followed<?> followed) {
            Round round = rounds.computeIfAbsent(keyspace, _ -> new Round());
            if (++round.polls >= POLLS_A_ROUND && round.left.isEmpty()) {
                round.polls = 0;
                round.left = new ArrayDeque<>(followed.going(keyspace));
            }
            Set<String> turn = new LinkedHashSet<>();
            while (turn.size() < MARKS_AT_ONCE && !round.left.isEmpty()) {
                turn.add(round.left.poll());
            }
            return turn;
        }

        private static final class Round {
            private int polls;
            private Deque<String> left = new ArrayDeque<>();
        }
    }
}
