package dev.quiver.e2e.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.e2e.cluster.Repository;

/**
 * The requests of {@code e2e/run images --kind} and {@code --push} to engine, kind and the build, with stand-ins that
 * write it down.
 */
class BringImagesIT {

    private static final Path ROOT = Repository.root();
    private static final String PUSHED = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    @TempDir
    private Path folder;

    private Path bin;
    private String version;

    @BeforeEach
    void standIns() throws IOException {
        bin = Files.createDirectory(folder.resolve("bin"));
        for (String name : List.of("kind", "mvn", "make", "musl-gcc")) {
            program(name, "");
        }
        program("docker", """
                case $1 in
                    version) echo "$ENGINE_ARCH" ;;
                    info) exit "$DOCKER_AWAY" ;;
                    push) echo "0.1.0: digest: $PUSHED size: 528"; exit "$PUSH_ENDS" ;;
                esac
                """);
        program("podman", """
                case $1 in
                    info) echo "$ENGINE_ARCH" ;;
                    push) echo "$PUSHED" > "$3"; exit "$PUSH_ENDS" ;;
                esac
                """);
        program("uname", "echo 'Linux x86_64'");
        version = Files.readAllLines(ROOT.resolve("pom.xml")).stream()
                .filter(line -> line.startsWith("  <version>"))
                .map(line -> line.replaceAll("</?version>", "").strip())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aKindClusterGetsBothImagesUnderANameThatNoRegistryServes() throws Exception {
        Outcome outcome = images("0", "amd64", "--kind", "trial");
        assertThat(outcome.status()).as(outcome.said()).isZero();
        assertThat(asked("make")).singleElement().asString().endsWith("-C " + ROOT + "/worker-image/agent");
        assertThat(asked("docker"))
                .containsSubsequence(
                        "build --tag localhost/quiver/operator:" + version + " " + ROOT + "/operator",
                        "build --tag localhost/quiver/worker:" + version + " --build-arg TARGETARCH=amd64 " + ROOT
                                + "/worker-image")
                .noneMatch(line -> line.startsWith("push") || line.startsWith("run"));
        assertThat(asked("kind"))
                .containsExactly(
                        "load docker-image localhost/quiver/operator:" + version + " --name trial",
                        "load docker-image localhost/quiver/worker:" + version + " --name trial");
        assertThat(outcome.said().lines().toList().getLast())
                .startsWith("helm upgrade --install quiver charts/quiver ")
                .endsWith(" --set image.registry=localhost");
    }

    @Test
    void aRegistryGetsBothImagesFromPodmanWhereDockerIsAway() throws Exception {
        Outcome outcome = images("1", "amd64", "--push", "registry.example.com:5000/team");
        assertThat(outcome.status()).as(outcome.said()).isZero();
        String operator = "registry.example.com:5000/team/quiver/operator:" + version;
        String worker = "registry.example.com:5000/team/quiver/worker:" + version;
        assertThat(asked("podman"))
                .containsSubsequence(
                        "build --tag " + operator + " " + ROOT + "/operator",
                        "build --tag " + worker + " --build-arg TARGETARCH=amd64 " + ROOT + "/worker-image");
        assertThat(asked("podman").stream().filter(line -> line.startsWith("push ")))
                .hasSize(2)
                .allMatch(line -> line.matches("push --digestfile \\S+ \\S+"))
                .extracting(line -> line.substring(line.lastIndexOf(' ') + 1))
                .containsExactly(operator, worker);
        assertThat(asked("docker")).containsOnly("info");
        assertThat(asked("kind")).isEmpty();
        assertThat(outcome.said().lines().toList().getLast())
                .endsWith(" --set image.registry=registry.example.com:5000/team,operator.image.digest=" + PUSHED
                        + ",worker.image.digest=" + PUSHED);
    }

    @Test
    void theCommandThatFollowsNamesWhatDockerPushed() throws Exception {
        Outcome outcome = images("0", "amd64", "--push", "registry.example.com/team");
        assertThat(outcome.status()).as(outcome.said()).isZero();
        assertThat(outcome.said().lines().toList().getLast())
                .endsWith(" --set image.registry=registry.example.com/team,operator.image.digest=" + PUSHED
                        + ",worker.image.digest=" + PUSHED);
    }

    /** An earlier image may have a digest there, and a command with it would install that one. */
    @ParameterizedTest
    @CsvSource({"0, 1, " + PUSHED, "1, 1, " + PUSHED, "0, 0, latest", "1, 0, latest"})
    void aPushThatFailsOrTellsNoDigestIsFollowedByNoCommand(String dockerAway, String ends, String pushed)
            throws Exception {
        Outcome outcome = images(
                Map.of("PUSH_ENDS", ends, "PUSHED", pushed), dockerAway, "amd64", "--push", "registry.example.com");
        assertThat(outcome.status()).as(outcome.said()).isNotZero();
        assertThat(outcome.said()).doesNotContain("helm upgrade");
    }

    @Test
    void podmansImagesReachKindAsFiles() throws Exception {
        Outcome outcome = images("1", "amd64", "--kind", "trial");
        assertThat(outcome.status()).as(outcome.said()).isZero();
        assertThat(asked("kind")).hasSize(2).allMatch(line -> line.matches("load image-archive \\S+ --name trial"));
    }

    /** Such as a laptop whose engine runs in a machine of its own. */
    @Test
    void theAgentIsBuiltInAContainerWhereTheEngineIsOfAnotherArchitecture() throws Exception {
        Outcome outcome = images("0", "arm64", "--kind", "trial");
        assertThat(outcome.status()).as(outcome.said()).isZero();
        assertThat(asked("make")).isEmpty();
        assertThat(String.join("\n", asked("docker")))
                .containsSubsequence(
                        "run --rm",
                        "BUILD=build/arm64 VERSION=" + version,
                        "build/arm64/quiver-agent",
                        "--build-arg TARGETARCH=arm64 ");
    }

    @ParameterizedTest
    @CsvSource({
        "--push, MY, is no registry",
        "--push, https://registry.example.com, is no registry",
        "--push, '', is no registry",
        "--kind, -x, is no name of a kind cluster",
        "--load, trial, e2e/run images --kind NAME"
    })
    void whatIsNoRegistryAndNoClusterIsRefusedBeforeAnythingIsBuilt(String way, String to, String words)
            throws Exception {
        Outcome outcome = images("0", "amd64", way, to);
        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.said()).contains(words);
        assertThat(asked("mvn")).isEmpty();
    }

    @Test
    void anArchitectureWithoutImagesIsNamed() throws Exception {
        Outcome outcome = images("0", "riscv64", "--kind", "trial");
        assertThat(outcome.status()).isNotZero();
        assertThat(outcome.said()).contains("'riscv64'", "amd64 and arm64");
        assertThat(asked("mvn")).isEmpty();
    }

    private Outcome images(String dockerAway, String arch, String... words) throws IOException, InterruptedException {
        return images(Map.of("PUSH_ENDS", "0", "PUSHED", PUSHED), dockerAway, arch, words);
    }

    /** The same with an engine whose pushes end so. */
    private Outcome images(Map<String, String> pushes, String dockerAway, String arch, String... words)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(ROOT.resolve("e2e/run").toString(), "images");
        builder.command().addAll(List.of(words));
        builder.redirectErrorStream(true);
        builder.environment().put("PATH", bin + ":/usr/bin:/bin");
        builder.environment().put("ENGINE_ARCH", arch);
        builder.environment().put("DOCKER_AWAY", dockerAway);
        builder.environment().putAll(pushes);
        builder.environment().put("ASKED", folder.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return new Outcome(process.exitValue(), said);
    }

    /** The arguments that a stand-in was called with, a line for each call. */
    private List<String> asked(String name) throws IOException {
        Path file = folder.resolve(name + ".asked");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    private void program(String name, String body) throws IOException {
        Path file = bin.resolve(name);
        Files.writeString(file, "#!/bin/sh\necho \"$*\" >> \"$ASKED/%s.asked\"\n%s\n".formatted(name, body));
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private record Outcome(int status, String said) {}
}
