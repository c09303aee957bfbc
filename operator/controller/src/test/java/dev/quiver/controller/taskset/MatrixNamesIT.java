package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.OperatorOnRedis;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** The combinations of a matrix have their names in the record. */
class MatrixNamesIT extends OperatorOnRedis {

    @Test
    void eachCombinationIsNamedForItsValues(KubernetesClient client) {
        Keyspace keyspace = Keyspace.ofNamespace(client.getNamespace());
        client.resource(Samples.pool("shared", 0)).create();
        try (RedisStore store = redis.open()) {
            Seen.until(() -> store.ask(all -> all.hget(keyspace.meta(), "history_most")), most -> most != null);
            client.resource(Samples.set(
                            "combined",
                            Samples.counted(1)
                                    .source(TaskSource.ofMatrix(
                                            Map.of("OS", List.of("bsd", "linux"), "PYTHON", List.of("3.12", "3.13"))))))
                    .create();
            HistoryEntry.Named named = Seen.until(
                            () -> RecordedEntries.of(store, keyspace).of(HistoryEntry.Named.class).stream()
                                    .findFirst(),
                            Optional::isPresent)
                    .orElseThrow();
            assertThat(named.names().names())
                    .containsExactly(
                            "OS=bsd,PYTHON=3.12", "OS=bsd,PYTHON=3.13", "OS=linux,PYTHON=3.12", "OS=linux,PYTHON=3.13");
            assertThat(RecordedEntries.of(store, keyspace).of(HistoryEntry.Opened.class).stream()
                            .filter(opened -> opened.uid().equals(named.uid()))
                            .findFirst()
                            .orElseThrow()
                            .opening()
                            .sourceHash())
                    .contains(named.names().sourceHash());
        }
    }
}
