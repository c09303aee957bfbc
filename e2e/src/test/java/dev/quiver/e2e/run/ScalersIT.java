package dev.quiver.e2e.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.e2e.cluster.Repository;

/**
 * The words of {@code e2e/run scalers} about pools that follow a scaler or do not, with stand-ins for kubectl and the
 * cluster.
 */
class ScalersIT {

    private static final String CLUSTER = """
            #!/bin/sh
            echo "$*" >> "$STAND_IN/calls"
            [ "$1" != add-part ] || cat > "$STAND_IN/part-$3"
            """;

    /** Each look at a pool reads the next line of its file. The burst has ended where no slot is busy any more. */
    private static final String KUBECTL = """
            #!/bin/bash
            case "$*" in
                *"apply -f -"*) cat > /dev/null ;;
                *addresses*) echo 10.0.0.9 ;;
                *succeeded*) echo '90, 90' ;;
                *"get wpool"*) looks=$STAND_IN/$3
                    head -n 1 "$looks" | tee "$STAND_IN/last"
                    [ "$(wc -l < "$looks")" = 1 ] || sed -i 1d "$looks" ;;
                *completionTime*) ! grep -q '/$' "$STAND_IN/last" || echo 2026-01-01T00:01:00Z ;;
            esac
            """;

    @TempDir
    private Path root;

    private Path script;

    @BeforeEach
    void standIns() throws Exception {
        Path own = Repository.root().resolve("e2e");
        Path scalers = Files.createDirectories(root.resolve("e2e/scalers"));
        for (String file : List.of("measure", "keda.yaml", "hpa.yaml", "rule.yaml", "burst.yaml")) {
            Files.copy(own.resolve("scalers").resolve(file), scalers.resolve(file));
        }
        script = scalers.resolve("measure");
        Path cluster = Files.createDirectories(root.resolve("e2e/cluster"));
        Files.copy(own.resolve("cluster/pki.sh"), cluster.resolve("pki.sh"));
        executable(cluster.resolve("cluster"), CLUSTER);
        executable(root.resolve("kubectl"), KUBECTL);
        Path pki = Files.createDirectories(root.resolve("run/pki"));
        Process made = new ProcessBuilder(
                        "bash", "-c", ". \"$0\"; new_authority \"$1\"", cluster.resolve("pki.sh") + "", pki + "")
                .inheritIO()
                .start();
        assertThat(made.waitFor()).isZero();
    }

    private static void executable(Path file, String text) throws IOException {
        assertThat(Files.writeString(file, text).toFile().setExecutable(true)).isTrue();
    }

    private void looks(String pool, String... lines) throws IOException {
        Files.write(root.resolve(pool), List.of(lines));
    }

    private int measure(String patience) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(script.toString(), "scalers", "/programs", "keda", "hpa")
                .redirectErrorStream(true)
                .redirectOutput(root.resolve("out").toFile());
        builder.environment().put("KUBECTL", root.resolve("kubectl").toString());
        builder.environment().put("KUBECONFIG", root.resolve("run/kubeconfig").toString());
        builder.environment().put("STAND_IN", root.toString());
        builder.environment().put("SCALERS_PATIENCE", patience);
        Process process = builder.start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        return process.exitValue();
    }

    @Test
    void aPoolIsFollowedUpAndBack() throws Exception {
        looks("by-keda", "0//", "3/1/2", "4/3/6", "4/4/5", "0/1/");
        looks("by-hpa", "1/1/2", "2/2/4", "2/2/", "1/2/", "1/1/");
        int status = measure("300");
        List<String> shown = Files.readAllLines(root.resolve("out"));
        assertThat(status).as(String.join("\n", shown)).isZero();
        assertThat(shown.subList(shown.size() - 2, shown.size()))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .matches("\\| by-keda \\| [\\d.]+ s \\| 4 \\| 4, 6 \\| .* 90, 90 \\| 0 after .*"),
                        line -> assertThat(line)
                                .matches("\\| by-hpa \\| [\\d.]+ s \\| 2 \\| 2, 4 \\| .* 90, 90 \\| 1 after .*"));
        assertThat(Files.readAllLines(root.resolve("calls")))
                .containsExactly(
                        "add-part scalers prometheus",
                        "add-part scalers keda-operator",
                        "add-part scalers keda-adapter",
                        "stop scalers keda-adapter",
                        "stop scalers keda-operator",
                        "add-part scalers prometheus-adapter");
        assertThat(Files.readString(root.resolve("run/scalers/prometheus.yaml")))
                .contains("'10.0.0.9:8080'");
    }

    @Test
    void aPoolThatNobodyScalesFails() throws Exception {
        looks("by-keda", "0/0/0", "1/1/2", "0/0/");
        assertThat(measure("3")).isNotZero();
        assertThat(Files.readAllLines(root.resolve("out")))
                .anyMatch(line -> line.startsWith("scalers: by-keda did not follow its work: 0 replicas, 1 at most"));
        assertThat(Files.readAllLines(root.resolve("calls"))).doesNotContain("add-part scalers prometheus-adapter");
    }
}
