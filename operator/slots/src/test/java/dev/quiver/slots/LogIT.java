package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.AgentProcess;

/** The output of tasks, on the worker container's own stdout and stderr. */
class LogIT {
    private static final Geometry GEOMETRY = new Geometry(2, 8192, 8192);

    private static Assignment named(String name, String script) {
        return new Assignment("id", name, AgentPod.sh(script), Payload.none(), 1, 1, Optional.empty());
    }

    @Test
    void showsEachLineWithTheNameOfItsTask() {
        try (AgentPod pod = AgentPod.running(GEOMETRY)) {
            pod.acknowledge(pod.run(named("tests/a.py", "echo one; echo two; printf 'no end'; echo wrong >&2")));
            assertThat(pod.agent().stdout()).isEqualTo("[tests/a.py] one\n[tests/a.py] two\n[tests/a.py] no end\n");
            assertThat(pod.agent().stderr()).isEqualTo("[tests/a.py] wrong\n");
        }
    }

    @Test
    void doesNotFloodTheLogAndSaysHowMuchIsMissing() {
        try (AgentPod pod = AgentPod.running(GEOMETRY)) {
            SlotResult result = pod.run(named("loud", "yes 0123456789 | head -c 104857600"));
            assertThat(result.passed()).isTrue();
            assertThat(result.stdoutBytes()).isEqualTo(104857600L);
            String log = pod.agent().stdout();
            // What is shown at once, and what each second shows after it (see the agent's DESIGN.md).
            long most = 400_000 + 65_536 * (result.ran().toSeconds() + 1);
            assertThat((long) log.length()).isBetween(100_000L, most);
            assertThat(log.lines().allMatch(line -> line.startsWith("[loud] "))).isTrue();
            LongSummaryStatistics missing = Pattern.compile("quiver: (\\d+) bytes of output are not shown here")
                    .matcher(log)
                    .results()
                    .mapToLong(match -> Long.parseLong(match.group(1)))
                    .summaryStatistics();
            long shown = log.lines().filter(line -> !line.contains("quiver:")).count() * 11;
            // A line's end is not counted where the log fell silent in its middle; a slow machine does so more often.
            long ends = missing.getCount();
            assertThat(missing.getSum() + shown).isBetween(104857600L - 11 - ends, 104857600L + 11);
        }
    }

    @Test
    void cutsLongLinesAndKeepsCountOfTheRest() {
        try (AgentPod pod = AgentPod.running(GEOMETRY)) {
            pod.run(named("long", "head -c 5000 /dev/zero | tr '\\0' x; echo; echo short"));
            assertThat(pod.agent().stdout().lines().map(String::length)).first().isEqualTo(7 + 1024);
            assertThat(pod.agent().stdout()).contains("3976 bytes of output").endsWith("[long] short\n");
        }
    }

    @Test
    void isNotHeldUpByALogThatNobodyReads() throws IOException {
        try (AgentPod pod = AgentPod.bare(GEOMETRY)) {
            pod.startBoard(BoardConfig.Start.FRESH);
            // Its stdout is a pipe whose other end is never read here.
            ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", AgentProcess.BINARY + " run | sleep 3600");
            pod.startAgent(builder);
            pod.awaitAllReady();
            for (int i = 0; i < 3; i++) {
                SlotResult result = pod.run(named("unread", "yes | head -c 1000000"));
                assertThat(result.passed()).isTrue();
                pod.acknowledge(result);
            }
            pod.agent().handle().descendants().forEach(ProcessHandle::destroyForcibly);
            await().until(() -> pod.agent().handle().descendants().findAny().isEmpty());
        }
    }

    @Test
    void installsItselfAndTellsItsVersion() throws Exception {
        try (AgentPod pod = AgentPod.bare(GEOMETRY)) {
            Process install = new ProcessBuilder(
                            AgentProcess.BINARY, "install", pod.root().toString())
                    .start();
            assertThat(install.waitFor()).isZero();
            assertThat(pod.root().resolve("libquiver.so"))
                    .hasSameBinaryContentAs(AgentProcess.BUILD.resolve("libquiver.so"));
            Process version =
                    new ProcessBuilder(pod.root().resolve("quiver-agent").toString(), "version").start();
            try (InputStream said = version.getInputStream()) {
                assertThat(new String(said.readAllBytes(), StandardCharsets.UTF_8))
                        .matches("quiver-agent \\d+\\.\\d+\\.\\d+\\S*, slots 1\\.4\n");
            }
        }
    }
}
