package dev.quiver.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The provider k3s on an image that stands in for k3s. Testcontainers is the real one, podman is the engine, and the node
 * has the local cluster's parts. Tests of the suite run on it in a JVM of their own, because Testcontainers takes its
 * orders from the environment. That JVM is killed while its cluster stands.
 */
@OnCluster(OnCluster.Use.ALONE)
class K3sProviderE2E {

    private static final List<String> CLASSES =
            List.of("dev.quiver.e2e.cluster.ClusterE2E", "dev.quiver.e2e.scenario.HelmTestE2E");

    /** The shell becomes the JVM, so the engine's owner is the JVM. */
    private static final String RUN = """
            cluster=$1 images=$2 name=$3
            shift 3
            variables=$("$cluster" engine "$name" --owner $$)
            eval "$variables"
            "$cluster" load "$name" "$("$images" k3s)"
            exec "$@"
            """;

    @BeforeAll
    static void canRunHere() {
        List<String> missing = Engine.missing();
        Assumptions.assumeTrue(missing.isEmpty(), () -> "missing: for podman's service, " + String.join(", ", missing));
    }

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void chartRunsATaskSetOnItAndNothingStaysOfItWhenTheJvmIsKilled(@TempDir Path temp)
            throws IOException, InterruptedException {
        List<String> machine = Engine.machine();
        Process jvm = start(temp);
        Engine engine = new Engine("k3s");
        try {
            assertThat(told(jvm))
                    .containsExactlyInAnyOrder(
                            "passed ClusterE2E.runsPodFromLoadedArchiveAndServesItsLog",
                            "passed ClusterE2E.kubectlWorksWithItsKubeconfig",
                            "skipped ClusterE2E.nodeCanBeLostAndComesBack",
                            "passed HelmTestE2E.eachPartAnswersAndTenTasksRunAndNothingOfThemStays");
            String link = engine.link();
            assertThat(Leftovers.of(engine.folder(), link))
                    .anyMatch(it -> it.contains("kube-apiserver"))
                    .anyMatch(it -> it.contains("redis-server"));
            assertThat(Engine.machine()).as("none of it is the machine's").isEqualTo(machine);

            jvm.destroyForcibly().waitFor(); // SIGKILL: no hook of the JVM runs
            await("everything gone")
                    .untilAsserted(() ->
                            assertThat(Leftovers.of(engine.folder(), link)).isEmpty());
            assertThat(Engine.machine()).isEqualTo(machine);
        } finally {
            jvm.destroyForcibly();
        }
    }

    private static Process start(Path temp) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                "bash",
                "-euc",
                RUN,
                "k3s",
                Repository.script("cluster").toString(),
                Repository.root().resolve("e2e/images/build").toString(),
                Engine.name("k3s"),
                ProcessHandle.current().info().command().orElseThrow(),
                "-Djava.io.tmpdir=" + temp, // a killed JVM removes no file
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                ToldTests.class.getName()));
        words.addAll(CLASSES);
        ProcessBuilder builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT);
        // Orders for other clusters than this one.
        builder.environment().keySet().removeAll(List.of("QUIVER_IMAGE_REGISTRY", "QUIVER_E2E_K3S_IMAGE"));
        return builder.start();
    }

    /** The outcomes, read until the last class is over; all that the JVM says goes to our own output, too. */
    private static List<String> told(Process jvm) throws IOException {
        List<String> told = new ArrayList<>();
        BufferedReader out = jvm.inputReader();
        for (String line = out.readLine(); line != null && !line.equals(ToldTests.OVER); line = out.readLine()) {
            System.out.println("k3s: " + line);
            if (line.startsWith(ToldTests.MARK)) {
                told.add(line.substring(ToldTests.MARK.length()));
            }
        }
        return told;
    }
}
