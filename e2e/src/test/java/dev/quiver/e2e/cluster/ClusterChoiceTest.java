package dev.quiver.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.testcontainers.containers.ContainerFetchException;

class ClusterChoiceTest {

    private static final Supplier<Optional<String>> NO_DOCKER = () -> K3sCluster.missing(() -> false);
    private static final Supplier<Optional<String>> DOCKER = () -> K3sCluster.missing(() -> true);
    private static final Supplier<List<String>> NOTHING = List::of;
    private static final Supplier<List<String>> ROOT_AND_NFT = () -> List.of("root", "nft (apt-get install nftables)");

    @Test
    void takesTheNamedKubeconfigBeforeAnythingElse() {
        assertThat(choose(Optional.of("/k"), Optional.empty(), DOCKER, NOTHING))
                .isEqualTo(new ClusterChoice.Existing(Path.of("/k")));
    }

    @Test
    void takesK3sWhereDockerAnswers() {
        assertThat(choose(Optional.empty(), Optional.empty(), DOCKER, NOTHING)).isEqualTo(new ClusterChoice.K3s());
    }

    @Test
    void takesTheLocalClusterOtherwise() {
        assertThat(choose(Optional.empty(), Optional.empty(), NO_DOCKER, NOTHING))
                .isEqualTo(new ClusterChoice.Local());
    }

    @Test
    void anEngineWhereRyukCannotStartIsNoneForK3s() {
        Supplier<Optional<String>> noRyuk = () -> K3sCluster.missing(() -> {
            throw new ContainerFetchException("Can't get Docker image: testcontainers/ryuk");
        });
        assertThat(choose(Optional.empty(), Optional.empty(), noRyuk, NOTHING)).isEqualTo(new ClusterChoice.Local());
        assertThat(choose(Optional.empty(), Optional.of("k3s"), noRyuk, NOTHING))
                .isInstanceOfSatisfying(
                        ClusterChoice.None.class,
                        none -> assertThat(none.reason())
                                .startsWith("a Docker engine answers, but")
                                .contains(
                                        "(Can't get Docker image: testcontainers/ryuk)",
                                        "TESTCONTAINERS_RYUK_DISABLED=true"));
    }

    @Test
    void takesTheProviderThatIsAskedForByName() {
        assertThat(choose(Optional.of("/k"), Optional.of("local"), DOCKER, NOTHING))
                .isEqualTo(new ClusterChoice.Local());
    }

    @Test
    void namesEverythingThatIsMissing() {
        assertThat(choose(Optional.empty(), Optional.empty(), NO_DOCKER, ROOT_AND_NFT))
                .isEqualTo(new ClusterChoice.None("a local cluster cannot run here, missing: root, nft (apt-get install"
                        + " nftables); and for k3s no Docker engine answers"));
        assertThat(choose(Optional.empty(), Optional.of("k3s"), NO_DOCKER, NOTHING))
                .isEqualTo(new ClusterChoice.None("no Docker engine answers"));
        assertThat(choose(Optional.empty(), Optional.of("existing"), DOCKER, NOTHING))
                .isEqualTo(new ClusterChoice.None("QUIVER_E2E_KUBECONFIG is not set"));
    }

    @Test
    void refusesAnUnknownProviderByName() {
        assertThat(choose(Optional.empty(), Optional.of("minikube"), DOCKER, NOTHING))
                .isEqualTo(new ClusterChoice.None("QUIVER_E2E_CLUSTER is 'minikube', not existing, k3s or local"));
    }

    private static ClusterChoice choose(
            Optional<String> kubeconfig,
            Optional<String> provider,
            Supplier<Optional<String>> docker,
            Supplier<List<String>> missing) {
        return ClusterChoice.from(kubeconfig, provider, docker, missing);
    }
}
