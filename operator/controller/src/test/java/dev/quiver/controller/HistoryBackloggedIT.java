package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.KubernetesClient;
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

/** Pools and runs show that history is behind in their keyspace, and that it has caught up. */
class HistoryBackloggedIT extends OperatorOnRedis {

    private static final ConditionType TYPE = ConditionType.HistoryBacklogged;

    /** So many sixteenths of the room are taken. */
    private void fill(KubernetesClient client, int sixteenths) {
        String meta = Keyspace.ofNamespace(client.getNamespace()).meta();
        try (RedisStore store = redis.open()) {
            long room = Long.parseLong(
                    Seen.until(() -> store.ask(all -> all.hget(meta, "history_most")), most -> most != null));
            store.ask(all -> all.hset(meta, "history_bytes", Long.toString(room / 16 * sixteenths)));
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

        fill(client, 7);
        Condition pool = seen.awaitPool("shared", TYPE, HistoryReason.OutputLeftOut);
        assertThat(pool.getStatus()).isEqualTo("True");
        assertThat(pool.getMessage()).contains("MiB", "the oldest for");
        seen.awaitRun("forgets", TYPE, HistoryReason.OutputLeftOut);
        seen.awaitRun("waits", TYPE, HistoryReason.TasksWait);
        seen.awaitTask("tree", TYPE, HistoryReason.OutputLeftOut);
        seen.awaitJob("job", TYPE, HistoryReason.OutputLeftOut);

        fill(client, 17);
        seen.awaitRun("forgets", TYPE, HistoryReason.TrialsLeftOut);
        assertThat(seen.awaitRun("unrecorded", s -> s.total() != null).conditions())
                .noneMatch(is -> is.getType().equals(TYPE.name()));

        fill(client, 0);
        assertThat(seen.awaitPool("shared", TYPE, HistoryReason.CaughtUp).getStatus())
                .isEqualTo("False");
        for (String set : new String[] {"forgets", "waits"}) {
            seen.awaitRun(set, TYPE, HistoryReason.CaughtUp);
        }
        seen.awaitTask("tree", TYPE, HistoryReason.CaughtUp);
        seen.awaitJob("job", TYPE, HistoryReason.CaughtUp);
    }
}
