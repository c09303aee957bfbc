package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StoreFacts;

/** Facts that are kept beside Redis survive a leader that could not read it at first. */
@ExtendWith(ApiServer.class)
class KeyspaceRecordsIT {

    private static final Keyspace OLD = Keyspace.ofNamespace("old");
    private static final Keyspace NEW = Keyspace.of("new", "nightly");
    private static final StoreFacts FACTS = new StoreFacts("epoch", 5, Optional.of("run"));

    @AfterEach
    void end(KubernetesClient client) {
        client.configMaps().delete();
    }

    @Test
    void whatTheLastLeaderKeptIsNotWrittenAwayByOneThatHasNotReadIt(KubernetesClient client) {
        KeyspaceRecords last = records(client);
        last.keep(OLD, FACTS);
        last.addOrphan(new KeyspaceRecords.OrphanedPool(OLD, "a.pool", "uid"));

        KeyspaceRecords next = records(client);
        next.keep(NEW, FACTS);
        next.flush();

        assertThat(data(client)).containsOnlyKeys("old", "left.old.a.pool", "new_nightly");
        assertThat(next.loaded()).isTrue();
        assertThat(next.of(OLD)).contains(FACTS);
    }

    @Test
    void whatDoesNotFitOneConfigMapIsKeptInTheNext(KubernetesClient client) {
        KeyspaceRecords last = records(client);
        last.load();
        int namespaces = RecordRoom.SHARD_RECORDS / KeyspaceRecords.NAMESPACE_RECORDS + 2;
        for (int n = 0; n < namespaces; n++) {
            for (int k = 0; k < KeyspaceRecords.NAMESPACE_RECORDS; k++) {
                last.keep(Keyspace.of("n" + n, "k" + k), FACTS);
            }
        }
        last.flush();
        assertThat(data(client)).hasSize(RecordRoom.SHARD_RECORDS);
        KeyspaceRecords next = records(client);
        next.load();
        assertThat(next.keyspaces()).hasSize(namespaces * KeyspaceRecords.NAMESPACE_RECORDS);
        Keyspace far = Keyspace.of("n" + (namespaces - 1), "k0");
        next.keep(far, FACTS.advanced());
        next.forget(Keyspace.of("n0", "k0"));
        next.flush();
        KeyspaceRecords third = records(client);
        third.load();
        assertThat(third.of(far)).contains(FACTS.advanced());
        assertThat(third.keyspaces()).hasSize(namespaces * KeyspaceRecords.NAMESPACE_RECORDS - 1);
    }

    @Test
    void aNamespaceHasSoManyKeyspacesAndTheOthersAreNotAffected(KubernetesClient client) {
        KeyspaceRecords kept = records(client);
        for (int k = 0; k < KeyspaceRecords.NAMESPACE_RECORDS; k++) {
            kept.keep(Keyspace.of("many", "k" + k), FACTS);
        }
        Keyspace oneMore = Keyspace.ofNamespace("many");
        assertThat(kept.admits(oneMore)).isFalse();
        assertThat(kept.admits(Keyspace.of("many", "k0"))).isTrue();
        assertThat(kept.admits(OLD)).isTrue();
        kept.keep(oneMore, FACTS);
        assertThat(kept.of(oneMore)).isEmpty();
        kept.forget(Keyspace.of("many", "k0"));
        assertThat(kept.admits(oneMore)).isTrue();
    }

    @Test
    void whatWasSeenSinceIsNewerThanWhatWasKept(KubernetesClient client) {
        KeyspaceRecords last = records(client);
        last.keep(OLD, FACTS);
        last.flush();
        KeyspaceRecords next = records(client);
        StoreFacts advanced = FACTS.advanced();
        next.keep(OLD, advanced);
        next.load();
        assertThat(next.of(OLD)).contains(advanced);
    }

    @Test
    void anEntryThatMakesNoSenseIsLeftOut(KubernetesClient client) {
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(KeyspaceRecords.CONFIG_MAP)
                        .endMetadata()
                        .withData(Map.of("old", "epoch 5 run", "other", "by hand", "left.x", "uid", "Not_a_key", "e 1"))
                        .build())
                .create();
        KeyspaceRecords next = records(client);
        next.load();
        assertThat(next.keyspaces()).containsExactly(OLD);
        assertThat(next.orphans()).isEmpty();
    }

    private static KeyspaceRecords records(KubernetesClient client) {
        return new KeyspaceRecords(client, client.getNamespace());
    }

    private static Map<String, String> data(KubernetesClient client) {
        return client.configMaps()
                .withName(KeyspaceRecords.CONFIG_MAP)
                .require()
                .getData();
    }
}
