package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.store.Followed;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The costs of asking which runs changed: counted, not timed. */
class RunsTest {

    private static final int KEYSPACES = 100;
    private static final int RUNS = 10;

    private final Map<Keyspace, List<DirtyMark>> dirty = new HashMap<>();
    private final Set<String> ended = new HashSet<>();
    private final List<String> calls = new ArrayList<>();
    private final List<String> woken = new ArrayList<>();
    private final Set<String> due = new HashSet<>();
    private int asked;

    private final Runs runs = new Runs(new Marks());
    private final Followed<DirtyMark> followed = runs.of(new Kind());

    private final class Kind implements ReconciledKind {

        @Override
        public Class<? extends CustomResource<?, ?>> type() {
            return TaskSet.class;
        }

        @Override
        public boolean due(String uid) {
            asked++;
            return due.contains(uid);
        }

        @Override
        public Set<String> ended(Keyspace keyspace, Set<String> uids) {
            calls.add("ended " + uids.stream().sorted().toList());
            return uids.stream().filter(ended::contains).collect(Collectors.toSet());
        }
    }

    private final class Marks implements ChangeMarks {

        @Override
        public List<DirtyMark> dirty(Keyspace keyspace, int limit) {
            calls.add("dirty");
            return List.copyOf(dirty.getOrDefault(keyspace, List.of()));
        }

        @Override
        public void clean(Keyspace keyspace, Collection<DirtyMark> marks) {
            calls.add("clean");
            dirty.remove(keyspace);
        }
    }

    @Test
    void eachKeyspaceLooksAtItsOwnWaitingRunsAlone() {
        List<Keyspace> all = new ArrayList<>();
        for (int k = 0; k < KEYSPACES; k++) {
            Keyspace keyspace = Keyspace.ofNamespace("ns-" + k);
            all.add(keyspace);
            for (int i = 0; i < RUNS; i++) {
                follow(keyspace, k + "-" + i);
                mark(keyspace, k + "-" + i);
            }
        }
        all.forEach(runs::poll);
        asked = 0;
        all.forEach(runs::poll);
        assertThat(asked).as("each waiting run is looked at once a tick").isEqualTo(KEYSPACES * RUNS);
    }

    @Test
    void manyThatWaitAreLookedAtInOnePollOfFourAndAChangedOneAtOnce() {
        Keyspace keyspace = Keyspace.ofNamespace("a");
        followed.onChange(ids -> ids.forEach(id -> woken.add(id.getName())));
        int many = 501;
        for (int i = 0; i < many; i++) {
            follow(keyspace, "run-" + i);
            mark(keyspace, "run-" + i);
        }
        runs.poll(keyspace);
        due.add("run-7");
        due.add("late");
        follow(keyspace, "late");
        mark(keyspace, "late");
        asked = 0;
        runs.poll(keyspace);
        assertThat(woken).containsExactly("late");
        runs.poll(keyspace);
        assertThat(asked).isEqualTo(1);
        runs.poll(keyspace);
        assertThat(asked).isEqualTo(1 + many);
        assertThat(woken).containsExactly("late", "run-7");
    }

    @Test
    void onlyWhetherTheyEndedIsAskedOfRunsThatWait() {
        Keyspace keyspace = Keyspace.ofNamespace("a");
        followed.onChange(ids -> ids.forEach(id -> woken.add(id.getName())));
        for (String name : List.of("waits", "ends", "turn")) {
            follow(keyspace, name);
            mark(keyspace, name);
        }
        mark(keyspace, "stranger");
        ended.add("ends");
        due.add("turn");
        runs.poll(keyspace);
        assertThat(woken).containsExactlyInAnyOrder("ends", "turn");
        assertThat(calls).as("no snapshot").containsExactly("dirty", "clean", "ended [ends, waits]");
        due.add("waits");
        runs.poll(keyspace);
        assertThat(woken).containsExactlyInAnyOrder("ends", "turn", "waits");
        runs.poll(keyspace);
        assertThat(woken).hasSize(3);
    }

    @Test
    void aRunThatIsNoLongerFollowedIsNotWoken() {
        Keyspace keyspace = Keyspace.ofNamespace("a");
        followed.onChange(ids -> ids.forEach(id -> woken.add(id.getName())));
        follow(keyspace, "gone");
        mark(keyspace, "gone");
        runs.poll(keyspace);
        followed.unfollow("gone");
        due.add("gone");
        runs.poll(keyspace);
        assertThat(woken).isEmpty();
        assertThat(runs.keyspaces()).isEmpty();
    }

    @Test
    void marksOfTwoKindsAreReadOnceAndWakeTheirOwnAlone() {
        Keyspace keyspace = Keyspace.ofNamespace("a");
        Followed<DirtyMark> other = runs.of(new Kind());
        followed.onChange(ids -> ids.forEach(id -> woken.add("one " + id.getName())));
        other.onChange(ids -> ids.forEach(id -> woken.add("other " + id.getName())));
        follow(followed, keyspace, "first");
        follow(other, keyspace, "second");
        mark(keyspace, "first");
        mark(keyspace, "second");
        due.addAll(List.of("first", "second"));
        runs.poll(keyspace);
        assertThat(woken).containsExactlyInAnyOrder("one first", "other second");
        assertThat(calls).containsExactly("dirty", "clean");
        assertThat(runs.resources(keyspace))
                .as("to speak of in Events")
                .extracting(HasMetadata::getKind, run -> run.getMetadata().getUid())
                .containsExactly(tuple("TaskSet", "first"), tuple("TaskSet", "second"));
    }

    @Test
    void anEndWhoseMarkWasMissedIsFoundWithinAMinute() {
        Keyspace keyspace = Keyspace.ofNamespace("a");
        followed.onChange(ids -> ids.forEach(id -> woken.add(id.getName())));
        for (String name : List.of("ends", "goes on", "was not there")) {
            follow(keyspace, name);
        }
        followed.seen("ends", Optional.of("ends"));
        followed.seen("goes on", Optional.of("goes on"));
        ended.addAll(List.of("ends", "was not there"));
        poll(keyspace, Runs.POLLS_A_ROUND - 1);
        assertThat(calls).as("the usual question alone").containsOnly("dirty");
        runs.poll(keyspace);
        assertThat(calls).endsWith("ended [ends, goes on]");
        assertThat(woken).containsExactly("ends");
        followed.seen("ends", Optional.empty());
        poll(keyspace, Runs.POLLS_A_ROUND);
        assertThat(calls).endsWith("ended [goes on]");
        assertThat(woken).containsExactly("ends");
    }

    @Test
    void aboutTenThousandRunsThatGoOnRedisIsAskedTenTimesAMinute() {
        Keyspace keyspace = Keyspace.ofNamespace("a");
        followed.onChange(ids -> ids.forEach(id -> woken.add(id.getName())));
        int many = 10_000;
        for (int i = 0; i < many; i++) {
            follow(keyspace, "run-" + i);
            followed.seen("run-" + i, Optional.of("run-" + i));
        }
        ended.add("run-9999");
        poll(keyspace, 3 * Runs.POLLS_A_ROUND - 1);
        List<String> questions =
                calls.stream().filter(call -> call.startsWith("ended")).toList();
        assertThat(questions).hasSize(2 * 10);
        assertThat(questions.subList(0, 10).stream().distinct())
                .as("none is asked about twice")
                .hasSize(10);
        assertThat(woken).as("once in each round").containsExactly("run-9999", "run-9999");
    }

    @Test
    void aRunThatIsNoLongerFollowedIsNotAskedAbout() {
        Keyspace keyspace = Keyspace.ofNamespace("a");
        follow(keyspace, "gone");
        followed.seen("gone", Optional.of("gone"));
        followed.unfollow("gone");
        followed.seen("gone", Optional.of("gone"));
        poll(keyspace, 2 * Runs.POLLS_A_ROUND);
        assertThat(calls).containsOnly("dirty");
    }

    private void poll(Keyspace keyspace, int times) {
        for (int i = 0; i < times; i++) {
            runs.poll(keyspace);
        }
    }

    private void follow(Keyspace keyspace, String uid) {
        follow(followed, keyspace, uid);
    }

    private static void follow(Followed<DirtyMark> followed, Keyspace keyspace, String uid) {
        TaskSet set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder()
                .withName(uid)
                .withNamespace(keyspace.namespace())
                .withUid(uid)
                .build());
        followed.follow(set, keyspace);
    }

    private void mark(Keyspace keyspace, String uid) {
        dirty.computeIfAbsent(keyspace, first -> new ArrayList<>()).add(new DirtyMark(uid, 1));
    }
}
