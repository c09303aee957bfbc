package dev.quiver.e2e.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.e2e.cluster.Repository;

/** The use that {@code e2e/run soak} makes of its options and of the reports of its tests. */
class SoakIT {

    private static final String PLAN = "leaves 7 one DeepTreeIT quiver.leaves leaves of one tree\n"
            + "chunks 9 two/sub ManyChunksIT quiver.chunks chunks of one map-reduce";

    private static final String SERVER = "crds/src/test/java/dev/quiver/crds/apiserver/ServerProcess.java";

    @TempDir
    private Path project;

    @Test
    void sizesAreThoseOfUsersUnlessOthersAreGiven() throws Exception {
        Result usual = plan();
        assertThat(usual.lines())
                .hasSize(17)
                .anyMatch(line -> line.startsWith("leaves 100000 operator/lifecycle DeepTreeIT quiver.leaves "))
                .anyMatch(line -> line.startsWith("children 1000000 "))
                .anyMatch(line -> line.startsWith("chunks 100000 "))
                .anyMatch(line -> line.startsWith("trees 500 "))
                .anyMatch(line -> line.startsWith("copies 2000 "))
                .anyMatch(line -> line.startsWith("seconds 600 "))
                .anyMatch(line -> line.startsWith("examples 1000 "))
                .anyMatch(line -> line.startsWith("lives 100000 "))
                .anyMatch(line -> line.startsWith("ranks 1000000 "))
                .anyMatch(line -> line.startsWith("chaos 60 e2e ChaosE2E quiver.chaos.minutes "));
        Result given = plan("--chaos", "0", "--leaves", "0500");
        assertThat(given.lines()).hasSize(16).first().asString().startsWith("leaves 500 operator/lifecycle ");
        assertThat(given.lines()).noneMatch(line -> line.startsWith("chaos"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--leaves   | soak: --leaves needs a whole number, not \"\"",
                "--leaves -1 | soak: --leaves needs a whole number, not \"-1\"",
                "--leaves 1e9 | soak: --leaves needs a whole number, not \"1e9\"",
                "--leaves 10000000000 | soak: --leaves needs a whole number, not \"10000000000\"",
                "--leafs 1 | soak: there is no option --leafs",
                "leaves 1 | soak: there is no option leaves",
                "--. 1 | soak: there is no option --."
            })
    void optionThatMakesNoSenseIsNamed(String options, String words) throws Exception {
        Result result = plan(options.split(" "));
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.lines()).containsExactly(words);
    }

    /** Every part has its class, in the module that is named, and that class reads the size. */
    @Test
    void partsNameTestsThatAreThere() throws Exception {
        for (String part : plan().lines()) {
            String[] words = part.split(" ");
            List<Path> classes = new ArrayList<>();
            try (var files = Files.walk(Repository.root().resolve(words[2]).resolve("src/test/java"))) {
                files.filter(file -> file.endsWith(words[3] + ".java")).forEach(classes::add);
            }
            assertThat(classes).as(part).hasSize(1);
            String text = Files.readString(classes.getFirst());
            if (text.contains("@ExtendWith(ApiServer.class)")) {
                text += file(SERVER);
            }
            assertThat(text).as(part).contains('"' + words[4] + '"');
        }
    }

    /** The chart and README state the oldest Kubernetes, and this is the one that is tried. */
    @Test
    void oldestKubernetesIsTheOneThatIsStated() throws Exception {
        List<String> oldest = plan().lines().stream()
                .filter(line -> line.startsWith("oldest "))
                .toList();
        assertThat(oldest).isNotEmpty();
        for (String part : oldest) {
            String minor = part.split(" ")[1];
            assertThat(file("charts/quiver/Chart.yaml")).contains("kubeVersion: \">=1.%s.0-0\"".formatted(minor));
            assertThat(file("README.md")).contains("Kubernetes 1.%1$s or newer".formatted(minor));
        }
    }

    private static String file(String path) throws IOException {
        return Files.readString(Repository.root().resolve(path));
    }

    @Test
    void eachPartHasItsCountAndItsTime() throws Exception {
        report("one", "DeepTreeIT", 1, 0, 0);
        report("two/sub", "ManyChunksIT", 3, 0, 0);
        Result result = reported();
        assertThat(result.lines())
                .contains(
                        "SOAK    7 leaves of one tree: 1 of 1 tests passed in 12 s",
                        "SOAK    9 chunks of one map-reduce: 3 of 3 tests passed in 12 s");
        assertThat(result.lines()).last().asString().matches("soak of \\d{4}-\\d\\d-\\d\\d: 4 passed, 0 failed");
        assertThat(result.exit()).isZero();
    }

    @Test
    void whatFailedWasSkippedOrDidNotRunIsNoSuccess() throws Exception {
        report("one", "DeepTreeIT", 1, 0, 1);
        Result skipped = reported();
        assertThat(skipped.lines())
                .contains(
                        "SOAK    7 leaves of one tree: 0 of 1 tests passed in 12 s",
                        "SOAK    9 chunks of one map-reduce: did not run");
        assertThat(skipped.lines()).last().asString().endsWith("0 passed, 2 failed");
        assertThat(skipped.exit()).isNotZero();
        report("one", "DeepTreeIT", 2, 1, 0);
        report("two/sub", "ManyChunksIT", 3, 0, 0);
        Result failed = reported();
        assertThat(failed.lines()).last().asString().endsWith("4 passed, 1 failed");
        assertThat(failed.exit()).isNotZero();
    }

    private record Result(int exit, List<String> lines) {}

    private Result plan(String... options) throws Exception {
        return bash("soak_plan \"$@\"", options);
    }

    private Result reported() throws Exception {
        return bash("soak_report \"$1\"", PLAN);
    }

    private Result bash(String call, String... words) throws Exception {
        Path library = Repository.root().resolve("e2e/lib");
        List<String> command = new ArrayList<>(List.of(
                "bash",
                "-euo",
                "pipefail",
                "-c",
                "root=$1; library=$2; shift 2; say() { echo \"$*\" >&2; }; . \"$library/tests.sh\"; . \"$library/soak.sh\"; "
                        + call,
                "soak",
                project.toString(),
                library.toString()));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines = process.inputReader().readAllLines();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return new Result(process.exitValue(), lines);
    }

    private void report(String module, String name, int tests, int failures, int skipped) throws IOException {
        Path file = project.resolve(module + "/target/failsafe-reports/TEST-x." + name + ".xml");
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "<?xml version=\"1.0\"?>\n<testsuite name=\"x.%s\" time=\"12.3\" tests=\"%d\" errors=\"0\" skipped=\"%d\" failures=\"%d\"/>\n"
                        .formatted(name, tests, skipped, failures));
    }
}
