package dev.quiver.slots.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Assumptions;

/** The real agent as a child process; its stdout and stderr go to files beside the volumes. */
public final class AgentProcess implements AutoCloseable {

    /** Where {@code make -C worker-image/agent} puts what it makes. */
    public static final Path BUILD = agent().resolve("build");

    /** The agent itself. */
    public static final String BINARY = BUILD.resolve("quiver-agent").toString();

    /** The example of a handler in C, which serves "upper" and "count". */
    public static final String EXAMPLE = BUILD.resolve("example").toString();

    /** The handler of the agent's own tests; its words choose how it behaves. */
    public static final String TEST_HANDLER = BUILD.resolve("test-handler").toString();

    private final ChildProcess process;
    private final Path stderr;

    private AgentProcess(ChildProcess process, Path stderr) {
        this.process = process;
        this.stderr = stderr;
    }

    /** Tests of any module run in its folder, somewhere below the project's. */
    private static Path agent() {
        Path here = Path.of("").toAbsolutePath();
        for (Path folder = here; folder != null; folder = folder.getParent()) {
            Path agent = folder.resolve("worker-image/agent");
            if (Files.isDirectory(agent)) {
                return agent;
            }
        }
        throw new IllegalStateException("no worker-image/agent above " + here);
    }

    /** Skips the running test, with the reason, where the agent or the handler beside it is not built. */
    public static void assumeBuilt() {
        for (String program : List.of(BINARY, EXAMPLE)) {
            Assumptions.assumeTrue(
                    Files.isExecutable(Path.of(program)), () -> program + " is missing: make -C worker-image/agent");
        }
    }

    /** With the words of a handler's command, or none, and an environment of these variables and PATH. */
    public static AgentProcess start(Volumes volumes, Map<String, String> env, String... handler) {
        List<String> words = new ArrayList<>(List.of(BINARY, "run"));
        if (handler.length > 0) {
            words.add("--");
            words.addAll(List.of(handler));
        }
        return start(volumes, env, new ProcessBuilder(words));
    }

    /** By a command that runs an agent. */
    static AgentProcess start(Volumes volumes, Map<String, String> env, ProcessBuilder builder) {
        try {
            Files.createDirectories(volumes.logs());
            Path stdout = Files.createTempFile(volumes.logs(), "stdout", ".log");
            Path stderr = Files.createTempFile(volumes.logs(), "stderr", ".log");
            Map<String, String> environment = new HashMap<>(env);
            environment.put("QUIVER_IN", volumes.in().toString());
            environment.put("QUIVER_OUT", volumes.out().toString());
            environment.put("QUIVER_WHOLE", volumes.whole().toString());
            environment.putIfAbsent("QUIVER_DRAIN_SECONDS", "0");
            environment.putIfAbsent("PATH", System.getenv("PATH"));
            builder.environment().clear();
            builder.environment().putAll(environment);
            builder.redirectError(ProcessBuilder.Redirect.appendTo(stderr.toFile()));
            return new AgentProcess(ChildProcess.start(builder, stdout), stderr);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public ProcessHandle handle() {
        return process.handle();
    }

    public void signal(String name) {
        process.signal(name);
    }

    /** TERM: drain. */
    public void terminate() {
        process.handle().destroy();
    }

    public void kill() {
        process.close();
    }

    public int awaitEnd() {
        return process.awaitEnd();
    }

    public String stdout() {
        return process.output();
    }

    public String stderr() {
        try {
            return Files.readString(stderr);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        // TERM, with a drain of no seconds: what still runs is ended with its whole tree. Outside of a container a KILL
        // would leave that to the next agent.
        if (process.isAlive()) {
            terminate();
            awaitEnd();
        }
    }
}
