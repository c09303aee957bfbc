package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.lifecycle.TaskSetDialect;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/** What it costs to ask which runs changed: counted, not timed. */
class RunsTest {

    private static final int KEYSPACES = 100;
    private static final int RUNS = 10;

    private final Map<Keyspace, List<DirtyMark>> dirty = new HashMap<>();
    private final Set<String> ended = new HashSet<>();
    private final List<String> calls = new ArrayList<>();
    private final List<String> woken = new ArrayList<>();
    private final Set<String> due = new HashSet<>();
    private int asked;

    private final Runs runs = new Runs(new Store(dialect(), null, () -> 1, Clock.systemUTC()), uid -> {
        asked++;
        return due.contains(uid);
    });

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
    void onlyWhetherTheyEndedIsAskedOfRunsThatWait() {
        Keyspace keyspace = Keyspace.ofNamespace("a");
        runs.onChange(ids -> ids.forEach(id -> woken.add(id.getName())));
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
        runs.onChange(ids -> ids.forEach(id -> woken.add(id.getName())));
        follow(keyspace, "gone");
        mark(keyspace, "gone");
        runs.poll(keyspace);
        runs.unfollow("gone");
        due.add("gone");
        runs.poll(keyspace);
        assertThat(woken).isEmpty();
        assertThat(runs.keyspaces()).isEmpty();
    }

    private void follow(Keyspace keyspace, String uid) {
        TaskSet set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder()
                .withName(uid)
                .withNamespace(keyspace.namespace())
                .withUid(uid)
                .build());
        runs.follow(set, keyspace);
    }

    private void mark(Keyspace keyspace, String uid) {
        dirty.computeIfAbsent(keyspace, first -> new ArrayList<>()).add(new DirtyMark(uid, 1));
    }

    private TaskSetDialect dialect() {
        return (TaskSetDialect) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {TaskSetDialect.class},
                (proxy, method, arguments) -> control((Keyspace) arguments[0]));
    }

    private TaskSetControl control(Keyspace keyspace) {
        return (TaskSetControl) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {TaskSetControl.class},
                (proxy, method, arguments) -> answer(keyspace, method.getName(), arguments));
    }

    private Object answer(Keyspace keyspace, String call, Object[] arguments) {
        switch (call) {
            case "dirty" -> {
                calls.add(call);
                return List.copyOf(dirty.getOrDefault(keyspace, List.of()));
            }
            case "clean" -> {
                calls.add(call);
                dirty.remove(keyspace);
                return null;
            }
            case "ended" -> {
                Collection<?> uids = (Collection<?>) arguments[0];
                calls.add(call + " " + uids.stream().sorted().toList());
                return uids.stream()
                        .map(String.class::cast)
                        .filter(ended::contains)
                        .collect(Collectors.toSet());
            }
            default -> throw new UnsupportedOperationException(call);
        }
    }
}
