package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.quiver.slots.Assignment;
import dev.quiver.slots.BoardConfig;
import dev.quiver.slots.FileRead;
import dev.quiver.slots.Geometry;
import dev.quiver.slots.HandOver;
import dev.quiver.slots.HandlerCall;
import dev.quiver.slots.Payload;
import dev.quiver.slots.SlotBoard;
import dev.quiver.slots.SlotEvent;
import dev.quiver.slots.SlotResult;
import dev.quiver.slots.TaskStream;

/** A supervisor's board, the real agent and handler processes of one command, on this machine. */
public final class HandlerPod implements AutoCloseable {
    static final Path REPOSITORY = Path.of("../../..").toAbsolutePath().normalize();

    /** A cancel that the promise holds for. */
    static final Duration QUICK = Duration.ofMillis(100);

    private static final Path AGENT = REPOSITORY.resolve("worker-image/agent/build/quiver-agent");
    /** Ends a test that hangs; says nothing about how quick anything is. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** How often what takes a quick machine is tried: the agent gives a function 50 ms to stop, and kills it after them. */
    static final int TRIES = 50;

    private final Path root;
    private final LinkedBlockingDeque<SlotEvent> events = new LinkedBlockingDeque<>();
    private final SlotBoard board;
    private final Process agent;
    final List<String> names;

    private HandlerPod(Geometry geometry, List<String> command, Map<String, String> env) throws IOException {
        root = Files.createTempDirectory(Path.of("/dev/shm"), "quiver-sdk-it");
        Path in = Files.createDirectory(root.resolve("in"));
        Path out = Files.createDirectory(root.resolve("out"));
        board = SlotBoard.open(BoardConfig.fresh(in, out, geometry, "it/worker-0"), events::add);
        List<String> words = new ArrayList<>(List.of(AGENT.toString(), "run", "--"));
        words.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().putAll(env);
        builder.environment()
                .putAll(Map.of("QUIVER_IN", in.toString(), "QUIVER_OUT", out.toString(), "QUIVER_DRAIN_SECONDS", "0"));
        builder.redirectErrorStream(true).redirectOutput(log().toFile());
        agent = builder.start();
        names = await(SlotEvent.HandlersAnnounced.class, event -> true).names();
    }

    public static HandlerPod start(Geometry geometry, List<String> command, Map<String, String> env) {
        try {
            return new HandlerPod(geometry, command, env);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    long handOver(Assignment assignment) {
        HandOver handOver = board.handOver(0, assignment);
        assertThat(handOver).isInstanceOf(HandOver.Handed.class);
        return ((HandOver.Handed) handOver).generation();
    }

    /** What came of the function in slot 0; not yet acknowledged. */
    public SlotResult run(String handler, Payload input) {
        return run(Assignment.of("it/task", HandlerCall.of(handler)).with(input));
    }

    public SlotResult run(Assignment assignment) {
        handOver(assignment);
        return await(SlotEvent.Finished.class, event -> true).result();
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

    public void acknowledge(SlotResult result) {
        assertThat(board.acknowledge(result.slot(), result.generation())).isTrue();
        await(SlotEvent.Ready.class, ready -> ready.slot() == result.slot());
    }

    /** From the call to the moment when the slot is free again. */
    Duration cancel(long generation) {
        long began = System.nanoTime();
        assertThat(board.cancel(0, generation)).isTrue();
        await(SlotEvent.Cancelled.class, event -> true);
        await(SlotEvent.Ready.class, event -> true);
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /**
     * The fastest of five cancels of a function that has printed the words, or of up to {@link #TRIES} until one is
     * quick; each time it begins anew. The best one counts: a machine that is busy with something else says nothing about
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
        long generation = handOver(Assignment.of("it/" + handler, HandlerCall.of(handler)));
        awaitPrinted(printed -> printed.split(words, -1).length > times);
        return cancel(generation);
    }

    public byte[] output(SlotResult result) {
        return bytes(board.output(result));
    }

    public String stderr(SlotResult result) {
        return new String(bytes(board.tail(result, TaskStream.STDERR)), StandardCharsets.UTF_8);
    }

    /** What agent and handlers have written. */
    String printed() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void awaitPrinted(Predicate<String> wanted) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!wanted.test(printed())) {
            assertThat(System.nanoTime())
                    .as("not what was waited for: " + printed())
                    .isLessThan(until);
            LockSupport.parkNanos(1_000_000);
        }
    }

    <E extends SlotEvent> E await(Class<E> kind, Predicate<E> wanted) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (true) {
                SlotEvent event = events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
                assertThat(event)
                        .as("no " + kind.getSimpleName() + " came; printed was: " + printed())
                        .isNotNull();
                if (kind.isInstance(event) && wanted.test(kind.cast(event))) {
                    return kind.cast(event);
                }
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Path log() {
        return root.resolve("log");
    }

    private static byte[] bytes(FileRead read) {
        assertThat(read).isInstanceOf(FileRead.Content.class);
        return ((FileRead.Content) read).bytes();
    }

    @Override
    public void close() {
        agent.destroy();
        try {
            if (!agent.waitFor(PATIENCE)) {
                agent.destroyForcibly();
            }
            board.close();
            try (Stream<Path> files = Files.walk(root)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
