package dev.quiver.e2e.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.opentest4j.TestAbortedException;

/**
 * Somebody's cluster, used and left as it is. Images get there by the program that {@code QUIVER_E2E_LOAD_IMAGES}
 * names (called with the archives, for example a line around {@code kind load image-archive}). Without one it is
 * expected to pull them by itself, ours from the registry that {@code QUIVER_IMAGE_REGISTRY} names.
 */
public final class ExistingCluster implements Cluster {

    private final Access access;
    private final Optional<String> loader;

    ExistingCluster(Path kubeconfig, Optional<String> loader) {
        if (!Files.isReadable(kubeconfig)) {
            throw new IllegalStateException(
                    ClusterChoice.KUBECONFIG_VARIABLE + " is '" + kubeconfig + "', which cannot be read");
        }
        this.loader = loader;
        this.access = Access.of(kubeconfig);
    }

    @Override
    public String description() {
        return "existing cluster at " + client().getMasterUrl();
    }

    @Override
    public Access access() {
        return access;
    }

    @Override
    public void loadImages(List<Path> archives) {
        loader.ifPresent(program -> Command.of(
                        Stream.concat(Stream.of(program), archives.stream().map(Path::toString))
                                .toArray(String[]::new))
                .within(Duration.ofMinutes(10))
                .run());
    }

    @Override
    public Failures failures() {
        throw new TestAbortedException("missing: a cluster whose machines may be broken; this one is the existing "
                + client().getMasterUrl() + ", the local one (" + ClusterChoice.PROVIDER_VARIABLE + "=local) can");
    }

    @Override
    public void collectLogs(Path folder) {
        // Its logs are its owner's; what tests need to know is in its API.
    }

    @Override
    public void close() {
        client().close();
    }
}
