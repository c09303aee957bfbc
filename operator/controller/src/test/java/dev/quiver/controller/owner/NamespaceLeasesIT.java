package dev.quiver.controller.owner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/** The second one waits, says so, and takes over when the owner is gone. */
@ExtendWith(ApiServer.class)
class NamespaceLeasesIT {

    private static final Standing OURS = new Standing.Ours(Optional.empty());

    private Instant now = Instant.parse("2030-01-01T00:00:00Z");
    private final Clock clock = new Clock() {
        private final InstantSource source = () -> now;

        @Override
        public Instant instant() {
            return source.instant();
        }

        @Override
        public ZoneOffset getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(java.time.ZoneId zone) {
            return this;
        }
    };

    private String namespace;

    @BeforeEach
    void nobodyHoldsIt(KubernetesClient client) {
        namespace = client.getNamespace();
        client.leases().withName(NamespaceLease.NAME).delete();
    }

    @Test
    void theFirstServesAndTheSecondDoesNot(KubernetesClient client) {
        NamespaceLeases a = leases(client, "a/op");
        NamespaceLeases b = leases(client, "b/op");

        assertThat(a.of(namespace)).isEqualTo(OURS);
        assertThat(b.of(namespace)).isEqualTo(new Standing.Others("a/op"));
        assertThat(lease(client).getSpec().getHolderIdentity()).isEqualTo("a/op");
    }

    @Test
    void theOwnerHearsOfTheSecondWhileThatOneLooks(KubernetesClient client) {
        NamespaceLeases a = leases(client, "a/op");
        NamespaceLeases b = leases(client, "b/op");
        a.of(namespace);
        b.of(namespace);
        pass(Duration.ofSeconds(70));
        assertThat(a.of(namespace)).isEqualTo(new Standing.Ours(Optional.of("b/op")));

        for (int i = 0; i < 4; i++) {
            pass(Duration.ofSeconds(61));
            a.renew();
        }
        assertThat(a.of(namespace)).as("the second is gone").isEqualTo(OURS);
    }

    @Test
    void anOwnerThatRenewsKeepsItForEver(KubernetesClient client) {
        NamespaceLeases a = leases(client, "a/op");
        NamespaceLeases b = leases(client, "b/op");
        for (int i = 0; i < 12; i++) {
            assertThat(a.of(namespace)).isInstanceOf(Standing.Ours.class);
            assertThat(b.of(namespace)).isInstanceOf(Standing.Others.class);
            pass(Duration.ofSeconds(61));
        }
    }

    @Test
    void whatIsNotRenewedIsTakenOverAndTheOldOwnerStops(KubernetesClient client) {
        NamespaceLeases a = leases(client, "a/op");
        NamespaceLeases b = leases(client, "b/op");
        a.of(namespace);
        assertThat(b.of(namespace)).isInstanceOf(Standing.Others.class);
        pass(Duration.ofSeconds(170));
        assertThat(b.of(namespace)).isInstanceOf(Standing.Others.class);
        pass(Duration.ofSeconds(16));
        assertThat(b.of(namespace)).isEqualTo(OURS);
        assertThat(a.of(namespace)).as("it looks before it acts").isEqualTo(new Standing.Others("b/op"));
        assertThat(lease(client).getSpec().getLeaseTransitions()).isEqualTo(1);
    }

    @Test
    void anotherClockDoesNotMakeALeaseOld(KubernetesClient client) {
        leases(client, "a/op").of(namespace);
        pass(Duration.ofDays(2));
        assertThat(leases(client, "b/op").of(namespace))
                .as("seen for the first time, however old it says it is")
                .isEqualTo(new Standing.Others("a/op"));
    }

    @Test
    void theReplicasOfAnInstallationAreOneHolder(KubernetesClient client) {
        assertThat(leases(client, "a/op").of(namespace)).isEqualTo(OURS);
        assertThat(leases(client, "a/op").of(namespace)).isEqualTo(OURS);
    }

    @Test
    void whatNobodyUsesAnyMoreIsGivenUp(KubernetesClient client) {
        NamespaceLeases a = leases(client, "a/op");
        a.of(namespace);
        pass(Duration.ofMinutes(11));
        String before = lease(client).getMetadata().getResourceVersion();
        a.renew();
        assertThat(lease(client).getMetadata().getResourceVersion()).isEqualTo(before);
    }

    @Test
    void whoMayNotUseLeasesServesAsBefore(KubernetesClient client) {
        try (KubernetesClient nobody = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(client.getConfiguration())
                        .withImpersonateUsername("nobody")
                        .build())
                .build()) {
            assertThat(leases(nobody, "a/op").of(namespace)).isEqualTo(OURS);
        }
    }

    private void pass(Duration time) {
        now = now.plus(time);
    }

    private Lease lease(KubernetesClient client) {
        return client.leases().withName(NamespaceLease.NAME).require();
    }

    private NamespaceLeases leases(KubernetesClient client, String installation) {
        return new NamespaceLeases(client, installation, NamespaceLeases.Times.USUAL, clock);
    }
}
