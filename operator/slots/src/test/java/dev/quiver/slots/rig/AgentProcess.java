package dev.quiver.slots.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The real agent as a child process; its stdout and stderr go to files beside the volumes. */
public final class AgentProcess implements AutoCloseable {
    public static final Path BUILD =
            Path.of("../../worker-image/agent/build").toAbsolutePath().normalize();

    /** The example of a handler in C, which serves "upper" and "count". */
    public static final String EXAMPLE = BUILD.resolve("example").toString();

    private final Process process;
    private final Path stdout;
    private final Path stderr;

    private AgentProcess(Process process, Path stdout, Path stderr) {
        this.process = process;
        this.stdout = stdout;
        this.stderr = stderr;
    }

    /** With the words of a handler's command, or none. */
    public static AgentProcess start(Path in, Path out, Path logs, Map<String, String> env, String... handler) {
        List<String> words =
                new ArrayList<>(List.of(BUILD.resolve("quiver-agent").toString(), "run"));
        if (handler.length > 0) {
            words.add("--");
            words.addAll(List.of(handler));
        }
        return start(new ProcessBuilder(words), in, out, logs, env);
    }

    public static AgentProcess start(ProcessBuilder builder, Path in, Path out, Path logs, Map<String, String> env) {
        try {
            Files.createDirectories(logs);
            Path stdout = Files.createTempFile(logs, "stdout", ".log");
            Path stderr = Files.createTempFile(logs, "stderr", ".log");
            Map<String, String> environment = new HashMap<>(env);
            environment.put("QUIVER_IN", in.toString());
            environment.put("QUIVER_OUT", out.toString());
            environment.putIfAbsent("QUIVER_DRAIN_SECONDS", "0");
            environment.putIfAbsent("PATH", System.getenv("PATH"));
            builder.environment().clear();
            builder.environment().putAll(environment);
            builder.redirectOutput(ProcessBuilder.Redirect.appendTo(stdout.toFile()));
            builder.redirectError(ProcessBuilder.Redirect.appendTo(stderr.toFile()));
            return new AgentProcess(builder.start(), stdout, stderr);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public ProcessHandle handle() {
        return process.toHandle();
    }

    /** TERM: drain. */
    public void terminate() {
        process.destroy();
    }

    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    public int awaitEnd() {
        try {
            if (!process.waitFor(Patience.LIMIT)) {
                process.destroyForcibly();
                throw new AssertionError("the agent did not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public String stdout() {
        return read(stdout);
    }

    public String stderr() {
        return read(stderr);
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        // TERM, with a drain of no seconds: what still runs is ended with its whole tree. Outside of a container a KILL
        // would leave that to the next agent.
        if (process.isAlive()) {
            process.destroy();
            awaitEnd();
        }
    }
}
