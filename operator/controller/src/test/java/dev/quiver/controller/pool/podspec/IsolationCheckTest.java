package dev.quiver.controller.pool.podspec;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IsolationCheckTest {

    @Test
    void aTemplateThatSaysNothingIsFine() {
        assertThat(IsolationCheck.problem(spec(null), false)).isEmpty();
        assertThat(IsolationCheck.problem(spec(adding("NET_BIND_SERVICE")), false))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NET_RAW", "CAP_NET_RAW", "cap_net_admin", "ALL", "SYS_ADMIN", "BPF"})
    void whatReadsTheNetworkNeedsTls(String capability) {
        assertThat(IsolationCheck.problem(spec(adding(capability)), false))
                .hasValueSatisfying(message -> assertThat(message)
                        .contains(
                                "spec.template.spec.containers[worker].securityContext.capabilities.add: " + capability)
                        .contains("rediss://"));
        assertThat(IsolationCheck.problem(spec(adding(capability)), true)).isEmpty();
    }

    @Test
    void aPrivilegedContainerNeedsTlsWhereverItStands() {
        SecurityContext privileged =
                new SecurityContextBuilder().withPrivileged(true).build();
        assertThat(IsolationCheck.problem(spec(privileged), false))
                .hasValueSatisfying(message -> assertThat(message).contains("privileged: true"));
        PodSpec init = new PodSpecBuilder(spec(null))
                .addNewInitContainer()
                .withName("prepare")
                .withSecurityContext(privileged)
                .endInitContainer()
                .build();
        assertThat(IsolationCheck.problem(init, false))
                .hasValueSatisfying(message -> assertThat(message).contains("initContainers[prepare]"));
    }

    @Test
    void rawPacketsAreDroppedWhereNothingElseIsSaid() {
        assertThat(IsolationCheck.withoutRawPackets(null).getCapabilities().getDrop())
                .containsExactly("NET_RAW");
        SecurityContext some = new SecurityContextBuilder()
                .withNewCapabilities()
                .withDrop("CHOWN")
                .endCapabilities()
                .build();
        assertThat(IsolationCheck.withoutRawPackets(some).getCapabilities().getDrop())
                .containsExactly("CHOWN", "NET_RAW");
        SecurityContext all = new SecurityContextBuilder()
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .build();
        assertThat(IsolationCheck.withoutRawPackets(all)).isEqualTo(all);
        assertThat(IsolationCheck.withoutRawPackets(adding("NET_RAW"))).isEqualTo(adding("NET_RAW"));
    }

    private static SecurityContext adding(String capability) {
        return new SecurityContextBuilder()
                .withNewCapabilities()
                .withAdd(capability)
                .endCapabilities()
                .build();
    }

    private static PodSpec spec(SecurityContext context) {
        return new PodSpecBuilder()
                .addNewContainer()
                .withName("worker")
                .withSecurityContext(context)
                .endContainer()
                .build();
    }
}
