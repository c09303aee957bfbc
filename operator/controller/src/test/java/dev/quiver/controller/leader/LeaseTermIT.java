package dev.quiver.controller.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/** Each leader's term is above those before it, also when one of the two places where it is kept was deleted. */
@ExtendWith(ApiServer.class)
class LeaseTermIT {

    private static final String HOLDER = "op-0";

    @BeforeEach
    void hold(KubernetesClient client) {
        lease(client, 0);
    }

    @AfterEach
    void end(KubernetesClient client) {
        client.leases().withName("quiver-operator").delete();
        client.configMaps().withName(LeaseTerm.CONFIG_MAP).delete();
    }

    private static void lease(KubernetesClient client, int transitions) {
        client.resource(new LeaseBuilder()
                        .withNewMetadata()
                        .withName("quiver-operator")
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity(HOLDER)
                        .withLeaseTransitions(transitions)
                        .endSpec()
                        .build())
                .forceConflicts()
                .serverSideApply();
    }

    private static long begin(KubernetesClient client) {
        LeaseTerm term = term(client, HOLDER);
        assertThat(term.begin()).isTrue();
        return term.getAsLong();
    }

    private static LeaseTerm term(KubernetesClient client, String identity) {
        return new LeaseTerm(client, new LeaseSettings(client.getNamespace(), "quiver-operator", identity));
    }

    @Test
    void growsWithEachLeaderAndStandsInTheLease(KubernetesClient client) {
        assertThat(begin(client)).isEqualTo(1);
        assertThat(begin(client)).isEqualTo(2);
        assertThat(client.leases()
                        .withName("quiver-operator")
                        .require()
                        .getSpec()
                        .getLeaseTransitions())
                .isEqualTo(2);
        client.leases().withName("quiver-operator").delete();
        lease(client, 40);
        assertThat(begin(client)).isEqualTo(40);
    }

    @Test
    void goesOnAboveThoseBeforeWhenTheLeaseWasDeleted(KubernetesClient client) {
        begin(client);
        long before = begin(client);
        client.leases().withName("quiver-operator").delete();
        lease(client, 0);
        assertThat(begin(client)).isGreaterThan(before);
    }

    @Test
    void goesOnAboveThoseBeforeWhenTheConfigMapWasDeleted(KubernetesClient client) {
        begin(client);
        long before = begin(client);
        client.configMaps().withName(LeaseTerm.CONFIG_MAP).delete();
        lease(client, (int) before + 1); // as the elector counts the next holder
        assertThat(begin(client)).isGreaterThan(before);
    }

    @Test
    void onlyTheHolderHoldsIt(KubernetesClient client) {
        assertThat(term(client, HOLDER).holds()).isTrue();
        assertThat(term(client, "op-1").holds()).isFalse();
        assertThat(term(client, "op-1").begin()).isFalse();
        assertThat(client.configMaps().withName(LeaseTerm.CONFIG_MAP).get()).isNull();
    }
}
