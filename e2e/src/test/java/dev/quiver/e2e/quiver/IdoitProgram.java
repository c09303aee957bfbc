package dev.quiver.e2e.quiver;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.Repository;

/** A program with npm's idoit 4.0.0 from the registry, unchanged: the one that lifecycle's tests drive ({@code npm.js}). */
public final class IdoitProgram implements AutoCloseable {

    private static final Path SOURCES = Repository.root().resolve("operator/lifecycle/src/test/resources/idoit");
    private static final Path FOLDER = Path.of("target/npm-idoit").toAbsolutePath();
    private static final Duration TO_START = Duration.ofMinutes(1);
    private static final JsonMapper JSON = new JsonMapper();

    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter calls;

    private IdoitProgram(Process process) {
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.calls = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Creates tasks under a prefix of a Redis and works at these pools. */
    public static IdoitProgram start(String url, String prefix, String... pools) {
        try {
            install();
            List<String> words = Stream.concat(
                            Stream.of("node", FOLDER.resolve("npm.js").toString(), url, prefix, "start"),
                            Stream.of(pools))
                    .toList();
            IdoitProgram program = new IdoitProgram(new ProcessBuilder(words)
                    .redirectError(FOLDER.resolve("errors.log").toFile())
                    .start());
            program.awaitReady();
            return program;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A program that Redis does not let in tries again for ever, in silence. */
    private void awaitReady() throws IOException {
        try {
            Awaitility.await("npm's program is ready").atMost(TO_START).until(answers::ready);
        } catch (ConditionTimeoutException e) {
            close();
            throw new IOException("npm's program has not started: " + errors(), e);
        }
        answer();
    }

    private static synchronized void install() throws IOException {
        Files.createDirectories(FOLDER);
        for (String file : List.of("package.json", "npm.js")) {
            Files.copy(SOURCES.resolve(file), FOLDER.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
        Command.of("npm", "install", "--prefix", FOLDER.toString(), "--omit=dev", "--ignore-scripts", "--no-audit")
                .run();
    }

    /** Creates the tree of a JSON text and returns the id of its root. */
    public String run(String tree) {
        return call("{\"verb\": \"run\", \"tree\": " + tree + "}").textValue();
    }

    /** Waits until a task has ended, and returns it with its result or error. */
    public JsonNode awaitFinished(String id) {
        return Awaitility.await("npm finds " + id + " finished")
                .until(
                        () -> call("{\"verb\": \"get\", \"id\": \"" + id + "\"}"),
                        task -> "finished".equals(task.path("state").textValue()));
    }

    private JsonNode call(String call) {
        try {
            calls.write(call.replace("\n", " "));
            calls.newLine();
            calls.flush();
            JsonNode answer = answer();
            if (answer.has("error")) {
                throw new IllegalStateException(answer.get("error").textValue());
            }
            return answer.get("value");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private JsonNode answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("npm's program ended: " + errors());
        }
        return JSON.readTree(line);
    }

    private static String errors() throws IOException {
        return Files.readString(FOLDER.resolve("errors.log"), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
