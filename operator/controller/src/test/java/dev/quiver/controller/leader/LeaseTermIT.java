package dev.quiver.controller.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/** The Lease was deleted and counts from 0 again, while Redis remembers how far it was. */
@ExtendWith(ApiServer.class)
class LeaseTermIT {

    private static final String HOLDER = "op-0";

    private LeaseTerm term;

    @BeforeEach
    void hold(KubernetesClient client) {
        client.resource(new LeaseBuilder()
                        .withNewMetadata()
                        .withName("quiver-operator")
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity(HOLDER)
                        .withLeaseTransitions(0)
                        .endSpec()
                        .build())
                .create();
        term = new LeaseTerm(client, new LeaseSettings(client.getNamespace(), "quiver-operator", HOLDER));
        term.read();
    }

    @AfterEach
    void end(KubernetesClient client) {
        client.leases().withName("quiver-operator").delete();
    }

    @Test
    void refusalsOfManyKeyspacesRaiseItOnceToJustAboveWhatTheyKnow(KubernetesClient client) {
        try (ExecutorService keyspaces = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 40; i++) {
                keyspaces.submit(() -> term.raise(0, 41));
            }
        }
        assertThat(term.getAsLong()).isEqualTo(42);
        assertThat(transitions(client)).isEqualTo(42);
    }

    @Test
    void aKeyspaceThatKnowsMoreRaisesItAgain() {
        term.raise(0, 3);
        term.raise(0, 9);
        assertThat(term.getAsLong())
                .as("that was refused under the term before")
                .isEqualTo(4);
        term.raise(4, 9);
        assertThat(term.getAsLong()).isEqualTo(10);
    }

    @Test
    void aTermThatNobodyCanHaveCountedToIsNotFollowed(KubernetesClient client) {
        assertThat(term.raise(0, Integer.MAX_VALUE)).isTrue();
        assertThat(term.getAsLong()).isZero();
        assertThat(transitions(client)).isZero();
    }

    private static int transitions(KubernetesClient client) {
        return client.leases().withName("quiver-operator").require().getSpec().getLeaseTransitions();
    }
}
