package dev.quiver.controller.pool.podstatus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import org.junit.jupiter.api.Test;

class PodRequestsTest {

    @Test
    void whatAPodAsksForIsSaidBesideTheSchedulersWords() {
        var pod = new PodBuilder()
                .withNewSpec()
                .addNewInitContainer()
                .withName("quiver-supervisor")
                .withRestartPolicy("Always")
                .withNewResources()
                .addToRequests("cpu", new Quantity("50m"))
                .addToRequests("memory", new Quantity("192Mi"))
                .endResources()
                .endInitContainer()
                .addNewContainer()
                .withName("worker")
                .withNewResources()
                .addToRequests("cpu", new Quantity("1"))
                .addToLimits("memory", new Quantity("1Gi"))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
        assertThat(PodRequests.summary(pod)).isEqualTo("1.05 CPU and 1216 MiB of memory");
    }
}
