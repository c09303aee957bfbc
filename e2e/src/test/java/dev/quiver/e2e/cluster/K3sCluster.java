package dev.quiver.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import org.opentest4j.TestAbortedException;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Container;
import org.testcontainers.k3s.K3sContainer;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/** k3s with one node in a container of the Docker engine; Testcontainers removes it when this JVM ends. */
final class K3sCluster implements Cluster {

    /** The image that is run where the variable {@code QUIVER_E2E_K3S_IMAGE} names no other. */
    static final String IMAGE = "rancher/k3s:v1.36.1-k3s1";

    private final K3sContainer container;
    private final Access access;

    private K3sCluster(K3sContainer container) {
        this.container = container;
        try {
            Path kubeconfig = Files.createTempFile("k3s", ".kubeconfig");
            Files.writeString(kubeconfig, container.getKubeConfigYaml());
            this.access = Access.of(kubeconfig);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the kubeconfig of k3s", e);
        }
    }

    /** A busy machine takes longer than the minute that Testcontainers waits. */
    private static final Duration LONGEST_START = Duration.ofMinutes(5);

    /**
     * The reason why Testcontainers runs no container here, in words; none where it does. Beside an engine it wants the
     * image of Ryuk, which removes containers, and throws where that cannot be pulled.
     */
    static Optional<String> missing() {
        return missing(() -> DockerClientFactory.instance().isDockerAvailable());
    }

    /** The same, of any way to ask. */
    static Optional<String> missing(BooleanSupplier available) {
        try {
            return available.getAsBoolean() ? Optional.empty() : Optional.of("no Docker engine answers");
        } catch (RuntimeException e) {
            return Optional.of("a Docker engine answers, but Testcontainers cannot start its Ryuk there ("
                    + e.getMessage() + "); with TESTCONTAINERS_RYUK_DISABLED=true it does without, and containers of a"
                    + " killed JVM stay");
        }
    }

    static K3sCluster start(Optional<String> image) {
        K3sContainer container =
                new K3sContainer(DockerImageName.parse(image.orElse(IMAGE)).asCompatibleSubstituteFor("rancher/k3s"));
        container.withStartupTimeout(LONGEST_START).start();
        return new K3sCluster(container);
    }

    @Override
    public String description() {
        return "k3s by Testcontainers, " + container.getDockerImageName();
    }

    @Override
    public Access access() {
        return access;
    }

    @Override
    public void loadImages(List<Path> archives) {
        for (Path archive : archives) {
            String inside = "/tmp/" + archive.getFileName();
            container.copyFileToContainer(MountableFile.forHostPath(archive), inside);
            run("ctr", "-n", "k8s.io", "images", "import", inside);
            run("rm", inside);
        }
    }

    private void run(String... words) {
        try {
            Container.ExecResult result = container.execInContainer(words);
            if (result.getExitCode() != 0) {
                throw new IllegalStateException(
                        String.join(" ", words) + " in k3s ended with " + result.getExitCode() + ":\n" + result);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + String.join(" ", words) + " in k3s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public Failures failures() {
        throw new TestAbortedException("missing: a node to lose; k3s in a container is one node and its own control"
                + " plane, the local cluster (" + ClusterChoice.PROVIDER_VARIABLE + "=local) can");
    }

    @Override
    public void collectLogs(Path folder) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve("k3s.log"), container.getLogs());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot keep the log of k3s", e);
        }
    }

    @Override
    public void close() {
        client().close();
        container.stop();
        try {
            Files.deleteIfExists(kubeconfig());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
