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

/** The calls of {@code e2e/run cluster} and the demo to the cluster's script, with a stand-in for it. */
class RunClusterIT {

    @TempDir
    private Path root;

    @BeforeEach
    void standIn() throws IOException {
        Path script = Files.createDirectories(root.resolve("e2e/cluster")).resolve("cluster");
        Files.writeString(script, "#!/bin/sh\necho \"$*\" >> \"${0%/*}/calls\"\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
    }

    /** A busy machine must not lose its nodes after seconds: Redis and the record of the demo would go with them. */
    @Test
    void nodesHaveTwoMinutesToSayThatTheyLive() throws Exception {
        assertThat(calls("up")).containsExactly("up local --grace 120", "status local");
        assertThat(calls("down")).containsExactly("down local");
    }

    private List<String> calls(String verb) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        "bash",
                        "-euo",
                        "pipefail",
                        "-c",
                        "root=$2; cluster_machine() { :; }; . \"$1/e2e/lib/demo.sh\"; run_cluster \"$3\"",
                        "run",
                        Repository.root().toString(),
                        root.toString(),
                        verb)
                .inheritIO()
                .start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();
        Path calls = root.resolve("e2e/cluster/calls");
        List<String> lines = Files.readAllLines(calls);
        Files.delete(calls);
        return lines;
    }
}
