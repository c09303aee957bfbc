package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.OperatorOnRedis;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.HistoryReason;
import dev.quiver.crds.v1alpha1.RunHistory;
import dev.quiver.crds.v1alpha1.RunHistoryBuilder;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

/** Pools and runs show that history is behind in their keyspace, and that it has caught up. */
class HistoryBackloggedIT extends OperatorOnRedis {

    private static final ConditionType TYPE = ConditionType.HistoryBacklogged;

    private final AtomicInteger sixteenths = new AtomicInteger(-1);
    private ScheduledExecutorService filling;

    /** Keeps the room filled as the test says: the room of a keyspace becomes another one when others come and go. */
    @BeforeEach
    void keepFilled(KubernetesClient client) {
        String meta = Keyspace.ofNamespace(client.getNamespace()).meta();
        filling = Executors.newSingleThreadScheduledExecutor();
        filling.scheduleWithFixedDelay(() -> fill(meta), 0, 100, TimeUnit.MILLISECONDS);
    }

    @AfterEach
    void rest() {
        filling.shutdownNow();
    }

    private void fill(String meta) {
        int taken = sixteenths.get();
        try (RedisStore store = redis.open()) {
            String room = store.ask(all -> all.hget(meta, "history_most"));
            if (taken >= 0 && room != null) {
                store.ask(all -> all.hset(meta, "history_bytes", Long.toString(Long.parseLong(room) / 16 * taken)));
            }
        } catch (StoreUnreachableException e) {
            // Again in a moment.
        }
    }

    @Test
    void poolsAndRunsShowItUntilHistoryHasCaughtUp(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("shared", 0)).create();
        RunHistory waits =
                RunHistoryBuilder.builder().whenFull(RunHistory.WhenFull.Wait).build();
        RunHistory none = RunHistoryBuilder.builder().keep(RunHistory.Keep.None).build();
        client.resource(Samples.set("forgets", Samples.counted(3))).create();
        client.resource(Samples.set("waits", Samples.counted(3).history(waits))).create();
        client.resource(Samples.set("unrecorded", Samples.counted(3).history(none)))
                .create();
        client.resource(Samples.task("tree", Samples.tree("shared", TaskNode.ofHandler("a", "f"))))
                .create();
        client.resource(Samples.job("job", Samples.mapReduce("shared", "m", "p", "r")))
                .create();
        assertThat(seen.awaitRun("forgets", s -> s.total() != null).conditions())
                .noneMatch(is -> is.getType().equals(TYPE.name()));

        sixteenths.set(7);
        Condition pool = seen.awaitPool("shared", TYPE, HistoryReason.OutputLeftOut);
        assertThat(pool.getStatus()).isEqualTo("True");
        assertThat(pool.getMessage()).contains("MiB", "the oldest for");
        seen.awaitRun("forgets", TYPE, HistoryReason.OutputLeftOut);
        seen.awaitRun("waits", TYPE, HistoryReason.TasksWait);
        seen.awaitTask("tree", TYPE, HistoryReason.OutputLeftOut);
        seen.awaitJob("job", TYPE, HistoryReason.OutputLeftOut);

        sixteenths.set(17);
        seen.awaitRun("forgets", TYPE, HistoryReason.TrialsLeftOut);
        assertThat(seen.awaitRun("unrecorded", s -> s.total() != null).conditions())
                .noneMatch(is -> is.getType().equals(TYPE.name()));

        sixteenths.set(0);
        assertThat(seen.awaitPool("shared", TYPE, HistoryReason.CaughtUp).getStatus())
                .isEqualTo("False");
        for (String set : new String[] {"forgets", "waits"}) {
            seen.awaitRun(set, TYPE, HistoryReason.CaughtUp);
        }
        seen.awaitTask("tree", TYPE, HistoryReason.CaughtUp);
        seen.awaitJob("job", TYPE, HistoryReason.CaughtUp);
    }
}
