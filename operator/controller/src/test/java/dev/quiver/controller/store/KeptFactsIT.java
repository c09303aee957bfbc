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

/** What is kept beside Redis survives a leader that could not read it at first. */
@ExtendWith(ApiServer.class)
class KeptFactsIT {

    private static final Keyspace OLD = Keyspace.ofNamespace("old");
    private static final Keyspace NEW = Keyspace.of("new", "nightly");
    private static final StoreFacts FACTS = new StoreFacts("epoch", 5, Optional.of("run"));

    @AfterEach
    void end(KubernetesClient client) {
        client.configMaps().delete();
    }

    @Test
    void whatTheLastLeaderKeptIsNotWrittenAwayByOneThatHasNotReadIt(KubernetesClient client) {
        KeptFacts last = facts(client);
        last.keep(OLD, FACTS);
        last.leave(new KeptFacts.LeftPool(OLD, "a.pool", "uid"));

        KeptFacts next = facts(client);
        next.keep(NEW, FACTS);
        next.flush();

        assertThat(data(client)).containsOnlyKeys("old", "left.old.a.pool", "new_nightly");
        assertThat(next.loaded()).isTrue();
        assertThat(next.of(OLD)).contains(FACTS);
    }

    @Test
    void whatDoesNotFitOneConfigMapIsKeptInTheNext(KubernetesClient client) {
        KeptFacts last = facts(client);
        last.load();
        int namespaces = KeptFacts.SHARD_RECORDS / KeptFacts.NAMESPACE_RECORDS + 2;
        for (int n = 0; n < namespaces; n++) {
            for (int k = 0; k < KeptFacts.NAMESPACE_RECORDS; k++) {
                last.keep(Keyspace.of("n" + n, "k" + k), FACTS);
            }
        }
        last.flush();
        assertThat(data(client)).hasSize(KeptFacts.SHARD_RECORDS);
        KeptFacts next = facts(client);
        next.load();
        assertThat(next.keyspaces()).hasSize(namespaces * KeptFacts.NAMESPACE_RECORDS);
        Keyspace far = Keyspace.of("n" + (namespaces - 1), "k0");
        next.keep(far, FACTS.advanced());
        next.forget(Keyspace.of("n0", "k0"));
        next.flush();
        KeptFacts third = facts(client);
        third.load();
        assertThat(third.of(far)).contains(FACTS.advanced());
        assertThat(third.keyspaces()).hasSize(namespaces * KeptFacts.NAMESPACE_RECORDS - 1);
    }

    @Test
    void aNamespaceHasSoManyKeyspacesAndTheOthersAreNotAffected(KubernetesClient client) {
        KeptFacts kept = facts(client);
        for (int k = 0; k < KeptFacts.NAMESPACE_RECORDS; k++) {
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
        KeptFacts last = facts(client);
        last.keep(OLD, FACTS);
        last.flush();
        KeptFacts next = facts(client);
        StoreFacts advanced = FACTS.advanced();
        next.keep(OLD, advanced);
        next.load();
        assertThat(next.of(OLD)).contains(advanced);
    }

    @Test
    void anEntryThatMakesNoSenseIsLeftOut(KubernetesClient client) {
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(KeptFacts.CONFIG_MAP)
                        .endMetadata()
                        .withData(Map.of("old", "epoch 5 run", "other", "by hand", "left.x", "uid", "Not_a_key", "e 1"))
                        .build())
                .create();
        KeptFacts next = facts(client);
        next.load();
        assertThat(next.keyspaces()).containsExactly(OLD);
        assertThat(next.left()).isEmpty();
    }

    private static KeptFacts facts(KubernetesClient client) {
        return new KeptFacts(client, client.getNamespace());
    }

    private static Map<String, String> data(KubernetesClient client) {
        return client.configMaps().withName(KeptFacts.CONFIG_MAP).require().getData();
    }
}
