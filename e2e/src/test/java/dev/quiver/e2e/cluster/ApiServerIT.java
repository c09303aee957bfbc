package dev.quiver.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiServerIT {

    @Test
    void servesObjectsUntilItIsDownAndLeavesNothing(@TempDir Path temp) throws Exception {
        Path folder = temp.resolve("server");
        Path kubeconfig = Path.of(script("up", folder.toString()));
        try (KubernetesClient client = Access.of(kubeconfig).client()) {
            client.resource(new ConfigMapBuilder()
                            .withNewMetadata()
                            .withName("seen")
                            .withNamespace("default")
                            .endMetadata()
                            .build())
                    .create();
            assertThat(client.configMaps()
                            .inNamespace("default")
                            .withName("seen")
                            .get())
                    .isNotNull();
        } finally {
            script("down", folder.toString());
        }
        assertThat(folder).doesNotExist();
        assertThat(Leftovers.of(folder)).isEmpty();
    }

    @Test
    void endsWithItsOwnerHoweverThatEnds(@TempDir Path temp) throws Exception {
        Path folder = temp.resolve("server");
        Process owner = new ProcessBuilder("tail", "-f", "/dev/null").start();
        script("up", folder.toString(), Long.toString(owner.pid()));
        ProcessHandle keeper = ProcessHandle.of(Long.parseLong(
                        Files.readString(folder.resolve("keeper")).split(" ")[0]))
                .orElseThrow();
        assertThat(keeper.descendants()).hasSizeGreaterThanOrEqualTo(2);
        var children = keeper.descendants().toList();

        owner.destroyForcibly();

        await("both gone").until(() -> !keeper.isAlive() && children.stream().noneMatch(ProcessHandle::isAlive));
        script("down", folder.toString());
        assertThat(folder).doesNotExist();
    }

    private static String script(String... words) {
        String[] line = new String[words.length + 1];
        line[0] = Repository.script("apiserver").toString();
        System.arraycopy(words, 0, line, 1, words.length);
        return Command.of(line).within(Duration.ofMinutes(30)).run();
    }
}
