package dev.quiver.e2e.chart;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;

/** The helm program on the repository's chart. One is enough for all tests; it keeps nothing. */
final class Helm {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private final Path program;

    private Helm(Path program) {
        this.program = program;
    }

    /** HELM of the environment, or the one of the cluster's parts, or that on the PATH; skips the test without one. */
    static Helm found() {
        String named = System.getenv("HELM");
        Path helm = named != null ? Path.of(named) : built();
        Assumptions.assumeTrue(
                Files.isExecutable(helm),
                "helm is missing: e2e/cluster/build makes it, or HELM names it (" + helm + ")");
        return new Helm(helm);
    }

    private static Path built() {
        Outcome parts = run(List.of(ROOT.resolve("e2e/cluster/build").toString()));
        if (parts.status() == 0) {
            return Path.of(parts.out().strip(), "helm");
        }
        return Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, "helm"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(Path.of("helm"));
    }

    /** The chart's appVersion. */
    static String version() {
        try {
            return Files.readAllLines(file("charts/quiver/Chart.yaml")).stream()
                    .filter(line -> line.startsWith("appVersion: "))
                    .map(line -> line.substring("appVersion: ".length()))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file of the repository. */
    static Path file(String path) {
        return ROOT.resolve(path);
    }

    /**
     * The output of `helm template` for the chart with these `--set` values; fails the test where helm refuses. Our
     * images are in registry.example.com, unless the values say otherwise.
     */
    Rendered render(String... values) {
        return Rendered.of(text(values));
    }

    /** The same as YAML. */
    String text(String... values) {
        Outcome outcome = template(values);
        if (outcome.status() != 0) {
            throw new AssertionError("helm template failed: " + outcome.err());
        }
        return outcome.out();
    }

    /** The words of helm against these values; fails the test where it accepts them. */
    String refusal(String... values) {
        Outcome outcome = template(values);
        if (outcome.status() == 0) {
            throw new AssertionError("helm accepted " + List.of(values));
        }
        return outcome.err();
    }

    /** `helm lint --strict`. */
    Outcome lint() {
        return run(List.of(program.toString(), "lint", "--strict", chart()));
    }

    private Outcome template(String... values) {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "template",
                "quiver",
                chart(),
                "--namespace",
                "quiver-system",
                "--kube-version",
                "1.30.0",
                "--set",
                "image.registry=registry.example.com"));
        for (String value : values) {
            command.addAll(List.of("--set", value));
        }
        return run(command);
    }

    private static String chart() {
        return file("charts/quiver").toString();
    }

    private static Outcome run(List<String> command) {
        try {
            Path err = Files.createTempFile("helm", ".err");
            Process process =
                    new ProcessBuilder(command).redirectError(err.toFile()).start();
            process.getOutputStream().close();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            String words = Files.readString(err);
            Files.delete(err);
            return new Outcome(status, out, words);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } catch (IOException e) {
            throw new AssertionError("cannot run " + command, e);
        }
    }

    /** How a run ended. */
    record Outcome(int status, String out, String err) {}
}
