package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.OperatorOnRedis;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.v1alpha1.RunHistory;
import dev.quiver.crds.v1alpha1.RunHistoryBuilder;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskSchedule;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** The record hears of the deletion of each kind whose history asks for that, and of no other. */
class RecordForgottenIT extends OperatorOnRedis {

    private static final RunHistory FORGETS =
            RunHistoryBuilder.builder().onDelete(RunHistory.OnDelete.Forget).build();

    private RecordedEntries entries(KubernetesClient client) {
        try (RedisStore store = redis.open()) {
            return RecordedEntries.of(store, Keyspace.ofNamespace(client.getNamespace()));
        }
    }

    private boolean opened(KubernetesClient client, String uid) {
        return entries(client).of(HistoryEntry.Opened.class).stream()
                .anyMatch(entry -> entry.uid().equals(uid));
    }

    /** Creates it, deletes it once its record has begun, and returns its uid. */
    private String run(KubernetesClient client, HasMetadata resource, boolean opens) {
        String uid = client.resource(resource).create().getMetadata().getUid();
        Seen.until(
                () -> opens
                        ? opened(client, uid)
                        : !client.resource(resource)
                                .get()
                                .getMetadata()
                                .getFinalizers()
                                .isEmpty(),
                begun -> begun);
        client.resource(resource).delete();
        Seen.gone(() -> client.resource(resource).get());
        return uid;
    }

    @Test
    void ofEachKindThatAsksForIt(KubernetesClient client) {
        client.resource(Samples.pool("shared", 0)).create();
        String meta = Keyspace.ofNamespace(client.getNamespace()).meta();
        try (RedisStore store = redis.open()) { // from then on somebody reads
            Seen.until(() -> store.ask(all -> all.hget(meta, "history_most")), most -> most != null);
        }
        String kept = run(client, Samples.set("kept", Samples.counted(3)), true);
        TaskNode node = TaskNode.ofHandler("a", "f");
        List<String> forgotten = List.of(
                run(client, Samples.set("set", Samples.counted(3).history(FORGETS)), true),
                run(client, Samples.task("task", Samples.tree("shared", node).history(FORGETS)), true),
                run(
                        client,
                        Samples.job(
                                "job",
                                Samples.mapReduce("shared", "m", "p", "r").history(FORGETS)),
                        true),
                run(
                        client,
                        Samples.task(
                                "cron",
                                Samples.tree("shared", node)
                                        .schedule(TaskSchedule.ofCron("@yearly"))
                                        .history(FORGETS)),
                        false));
        RecordedEntries entries = entries(client);
        assertThat(entries.of(HistoryEntry.Deleted.class))
                .extracting(HistoryEntry.Deleted::uid)
                .containsSubsequence(forgotten)
                .doesNotContain(kept);
        assertThat(entries.of(HistoryEntry.Opened.class).stream()
                        .filter(entry -> entry.opening().forgetOnDelete())
                        .map(HistoryEntry.Opened::uid))
                .isEqualTo(forgotten.subList(0, 3));
    }
}
