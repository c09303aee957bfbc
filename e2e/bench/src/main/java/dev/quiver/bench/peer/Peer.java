package dev.quiver.bench.peer;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Another queue at work: a process that obeys one command a line and answers each with one line of JSON. The process
 * ends with the harness, which closes its standard input. For one thread.
 */
public final class Peer implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final InstalledPeer installed;
    private final Process process;
    private final BufferedWriter commands;
    private final BufferedReader answers;

    /**
     * The work done within a window.
     *
     * @param done tasks whose function was entered
     * @param seconds length of the window
     * @param left tasks that were still waiting afterwards; with none, the peer ran dry
     */
    public record Window(long done, double seconds, long left) {
        /** Tasks a second. */
        public double rate() {
            return done / seconds;
        }
    }

    /**
     * Times until a start.
     *
     * @param sent number of starts that had to come; more than {@code micros} when some did not in time
     */
    public record Latencies(long sent, List<Long> micros) {}

    private Peer(InstalledPeer installed, Process process) {
        this.installed = installed;
        this.process = process;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /**
     * Starts a peer and waits until it is ready.
     *
     * @param fillPort Redis without delay
     * @param workPort Redis as the worker sees it
     */
    public static Peer start(InstalledPeer installed, int fillPort, int workPort) throws IOException {
        List<String> command = installed.command(fillPort, workPort);
        Process process = new ProcessBuilder(command)
                .directory(installed.folder().toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Peer peer = new Peer(installed, process);
        peer.answer("start");
        return peer;
    }

    /** The name in the figures. */
    public String name() {
        return installed.name();
    }

    /** Tasks a second that it takes, before it was measured. */
    public double guess() {
        return installed.guess();
    }

    /** From now on tasks of this shape are filled: {@code single}, {@code chains} or {@code groups}. */
    public void shape(String shape) throws IOException {
        ask("shape " + shape);
    }

    /** Makes sure that so many tasks wait, and returns their number. */
    public long fill(long tasks) throws IOException {
        return ask("fill " + tasks).get("waiting").asLong();
    }

    /** Works with a concurrency; leaves nothing running. */
    public Window run(int concurrency, Duration warmUp, Duration window) throws IOException {
        JsonNode it = ask("run " + concurrency + " " + warmUp.toMillis() + " " + window.toMillis());
        return new Window(
                it.get("done").asLong(),
                it.get("seconds").asDouble(),
                it.get("left").asLong());
    }

    /**
     * Enqueues at random intervals while it works, and returns how long each task waited for its start.
     *
     * @param apart whether a process of its own enqueues
     */
    public Latencies latency(int concurrency, int perSecond, Duration work, Duration time, boolean apart)
            throws IOException {
        return latencies("latency " + concurrency + " " + perSecond + " " + work.toMillis() + " " + time.toSeconds()
                + (apart ? " apart" : ""));
    }

    /** The same with flows of so many steps: how long after the end of a step the next one started. */
    public Latencies steps(int concurrency, int flowsPerSecond, Duration work, Duration time, int steps)
            throws IOException {
        return latencies("steps " + concurrency + " " + flowsPerSecond + " " + work.toMillis() + " " + time.toSeconds()
                + " " + steps);
    }

    private Latencies latencies(String command) throws IOException {
        JsonNode it = ask(command);
        return new Latencies(
                it.get("sent").asLong(),
                StreamSupport.stream(it.get("micros").spliterator(), false)
                        .map(JsonNode::asLong)
                        .toList());
    }

    /** Removes its queue. */
    public void clear() throws IOException {
        ask("clear");
    }

    private JsonNode ask(String command) throws IOException {
        commands.write(command + "\n");
        commands.flush();
        return answer(command);
    }

    private JsonNode answer(String command) throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException(name() + " ended at: " + command);
        }
        JsonNode answer = JSON.readTree(line);
        if (answer.has("error")) {
            throw new IOException(name() + " failed at: " + command + ": "
                    + answer.get("error").asText());
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        commands.close();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
