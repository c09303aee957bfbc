package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.AgentProcess;

/** {@code quiver-agent slots}, as a person runs it in a worker's container. */
class InspectorIT {

    private record Said(int exitCode, String out, String err) {}

    private static Said inspect(Path in) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(AgentProcess.BINARY, "slots");
        builder.environment().put("QUIVER_IN", in.toString());
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Said(process.waitFor(), out, err);
    }

    private static void awaitRunning(AgentPod pod, int slot) {
        await().until(() -> pod.board().view(slot).equals(new SlotView.Seen(SlotState.RUNNING)));
    }

    @Test
    void showsWhatEachSlotIsDoing() throws Exception {
        try (AgentPod pod = AgentPod.serving(new Geometry(4, 8192, 8192), Map.of(), AgentProcess.TEST_HANDLER)) {
            pod.dispatch(
                    0,
                    new Assignment(
                            "id",
                            "default/set.7",
                            HandlerCall.of("obey"),
                            Payload.json("{\"a\": 1}"),
                            2,
                            3,
                            Optional.empty()));
            pod.dispatch(1, Assignment.of("nightly", Command.of("sleep", "1014")));
            SlotResult done = pod.finished(
                    2,
                    pod.dispatch(
                            2, Assignment.of("echo", HandlerCall.of("echo")).with(Payload.bytes(new byte[5]))));
            awaitRunning(pod, 0);
            awaitRunning(pod, 1);
            await().untilAsserted(() -> {
                Said said = inspect(pod.in());
                assertThat(said.exitCode()).as(said.err()).isZero();
                String[] lines = said.out().split("\n");
                assertThat(lines[0].split(" +"))
                        .containsExactly(
                                "SLOT",
                                "STATE",
                                "GEN",
                                "TASK",
                                "HANDLER/COMMAND",
                                "TRIAL",
                                "ELAPSED",
                                "IN",
                                "OUT",
                                "PROGRESS",
                                "PID",
                                "WORKER");
                assertThat(lines[1])
                        .matches("0 +running +1 +default/set.7 +obey +2/3 +[0-9.]+s +8 +- +[0-9]+/1000000 +[0-9]+"
                                + " +it/worker-0");
                assertThat(lines[2]).matches("1 +running +1 +nightly +sleep 1014 +1 +[0-9.]+s +0 +- +- +[0-9]+ +it.*");
                assertThat(lines[3]).matches("2 +complete +1 +echo +echo +1 +[0-9.]+s +5 +5 +- +[0-9]+ +it.*");
                assertThat(lines[4]).matches("3 +waiting +0 +- +- +- +- +- +- +- +- +-");
                assertThat(lines[lines.length - 1]).startsWith("handlers: echo, describe, ");
            });
            assertThat(pod.output(done)).hasSize(5);
        }
    }

    @Test
    void worksWhereThereAreOnlyCommands() throws Exception {
        try (AgentPod pod = AgentPod.running(new Geometry(1, 8192, 8192))) {
            Said said = inspect(pod.in());
            assertThat(said.exitCode()).as(said.err()).isZero();
            assertThat(said.out()).contains("waiting").doesNotContain("handlers:");
        }
    }

    @Test
    void saysThatThereIsNoAgent() throws Exception {
        try (AgentPod pod = AgentPod.bare(new Geometry(1, 8192, 8192))) {
            Said without = inspect(pod.in());
            assertThat(without.exitCode()).isEqualTo(1);
            assertThat(without.err()).contains("control: No such file or directory");
            pod.startBoard(BoardConfig.Start.FRESH);
            Said alone = inspect(pod.in());
            assertThat(alone.exitCode()).isEqualTo(1);
            assertThat(alone.err()).contains("no agent serves " + pod.in());
        }
    }
}
