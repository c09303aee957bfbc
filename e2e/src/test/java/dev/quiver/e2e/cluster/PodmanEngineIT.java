package dev.quiver.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** That an engine runs containers, and that nothing of it stays when it ends, however it ends. */
class PodmanEngineIT {

    @BeforeAll
    static void canRunHere() {
        List<String> missing = Engine.missing();
        Assumptions.assumeTrue(missing.isEmpty(), () -> "missing: for podman's service, " + String.join(", ", missing));
    }

    @Test
    void containersOutliveTheKilledServiceAndNothingIsLeftWhenTheEngineIsDown() throws IOException {
        List<String> machine = Engine.machine();
        Engine engine = Engine.start("down", ProcessHandle.current());
        String link = engine.link();
        try {
            URI page = serve(engine);
            await().untilAsserted(() -> assertThat(read(page)).isEqualTo("hello"));
            assertThat(Engine.machine()).as("none of it is the machine's").isEqualTo(machine);
            assertThat(Leftovers.of(engine.folder(), link)).anyMatch(it -> it.contains("httpd"));

            ProcessHandle service = service(engine);
            service.destroyForcibly();
            await().until(() -> !service.isAlive());
            await().untilAsserted(() ->
                    assertThat(engine.podman("ps", "--format", "{{.Names}}")).isEqualTo("web"));
            assertThat(read(page)).isEqualTo("hello");
        } finally {
            engine.close();
        }
        assertThat(Leftovers.of(engine.folder(), link)).isEmpty();
        assertThat(Engine.machine()).isEqualTo(machine);
    }

    @Test
    void killedOwnerLeavesNothing() throws Exception {
        Process owner = new ProcessBuilder("sleep", "infinity").start();
        Engine engine = Engine.start("owned", owner.toHandle());
        String link = engine.link();
        serve(engine);
        owner.destroyForcibly().waitFor();
        await("everything gone")
                .untilAsserted(
                        () -> assertThat(Leftovers.of(engine.folder(), link)).isEmpty());
    }

    /** With the watcher nobody is left who would notice the owner's end: that is left to the next start. */
    @Test
    void nextStartTakesAwayWhatOwnerAndWatcherLeftWhenBothWereKilled() throws Exception {
        Process owner = new ProcessBuilder("sleep", "infinity").start();
        Engine engine = Engine.start("left", owner.toHandle());
        String link = engine.link();
        ProcessHandle watcher = engine.process("watch");
        URI page = serve(engine);
        watcher.destroyForcibly();
        await().until(() -> !watcher.isAlive());
        owner.destroyForcibly().waitFor();
        try {
            await().untilAsserted(() -> assertThat(read(page)).isEqualTo("hello"));
        } finally {
            Engine.sweep();
        }
        assertThat(Leftovers.of(engine.folder(), link)).isEmpty();
    }

    /** Starts a container with a server of pages and returns where its page is. */
    private static URI serve(Engine engine) {
        engine.load(Images.archives("busybox"));
        engine.podman(
                "run",
                "--detach",
                "--name=web",
                "--publish=8080",
                "--privileged",
                "docker.io/library/busybox:1.35",
                "sh",
                "-c",
                "mkdir /pages && echo hello > /pages/page && exec httpd -f -p 8080 -h /pages");
        String port = engine.podman("port", "web").replaceFirst(".*:", "");
        return URI.create("http://" + engine.address() + ":" + port + "/page");
    }

    private static String read(URI page) throws IOException {
        try (var in = page.toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    private static ProcessHandle service(Engine engine) {
        String socket = "unix://" + engine.folder().resolve("podman.sock");
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .commandLine()
                        .filter(line -> line.startsWith("podman ") || line.contains("/podman "))
                        .filter(line -> line.contains(" system service ") && line.endsWith(socket))
                        .isPresent())
                .findAny()
                .orElseThrow();
    }
}
