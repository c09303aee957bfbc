package dev.quiver.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class K3sClusterTest {

    @ParameterizedTest
    @ValueSource(strings = {"build", "standins.sh"})
    void standInHasTheNameThatTheProviderAsksFor(String script) throws IOException {
        assertThat(Files.readString(Repository.root().resolve("e2e/images").resolve(script)))
                .contains("[k3s]=docker.io/" + K3sCluster.IMAGE);
    }

    @Test
    void anEngineThatAnswersLacksNothing() {
        assertThat(K3sCluster.missing(() -> true)).isEmpty();
    }
}
