package dev.quiver.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** That local clusters stand beside each other, and that nothing of one stays when it ends, however it ends. */
@ResourceLock(LocalCluster.LOCK)
class LocalClusterEndsIT {

    @BeforeAll
    static void canRunHere() {
        List<String> missing = LocalCluster.missing();
        Assumptions.assumeTrue(missing.isEmpty(), () -> "missing: for a local cluster, " + String.join(", ", missing));
    }

    @Test
    void secondClusterBesideAnotherHasOtherAddressesAndLeavesNothingWhenItIsDown() {
        try (LocalCluster first = LocalCluster.start("first", LocalCluster.LONG_GRACE)) {
            LocalCluster second = LocalCluster.start("second", LocalCluster.LONG_GRACE);
            String link = link(second.folder());
            try {
                assertThat(link).isNotEqualTo(link(first.folder()));
                assertThat(second.client().getMasterUrl())
                        .isNotEqualTo(first.client().getMasterUrl());
                assertThat(second.client().nodes().list().getItems()).hasSize(2);
                assertThat(Leftovers.of(second.folder(), link)).isNotEmpty();
            } finally {
                second.close();
            }
            assertThat(Leftovers.of(second.folder(), link)).isEmpty();
            await("the first is whole")
                    .untilAsserted(() -> assertThat(
                                    first.client().nodes().list().getItems())
                            .hasSize(2)
                            .allSatisfy(node -> assertThat(node.getStatus().getConditions())
                                    .anyMatch(it -> it.getType().equals("Ready")
                                            && it.getStatus().equals("True"))));
        }
    }

    /** Its owner's end and a sweep may remove one cluster at once, while a third takes the addresses that became free. */
    @Test
    void aSecondRemovalLeavesTheLinkAloneThatAnotherClusterTookSince(@TempDir Path temp) {
        String state = Command.of(
                        "bash",
                        "-euo",
                        "pipefail",
                        "-c",
                        """
                        . "$1"
                        say() { echo "$*" >&2; }
                        name=$2-first dir=$3/first; mkdir "$dir"
                        locked take_network; read -r link _ < "$dir/network"
                        locked release_network
                        name=$2-second dir=$3/second; mkdir "$dir"
                        locked take_network; read -r link _ < "$dir/network"
                        second=$link
                        name=$2-first link=$second; locked release_network
                        test ! -d "/sys/class/net/$second" || echo there
                        name=$2-second; locked release_network
                        test -d "/sys/class/net/$second" || echo gone
                        """,
                        "links",
                        Repository.script("namespaces.sh").toString(),
                        "links-" + ProcessHandle.current().pid(),
                        temp.toString())
                .run();
        assertThat(state.lines()).containsExactly("there", "gone");
    }

    @Test
    void killedOwnerLeavesNothing(@TempDir Path temp) throws Exception {
        Process owner = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Owner.class.getName(),
                        "owned")
                .redirectError(Files.createFile(temp.resolve("err")).toFile())
                .start();
        Path folder;
        try (BufferedReader out = owner.inputReader()) {
            folder = Path.of(out.readLine());
        } finally {
            owner.descendants().forEach(ProcessHandle::destroyForcibly);
        }
        String link = link(folder);
        assertThat(Leftovers.of(folder, link)).isNotEmpty();
        owner.destroyForcibly().waitFor(); // SIGKILL: no hook of the JVM runs
        await("everything gone")
                .untilAsserted(() -> assertThat(Leftovers.of(folder, link)).isEmpty());
    }

    private static String link(Path folder) {
        try {
            return Leftovers.link(Files.readString(folder.resolve("network")).split(" ")[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
