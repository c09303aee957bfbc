package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.Signals;

/** One command after the other through the real agent. */
class CommandIT {
    private static AgentPod pod;
    private SlotResult last;

    @BeforeAll
    static void start() {
        pod = AgentPod.running(new Geometry(1, 64 * 1024, 64 * 1024), Map.of("OWN", "container", "BOTH", "container"));
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    @AfterEach
    void acknowledge() {
        if (last != null) {
            pod.acknowledge(last);
        }
    }

    private SlotResult run(Command command) {
        last = pod.run(command);
        return last;
    }

    private SlotResult shell(String script) {
        return run(AgentPod.sh(script));
    }

    @Test
    void passesWhenTheCommandExitsWithZero() {
        SlotResult result = run(Command.of("true"));
        assertThat(result.passed()).isTrue();
        assertThat(result.reason()).isEqualTo(Reason.NONE);
        assertThat(result.exitCode()).isZero();
        assertThat(result.started()).isTrue();
        assertThat(result.ran()).isPositive();
    }

    @Test
    void tellsTheExitCode() {
        SlotResult result = shell("echo last words >&2; exit 42");
        assertThat(result.passed()).isFalse();
        assertThat(result.reason()).isEqualTo(Reason.NON_ZERO_EXIT);
        assertThat(result.exitCode()).isEqualTo(42);
        assertThat(pod.board().lastWords(result, 512)).isEqualTo("last words");
    }

    @Test
    void tellsTheSignal() {
        SlotResult result = shell("kill -SEGV $$");
        assertThat(result.reason()).isEqualTo(Reason.SIGNALLED);
        assertThat(result.signal()).isEqualTo(11);
        assertThat(result.exitCode()).isEqualTo(-1);
        assertThat(pod.board().lastWords(result, 512)).contains("signal 11");
    }

    @Test
    void saysThatTheCommandWasNotFound() {
        SlotResult result = run(Command.of("no-such-program"));
        assertThat(result.reason()).isEqualTo(Reason.COMMAND_NOT_FOUND);
        assertThat(pod.board().lastWords(result, 512)).isEqualTo("no-such-program: not found in PATH");
    }

    @Test
    void saysThatTheInterpreterIsMissing() throws Exception {
        Path script = script("#!/no/such/interpreter\n", "rwxr-xr-x");
        SlotResult result = run(Command.of(script.toString()));
        assertThat(result.reason()).isEqualTo(Reason.COMMAND_NOT_FOUND);
        assertThat(result.message()).contains("interpreter");
    }

    @Test
    void saysThatTheCommandMayNotBeExecuted() throws Exception {
        Path script = script("#!/bin/sh\n", "rw-r--r--");
        SlotResult result = run(Command.of(script.toString()));
        assertThat(result.reason()).isEqualTo(Reason.PERMISSION_DENIED);
    }

    @Test
    void saysThatTheFileIsNoProgram() throws Exception {
        Path script = script("just text\n", "rwxr-xr-x");
        assertThat(run(Command.of(script.toString())).reason()).isEqualTo(Reason.NOT_EXECUTABLE);
    }

    @Test
    void saysThatTheWorkingDirectoryIsMissing() {
        SlotResult result = run(Command.of("true").in("/no/such/folder"));
        assertThat(result.reason()).isEqualTo(Reason.BAD_WORKING_DIRECTORY);
        assertThat(result.message()).contains("/no/such/folder");
    }

    @Test
    void startsInTheWorkingDirectory() {
        shell("true");
        acknowledge();
        last = pod.run(AgentPod.sh("pwd").in("/usr/share"));
        assertThat(pod.stdout(last)).isEqualTo("/usr/share\n");
    }

    @Test
    void passesArgumentsByteForByte() {
        List<String> argv = List.of("printf", "%s|", "", "two words", "grün ∀ 🏹", "a\nb", "$(x) \"'\\");
        SlotResult result = run(new Command(argv, Map.of(), Optional.empty(), Duration.ZERO));
        assertThat(pod.stdout(result)).isEqualTo("|two words|grün ∀ 🏹|a\nb|$(x) \"'\\|");
    }

    @Test
    void passesTheEnvironmentOnTopOfTheContainersOwn() {
        Map<String, String> env = new LinkedHashMap<>();
        env.put("BOTH", "task");
        env.put("EMPTY", "");
        env.put("TEXT", "grün = 🏹");
        env.put("QUIVER_SLOT", "forged");
        Command command = AgentPod.sh("printf '%s|' \"$OWN\" \"$BOTH\" \"${EMPTY-unset}\" \"$TEXT\" \"$QUIVER_SLOT\"")
                .withEnv(env);
        assertThat(pod.stdout(run(command))).isEqualTo("container|task||grün = 🏹|0|");
    }

    @Test
    void findsTheProgramInTheTasksOwnPath() throws Exception {
        Path script = script("#!/bin/sh\necho mine\n", "rwxr-xr-x");
        Command command =
                Command.of(script.getFileName().toString()).withEnv(Map.of("PATH", "/nowhere:" + script.getParent()));
        assertThat(pod.stdout(run(command))).isEqualTo("mine\n");
    }

    @Test
    void givesThePayloadAsAFileOfItsLength() {
        last = given("cat $QUIVER_INPUT; echo; stat -Lc %s $QUIVER_INPUT; echo $QUIVER_INPUT_LENGTH", "payload ∀");
        assertThat(pod.stdout(last)).isEqualTo("payload ∀\n11\n11\n");
    }

    @Test
    void inputIsOneDocumentAfterALongerOneInTheSameSlot() {
        String read = "import json, os; print(json.load(open(os.environ['QUIVER_INPUT'])))";
        for (String list : List.of("[" + "1,".repeat(20_000) + "1]", "[2,3]", "7")) {
            last = given("python3 -c \"" + read + "\"", list);
            assertThat(pod.stdout(last).strip()).endsWith(list.substring(list.length() - 1));
            assertThat(last.passed()).as(last.message()).isTrue();
            pod.acknowledge(last);
        }
        last = pod.run(
                Assignment.of("t", AgentPod.sh("python3 -c \"" + read + "\" 2>/dev/null || wc -c < $QUIVER_INPUT")));
        assertThat(pod.stdout(last).strip()).as("without an input").isEqualTo("0");
    }

    @Test
    void inputIsThereForProcessesThatCloseTheirDescriptorsAndCannotBeChanged() {
        last = given(
                "python3 -c \"import subprocess; subprocess.run('cat < $QUIVER_INPUT', shell=True, close_fds=True)\";"
                        + " printf x 2>/dev/null >> $QUIVER_INPUT || printf ' refused'",
                "[1]");
        assertThat(pod.stdout(last)).isEqualTo("[1] refused");
    }

    @Test
    void inputIsThereAfterATaskTookItsNameAway() {
        last = given("rm $QUIVER_INPUT; mkdir $QUIVER_INPUT; touch $QUIVER_INPUT/mine", "[1]");
        pod.acknowledge(last);
        last = given("cat $QUIVER_INPUT", "[2]");
        assertThat(pod.stdout(last)).isEqualTo("[2]");
    }

    private static SlotResult given(String program, String payload) {
        return pod.run(Assignment.of("t", AgentPod.sh(program))
                .with(Payload.bytes(payload.getBytes(java.nio.charset.StandardCharsets.UTF_8))));
    }

    @Test
    void refusesWhatDoesNotFitIntoTheInputWithBothSizes() {
        Dispatch dispatch =
                pod.board().dispatch(0, Assignment.of("t", Command.of("true")).with(Payload.bytes(new byte[65536])));
        assertThat(dispatch).isInstanceOf(Dispatch.TooLarge.class);
        assertThat(((Dispatch.TooLarge) dispatch).inputBytes()).isEqualTo(65536);
        assertThat(((Dispatch.TooLarge) dispatch).neededBytes()).isGreaterThan(65536);
    }

    @Test
    void refusesWhatNoProcessCanBeGiven() {
        assertThat(pod.board().dispatch(0, Assignment.of("t", Command.of("echo", "a\0b"))))
                .isEqualTo(new Dispatch.Invalid("command[1] has a NUL character: no process can be given one"));
    }

    @Test
    void returnsTheOutputThatTheTaskWrote() {
        SlotResult result = shell("printf 'grün' > $QUIVER_OUTPUT");
        assertThat(result.output().bytes()).isEqualTo(5);
        assertThat(pod.output(result)).isEqualTo("grün");
    }

    @Test
    void returnsTheOutputThatTheTaskMovedIntoPlace() {
        SlotResult result = shell("echo moved > $QUIVER_OUTPUT.tmp; mv $QUIVER_OUTPUT.tmp $QUIVER_OUTPUT");
        assertThat(pod.output(result)).isEqualTo("moved\n");
    }

    @Test
    void startsEachTaskWithAnEmptyOutput() {
        shell("echo first > $QUIVER_OUTPUT");
        acknowledge();
        SlotResult second = shell("true");
        assertThat(second.output().bytes()).isZero();
        assertThat(pod.output(second)).isEmpty();
    }

    @Test
    void saysBothSizesWhenTheOutputIsTooLarge() {
        SlotResult result = shell("head -c 70000 /dev/zero > $QUIVER_OUTPUT");
        assertThat(result.reason()).isEqualTo(Reason.OUTPUT_TOO_LARGE);
        assertThat(result.message()).contains("70000").contains("65536");
    }

    @Test
    void refusesAnOutputThatIsNotAPlainFile() {
        SlotResult result = shell("rm $QUIVER_OUTPUT; ln -s /etc/passwd $QUIVER_OUTPUT");
        assertThat(result.reason()).isEqualTo(Reason.OUTPUT_INVALID);
        acknowledge();
        assertThat(shell("test ! -L $QUIVER_OUTPUT && test ! -s $QUIVER_OUTPUT").passed())
                .isTrue();
    }

    @Test
    void endsACommandAtItsDeadline() {
        endsWith(15, Assignment.of("t", Command.of("sleep", "3600")), Duration.ofMillis(200));
        assertThat(last.reason()).isEqualTo(Reason.TIMED_OUT);
        assertThat(last.signal()).isEqualTo(15);
    }

    @Test
    void killsACommandThatIgnoresTermAfterItsGrace() {
        Command deaf = AgentPod.sh("trap '' TERM; echo deaf; while :; do sleep 1; done")
                .withGrace(Duration.ofMillis(300));
        endsWith(9, Assignment.of("t", deaf), Duration.ofMillis(300));
        assertThat(last.reason()).isEqualTo(Reason.TIMED_OUT);
        assertThat(last.signal()).isEqualTo(9);
        assertThat(last.waited().plus(last.ran())).isGreaterThan(Duration.ofMillis(500));
    }

    /** Runs it within the limit, or where the machine was too slow to begin it in time within ten times as much. */
    private void endsWith(int signal, Assignment assignment, Duration limit) {
        last = pod.run(assignment.within(limit));
        if (last.signal() != signal) {
            acknowledge();
            last = pod.run(assignment.within(limit.multipliedBy(10)));
        }
    }

    @Test
    void keepsTheEndOfALongOutput() {
        SlotResult result = shell("head -c 104857600 /dev/zero | tr '\\0' x; echo; echo the end");
        assertThat(result.passed()).isTrue();
        assertThat(result.stdoutBytes()).isEqualTo(104857600L + 9);
        assertThat(pod.stdout(result)).hasSize(Geometry.TAIL_BYTES).endsWith("x\nthe end\n");
    }

    @Test
    void accountsForProcessorTimeAndMemory() {
        SlotResult result = shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
        assertThat(result.cpu()).isGreaterThan(Duration.ofMillis(10));
        assertThat(result.maxRssBytes()).isBetween(100_000L, 100_000_000L);
    }

    @Test
    void leavesNothingOfAProcessTreeThatHidesInSessionsOfItsOwn() {
        String seconds = Signals.unique();
        SlotResult result = shell("""
                for i in 1 2 3; do setsid sh -c 'sh -c "exec sleep SECONDS" & exec sleep SECONDS' & done
                (setsid sleep SECONDS </dev/null >/dev/null 2>&1 &) &
                sleep 0.1; exit 0""".replace("SECONDS", seconds));
        assertThat(result.passed()).isTrue();
        assertThat(Signals.running("sleep", seconds)).isZero();
    }

    @Test
    void leavesNothingOfAChainThatForksAndExits() {
        String chain = "chain-" + Signals.unique();
        SlotResult result = shell("""
                cat > /dev/shm/quiver-chain.$$ <<'E'
                sleep 0.001
                sh "$0" CHAIN &
                E
                sh /dev/shm/quiver-chain.$$ CHAIN &
                sleep 0.2; rm /dev/shm/quiver-chain.$$; exit 0""".replace("CHAIN", chain));
        assertThat(result.passed()).isTrue();
        assertThat(Signals.running(chain)).isZero();
    }

    private static Path script(String text, String permissions) throws Exception {
        Path script = Files.createTempFile(pod.root(), "script", ".sh");
        Files.writeString(script, text);
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString(permissions));
    }
}
