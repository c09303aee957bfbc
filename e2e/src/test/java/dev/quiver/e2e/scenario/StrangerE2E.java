package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Unrestricted;

/**
 * README's block for a cluster of one's own, word for word: it ends with a finished TaskSet. The cluster has no
 * installation then, and its nodes have busybox and our two images. helm and kubectl are real; the engine, kind and the
 * build before them are stand-ins that write down what they are asked.
 */
@Disturbance
class StrangerE2E {

    private static final String HEADING = "## Install it on a cluster of yours";
    private static final Duration LONGEST = Duration.ofMinutes(15);

    @TempDir
    private Path folder;

    @BeforeAll
    static void imagesHaveTheNameOfABuildOfOnesOwn() {
        if (System.getenv("QUIVER_IMAGE_REGISTRY") != null) {
            throw new TestAbortedException("missing: images that were loaded as localhost/quiver/…; the cluster pulls"
                    + " those of QUIVER_IMAGE_REGISTRY");
        }
    }

    @Test
    void readmesBlockForAClusterOfOnesOwnEndsWithAFinishedTaskSet(
            @Unrestricted("the files that people are given ask for no security context") Space space,
            Installation quiver)
            throws IOException {
        List<String> lines = block();
        assertThat(lines).hasSizeGreaterThanOrEqualTo(4).first().asString().startsWith("e2e/run images --kind ");
        quiver.uninstall(); // the next test that asks gets the suite's own again

        String printed = paste(lines, space, quiver);

        assertThat(printed.lines())
                .as("what follows the images is the block's next line")
                .contains(lines.get(1));
        Run run = space.run("specs");
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("AllTasksSucceeded");
        assertThat(run.status()).returns(1000L, TaskSetStatus::succeeded);
        assertThat(Files.readAllLines(folder.resolve("asked")))
                .anyMatch(line -> line.startsWith("docker build --tag localhost/quiver/operator:"))
                .anyMatch(line -> line.startsWith("docker build --tag localhost/quiver/worker:"))
                .anyMatch(line -> line.startsWith("kind load docker-image localhost/quiver/operator:"))
                .anyMatch(line -> line.startsWith("kind load docker-image localhost/quiver/worker:"));
    }

    private static List<String> block() throws IOException {
        return Files.readAllLines(Repository.root().resolve("README.md")).stream()
                .dropWhile(line -> !line.equals(HEADING))
                .dropWhile(line -> !line.startsWith("    "))
                .takeWhile(line -> line.startsWith("    "))
                .map(String::strip)
                .toList();
    }

    /** Runs the lines where a person does, in the repository's root; their kubeconfig names the test's namespace. */
    private String paste(List<String> lines, Space space, Installation quiver) throws IOException {
        Path bin = Files.createDirectory(folder.resolve("bin"));
        for (String name : List.of("kind", "mvn", "make", "musl-gcc")) {
            standIn(bin.resolve(name), "");
        }
        standIn(bin.resolve("docker"), "[ \"$1\" != version ] || echo amd64");
        Path kubectl = Repository.built("kubectl");
        Path kubeconfig = Files.copy(quiver.cluster().kubeconfig(), folder.resolve("kubeconfig"));
        Command.of(
                        kubectl.toString(),
                        "--kubeconfig=" + kubeconfig,
                        "config",
                        "set-context",
                        "--current",
                        "--namespace=" + space.name())
                .run();
        return Command.of(
                        "env",
                        "--chdir=" + Repository.root(),
                        "PATH=" + bin + ":" + kubectl.getParent() + ":/usr/bin:/bin",
                        "KUBECONFIG=" + kubeconfig,
                        "JAVA_HOME=" + System.getProperty("java.home"),
                        "bash",
                        "-exc",
                        String.join("\n", lines))
                .within(LONGEST)
                .run();
    }

    private void standIn(Path file, String body) throws IOException {
        String asked = folder.resolve("asked").toString();
        Files.writeString(file, "#!/bin/sh\necho \"${0##*/} $*\" >> '%s'\n%s\n".formatted(asked, body));
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }
}
