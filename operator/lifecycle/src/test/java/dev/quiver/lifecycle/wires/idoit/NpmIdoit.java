package dev.quiver.lifecycle.wires.idoit;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A process with npm's idoit 4.0.0 from the registry, unchanged; see {@code idoit/npm.js}. */
public final class NpmIdoit implements AutoCloseable {

    private static final Path FOLDER = Path.of("target/npm-idoit");

    private static final Duration TIMEOUT = Duration.ofMillis(1500);

    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter calls;

    private NpmIdoit(Process process) {
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.calls = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Installs it once for each build. */
    private static synchronized void install() throws IOException, InterruptedException {
        Files.createDirectories(FOLDER);
        for (String file : List.of("package.json", "npm.js")) {
            try (InputStream resource =
                    Objects.requireNonNull(NpmIdoit.class.getResourceAsStream("/idoit/" + file), file)) {
                byte[] wanted = resource.readAllBytes();
                Path copy = FOLDER.resolve(file);
                if (!Files.exists(copy) || !Arrays.equals(Files.readAllBytes(copy), wanted)) {
                    Files.write(copy, wanted);
                }
            }
        }
        if (Files.exists(FOLDER.resolve("node_modules/idoit/package.json"))) {
            return;
        }
        Process npm = new ProcessBuilder(
                        "npm",
                        "install",
                        "--omit=dev",
                        "--ignore-scripts",
                        "--no-package-lock",
                        "--no-audit",
                        "--no-fund")
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(npm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (npm.waitFor() != 0) {
            throw new IOException("npm install failed: " + output);
        }
    }

    /** Creates, reads and cancels, and works at nothing. */
    public static NpmIdoit idle(int port, String prefix) {
        return start(port, prefix, "idle", TIMEOUT, List.of());
    }

    /** Works at these pools. */
    public static NpmIdoit worker(int port, String prefix, String... pools) {
        return start(port, prefix, "start", TIMEOUT, List.of(pools));
    }

    /** The same with locks that last so long. */
    static NpmIdoit worker(int port, String prefix, Duration timeout, String... pools) {
        return start(port, prefix, "start", timeout, List.of(pools));
    }

    private static NpmIdoit start(int port, String prefix, String mode, Duration timeout, List<String> pools) {
        try {
            install();
            List<String> command = new ArrayList<>(List.of(
                    "node",
                    FOLDER.resolve("npm.js").toAbsolutePath().toString(),
                    "redis://127.0.0.1:" + port,
                    prefix,
                    mode));
            command.addAll(pools);
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(FOLDER.toFile())
                    .redirectError(ProcessBuilder.Redirect.appendTo(
                            FOLDER.resolve("errors.log").toFile()));
            builder.environment()
                    .put(
                            "NODE_PATH",
                            FOLDER.resolve("node_modules").toAbsolutePath().toString());
            builder.environment().put("IDOIT_TIMEOUT", Long.toString(timeout.toMillis()));
            NpmIdoit started = new NpmIdoit(builder.start());
            started.answer();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private JsonNode answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("npm's program ended");
        }
        return JsJson.read(line);
    }

    private JsonNode call(String verb, ObjectNode call) {
        try {
            calls.write(call.put("verb", verb).toString());
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

    private static ObjectNode arguments() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Creates a tree; returns the id of its root. */
    public String run(Spec tree) {
        return call("run", arguments().set("tree", tree.json())).textValue();
    }

    /** The same with a delay. */
    String postpone(Spec tree, int millis) {
        ObjectNode call = arguments().put("delay", millis);
        return call("postpone", call.set("tree", tree.json())).textValue();
    }

    JsonNode get(String id) {
        return call("get", arguments().put("id", id));
    }

    /** Cancels a tree. */
    public void cancel(String id) {
        call("cancel", arguments().put("id", id));
    }

    /** How often this process began a function for each task, by the ids of the tasks. */
    JsonNode runs() {
        return call("runs", arguments());
    }

    /** The value that JavaScript makes of a JSON text. */
    String stringify(String text) {
        return call("stringify", arguments().put("text", text)).textValue();
    }

    /** Stops the process where it is. */
    void pause() {
        signal("-STOP");
    }

    /** Lets it go on. */
    void resume() {
        signal("-CONT");
    }

    private void signal(String which) {
        try {
            new ProcessBuilder("kill", which, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Ends it as a crash would. */
    public void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
