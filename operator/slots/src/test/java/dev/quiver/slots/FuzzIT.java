package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import dev.quiver.slots.rig.AgentProcess;

/** The agent's readers of foreign bytes under libFuzzer, for seconds each: what it finds within them is found here. */
@ResourceLock(value = Machine.PROCESSORS, mode = ResourceAccessMode.READ)
class FuzzIT {
    private static final List<String> READERS = List.of("command", "control", "turn", "packet", "batch", "parquet");

    /** A program's exit code and all that it said. */
    private record Run(int exit, String words) {}

    @Test
    @Timeout(900)
    void readersInCFindNothingInGeneratedBytesThatEndsThem() throws Exception {
        Run tools = make("fuzz-tools");
        Assumptions.assumeTrue(tools.exit() == 0, tools.words());
        Run fuzz = make("fuzz", "FUZZ_SECONDS=3");
        assertThat(fuzz.exit()).as(fuzz.words()).isZero();
        assertThat(READERS)
                .allSatisfy(reader -> assertThat(fuzz.words()).containsPattern("fuzz " + reader + ": runs [1-9]"));
    }

    private static Run make(String... goals) throws IOException, InterruptedException {
        Path agent = AgentProcess.BUILD.getParent();
        List<String> command = new ArrayList<>(List.of("make", "-s", "--no-print-directory", "-C", agent.toString()));
        command.addAll(List.of(goals));
        Process make = new ProcessBuilder(command).redirectErrorStream(true).start();
        String words = new String(make.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(make.waitFor(), words.strip());
    }
}
