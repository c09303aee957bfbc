package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.slots.rig.AgentPod;

/** All that a command prints, kept by the real agent. */
class WholeStreamIT {
    private static final int KIB = 64;

    private AgentPod pod;

    @BeforeEach
    void start() {
        pod = AgentPod.running(new Geometry(1, 64 * 1024, 64 * 1024));
    }

    @AfterEach
    void stop() {
        pod.close();
    }

    private SlotResult run(String script) {
        return pod.run(AgentPod.sh(script).keepingStreams(KIB));
    }

    private Optional<byte[]> stdout(SlotResult result) {
        try (WholeStream stream =
                pod.board().whole(result, TaskStream.STDOUT, KIB).orElse(null)) {
            return stream == null ? Optional.empty() : stream.read(0, (int) stream.bytes());
        }
    }

    private static byte[] lines(int from, int to) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (int line = from; line <= to; line++) {
            lines.writeBytes((line + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        return lines.toByteArray();
    }

    @Test
    void keepsWhatFitsByteByByte() {
        SlotResult result = run("printf 'a\\000\\377\\303'; seq 1 9999; echo words >&2");
        byte[] start = {'a', 0, (byte) 0xff, (byte) 0xc3};
        byte[] wanted = Arrays.copyOf(start, start.length + lines(1, 9999).length);
        System.arraycopy(lines(1, 9999), 0, wanted, start.length, lines(1, 9999).length);
        assertThat(stdout(result)).hasValueSatisfying(bytes -> assertThat(bytes).isEqualTo(wanted));
        try (WholeStream stderr =
                pod.board().whole(result, TaskStream.STDERR, KIB).orElseThrow()) {
            assertThat(stderr.read(2, 3))
                    .hasValueSatisfying(part -> assertThat(part).asString().isEqualTo("rds"));
            assertThat(stderr.read(4, 3)).as("beyond its end").isEmpty();
        }
    }

    @Test
    void keepsTheBeginningAndTheEndOfMoreThanTheBound() {
        SlotResult result = run("seq 1 200000");
        byte[] all = lines(1, 200_000);
        int limit = KIB * 1024;
        ByteArrayOutputStream wanted = new ByteArrayOutputStream();
        wanted.write(all, 0, limit / 2);
        wanted.writeBytes(WholeStream.mark(all.length, limit));
        wanted.write(all, all.length - limit / 2, limit / 2);
        assertThat(stdout(result)).hasValueSatisfying(bytes -> assertThat(bytes).isEqualTo(wanted.toByteArray()));
        try (WholeStream stream =
                pod.board().whole(result, TaskStream.STDOUT, KIB).orElseThrow()) {
            for (int at = limit / 2 - 40; at < limit / 2 + 200; at += 7) {
                byte[] part = stream.read(at, 50).orElseThrow();
                assertThat(part).isEqualTo(Arrays.copyOfRange(wanted.toByteArray(), at, at + 50));
            }
        }
    }

    @Test
    void isReadWhenTheSlotHasItsNextTask() throws Exception {
        SlotResult first = run("echo first");
        try (WholeStream stream =
                pod.board().whole(first, TaskStream.STDOUT, KIB).orElseThrow()) {
            pod.acknowledge(first);
            SlotResult second = run("echo second");
            assertThat(stream.read(0, 6))
                    .hasValueSatisfying(bytes -> assertThat(bytes).asString().isEqualTo("first\n"));
            assertThat(stdout(second))
                    .hasValueSatisfying(bytes -> assertThat(bytes).asString().isEqualTo("second\n"));
            assertThat(pod.board().whole(first, TaskStream.STDOUT, KIB))
                    .as("not that of another task")
                    .isEmpty();
            pod.acknowledge(second);
        }
        assertThat(file()).doesNotExist();
    }

    private Path file() {
        return pod.root().resolve("whole/task-0.stdout");
    }

    @Test
    void keepsNothingOfASilentStreamOrWhereNobodyAskedForIt() {
        SlotResult silent = run("true");
        assertThat(pod.board().whole(silent, TaskStream.STDOUT, KIB)).isEmpty();
        assertThat(file()).doesNotExist();
        pod.acknowledge(silent);
        SlotResult unasked = pod.run(AgentPod.sh("echo words"));
        assertThat(pod.board().whole(unasked, TaskStream.STDOUT, KIB)).isEmpty();
        assertThat(file()).doesNotExist();
    }

    @Test
    void takesNoFileThatTheTaskHasPutInItsPlace() {
        String[] deeds = {"rm $F", "rm $F; mkfifo $F", "rm $F; ln -s /etc/passwd $F", "rm $F; mkdir $F", ": > $F"};
        for (String deed : deeds) {
            // The line is in the file before the deed: the runner reads a pipe when it is written.
            SlotResult result = run("F=" + file() + "; echo a line; until test -s $F; do sleep 0.01; done; " + deed);
            assertThat(result.passed()).as(deed).isTrue();
            assertThat(stdout(result)).as(deed).isEmpty();
            pod.acknowledge(result);
        }
        SlotResult after = run("echo whole again");
        assertThat(stdout(after))
                .hasValueSatisfying(bytes -> assertThat(bytes).asString().isEqualTo("whole again\n"));
    }

    @Test
    void aDiskThatTakesNothingCostsTheTaskNothing() throws Exception {
        Files.delete(pod.root().resolve("whole"));
        SlotResult result = run("echo words");
        assertThat(result.passed()).isTrue();
        assertThat(stdout(result)).isEmpty();
        assertThat(pod.agent().stderr()).contains("slot 0: its stdout is not kept as a whole: No such file");
    }

    @Test
    void aFileThatBecomesShorterIsNotRead() throws Exception {
        SlotResult result = run("seq 1 9999");
        try (WholeStream stream =
                pod.board().whole(result, TaskStream.STDOUT, KIB).orElseThrow()) {
            Files.write(file(), new byte[10]);
            assertThat(stream.read(0, 20)).isEmpty();
        }
    }
}
