package dev.quiver.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

class ClusterChoiceTest {

    private static final BooleanSupplier NO_DOCKER = () -> false;
    private static final BooleanSupplier DOCKER = () -> true;
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
    void takesTheProviderThatIsAskedForByName() {
        assertThat(choose(Optional.of("/k"), Optional.of("local"), DOCKER, NOTHING))
                .isEqualTo(new ClusterChoice.Local());
    }

    @Test
    void namesEverythingThatIsMissing() {
        assertThat(choose(Optional.empty(), Optional.empty(), NO_DOCKER, ROOT_AND_NFT))
                .isEqualTo(new ClusterChoice.None("a local cluster cannot run here, missing: root, nft (apt-get install"
                        + " nftables); and no Docker engine answers, for k3s"));
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
            BooleanSupplier docker,
            Supplier<List<String>> missing) {
        return ClusterChoice.from(kubeconfig, provider, docker, missing);
    }
}
