package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;

import dev.quiver.slots.Assignment;
import dev.quiver.slots.Dispatch;
import dev.quiver.slots.FileRead;
import dev.quiver.slots.Geometry;
import dev.quiver.slots.HandlerCall;
import dev.quiver.slots.Outcome;
import dev.quiver.slots.Payload;
import dev.quiver.slots.SlotEvent;
import dev.quiver.slots.SlotResult;
import dev.quiver.slots.TaskStream;
import dev.quiver.slots.WholeStream;
import dev.quiver.slots.rig.AgentPod;

/** An {@link AgentPod} whose handlers are processes of one command, with calls and cancels of functions in slot 0. */
public final class HandlerPod implements AutoCloseable {
    /** A cancel that the promise holds for. */
    static final Duration QUICK = Duration.ofMillis(100);

    /** How often what takes a quick machine is tried: the agent gives a function 50 ms to stop, and kills it after them. */
    static final int TRIES = 50;

    private final AgentPod pod;

    private HandlerPod(AgentPod pod) {
        this.pod = pod;
    }

    public static HandlerPod start(Geometry geometry, List<String> command, Map<String, String> env) {
        return new HandlerPod(AgentPod.serving(geometry, env, command.toArray(String[]::new)));
    }

    /** The command of a JVM with this class, small and quick to start. */
    public static List<String> java(Class<?> main, boolean withArrow) {
        String path = Arrays.stream(
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                                .split(File.pathSeparator))
                .filter(entry -> entry.contains("sdk/java/target/")
                        || withArrow && entry.matches(".*(arrow|flatbuffers|jackson|slf4j|commons-codec).*"))
                .collect(Collectors.joining(File.pathSeparator));
        return List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                path,
                main.getName());
    }

    /** The functions that the handlers serve. */
    List<String> names() {
        return pod.names();
    }

    long dispatch(Assignment assignment) {
        return pod.dispatch(0, assignment);
    }

    /** The result of the function in slot 0; not yet acknowledged. */
    public SlotResult run(String handler, Payload input) {
        return run(Assignment.of("it/task", HandlerCall.of(handler)).with(input));
    }

    public SlotResult run(Assignment assignment) {
        return pod.run(assignment);
    }

    /**
     * The end of a dispatch of several tasks, acknowledged.
     *
     * @param outcomes of those that have an outcome: their outputs, or reason and message
     * @param whole whether one call took all that have none
     */
    record Together(List<String> outcomes, boolean whole, SlotResult result) {}

    /** The results of calls with these JSON texts in one dispatch. */
    Together together(String handler, String... inputs) {
        List<Assignment> calls = Arrays.stream(inputs)
                .map(input ->
                        Assignment.of("it/" + input, HandlerCall.of(handler)).with(Payload.json(input)))
                .toList();
        assertThat(pod.board().dispatch(0, calls)).isInstanceOf(Dispatch.Accepted.class);
        SlotEvent.Outcomes ended = pod.await(SlotEvent.Outcomes.class);
        SlotResult result = pod.await(SlotEvent.Finished.class).result();
        List<String> outcomes = ended.outcomes().stream()
                .map(outcome -> outcome.passed()
                        ? output(result, outcome)
                        : outcome.reason().word() + ": " + outcome.message())
                .toList();
        acknowledge(result);
        return new Together(outcomes, ended.whole(), result);
    }

    private String output(SlotResult result, Outcome outcome) {
        FileRead read = pod.board().output(result, outcome);
        assertThat(read).isInstanceOf(FileRead.Content.class);
        return new String(((FileRead.Content) read).bytes(), StandardCharsets.UTF_8);
    }

    /** The output of a function that passes, acknowledged. */
    byte[] done(String handler, Payload input) {
        SlotResult result = run(handler, input);
        assertThat(result.passed()).as(result + stderr(result)).isTrue();
        byte[] output = output(result);
        acknowledge(result);
        return output;
    }

    public String text(String handler, Payload input) {
        return new String(done(handler, input), StandardCharsets.UTF_8);
    }

    private static final int KIB = 64;

    /** The result of the function, all of whose output is kept; not yet acknowledged. */
    SlotResult printing(String handler, Payload input) {
        return run(Assignment.of("it/task", HandlerCall.of(handler).keepingStreams(KIB))
                .with(input));
    }

    /** All that it printed. */
    String all(SlotResult result, TaskStream stream) {
        try (WholeStream whole = pod.board().whole(result, stream, KIB).orElseThrow()) {
            return new String(whole.read(0, (int) whole.bytes()).orElseThrow(), StandardCharsets.UTF_8);
        }
    }

    public void acknowledge(SlotResult result) {
        pod.acknowledge(result);
    }

    /** From the call to the moment when the slot is free again. */
    Duration cancel(long generation) {
        long began = System.nanoTime();
        assertThat(pod.board().cancel(0, generation)).isTrue();
        pod.await(SlotEvent.Cancelled.class);
        pod.await(SlotEvent.Ready.class);
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /**
     * The fastest of five cancels of a function that has printed the words, or of up to {@link #TRIES} until one is
     * quick. Each time it begins anew. The best one counts: a machine that is busy with something else says nothing about
     * the worker.
     */
    Duration fastestCancel(String handler, String words) {
        Duration fastest = Duration.ofDays(1);
        for (int round = 1; round <= 5 || (round <= TRIES && fastest.compareTo(QUICK) >= 0); round++) {
            Duration took = cancelOnceItRuns(handler, words);
            fastest = took.compareTo(fastest) < 0 ? took : fastest;
        }
        return fastest;
    }

    /** How long the cancel of a function took that has printed the words. */
    Duration cancelOnceItRuns(String handler, String words) {
        int times = printed().split(words, -1).length;
        long generation = dispatch(Assignment.of("it/" + handler, HandlerCall.of(handler)));
        awaitPrinted(printed -> printed.split(words, -1).length > times);
        return cancel(generation);
    }

    public byte[] output(SlotResult result) {
        return pod.outputBytes(result);
    }

    public String stderr(SlotResult result) {
        return pod.stderr(result);
    }

    /** The text that agent and handlers have written. */
    String printed() {
        return pod.agent().stdout() + pod.agent().stderr();
    }

    void awaitPrinted(Predicate<String> wanted) {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(1))
                .untilAsserted(() -> assertThat(printed()).matches(wanted));
    }

    @Override
    public void close() {
        pod.close();
    }
}
