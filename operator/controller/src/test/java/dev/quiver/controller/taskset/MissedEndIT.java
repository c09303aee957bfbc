package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.run.Runs;
import dev.quiver.controller.store.Followed;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;

/** The end of a set is found in Redis, also where the mark of it is gone. */
class MissedEndIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final Keyspace KEYSPACE = Keyspace.ofNamespace("a");
    private static final int POLLS_OF_A_MINUTE = 240;
    /** More than one question holds. */
    private static final int MANY = 1500;

    private final TaskSetControl control = new Lifecycle(REDIS.store()).control(KEYSPACE, 1);
    private final TaskSetRuns kind = new TaskSetRuns(_ -> control, _ -> true);
    private final Runs runs = new Runs(kind);
    private final Followed<DirtyMark> followed = runs.of(kind);
    private final List<String> woken = new ArrayList<>();

    @Test
    void ofManySetsThoseAreWokenThatEndedOrAreGone() {
        for (int i = 0; i < MANY; i++) {
            follow("set-" + i);
        }
        pollAMinute();
        followed.onChange(ids -> ids.forEach(id -> woken.add(id.getName())));
        pollAMinute();
        assertThat(woken).as("all go on").isEmpty();
        control.changeStatus("set-7", new StatusChange.Cancel());
        control.drop("set-1499");
        control.changeStatus("set-8", new StatusChange.Suspend());
        REDIS.store().ask(redis -> redis.del(KEYSPACE.dirty()));
        pollAMinute();
        assertThat(woken).containsExactlyInAnyOrder("set-7", "set-1499");
    }

    private void pollAMinute() {
        for (int i = 0; i < POLLS_OF_A_MINUTE; i++) {
            runs.poll(KEYSPACE);
        }
    }

    private void follow(String uid) {
        control.open(TaskSetOpening.of(
                uid,
                "pool",
                new ExecutionSpec(
                        "image", List.of("true"), List.of(), List.of(), Optional.empty(), new TaskSource.Count(3)),
                TaskSetLimits.DEFAULT));
        TaskSet set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder()
                .withName(uid)
                .withNamespace(KEYSPACE.namespace())
                .withUid(uid)
                .build());
        followed.follow(set, KEYSPACE);
        followed.seen(uid, Optional.of(uid));
    }
}
