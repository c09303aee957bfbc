package dev.quiver.crds.apiserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.client.Config;
import org.junit.jupiter.api.Assumptions;

/**
 * An API server and its etcd on loopback, as child processes: {@code e2e/cluster/apiserver} starts them, with this JVM as
 * their owner, and they end with it. The property {@code quiver.kubernetes.minor} chooses an older Kubernetes: 30 is
 * v1.30.0. Not thread-safe.
 */
public final class ServerProcess implements AutoCloseable {
    /** The minor of an older Kubernetes; without it the server is the current one. */
    private static final String MINOR = "quiver.kubernetes.minor";

    /** Building the parts anew takes minutes on a bare machine. */
    private static final long BUILD_MINUTES = 40;

    /** More than the script waits for; several may be starting on a busy machine. */
    private static final long START_MINUTES = 10;

    /** A client repeats a request that took longer, and is refused what the first one made. */
    private static final Duration ANSWER = Duration.ofMinutes(2);

    private final Path scripts;
    private final Path folder;

    private ServerProcess(Path scripts, Path folder) {
        this.scripts = scripts;
        this.folder = folder;
    }

    /** Starts a new server; the running test is skipped, with the reason, where its parts cannot be built. */
    public static ServerProcess start() {
        try {
            var scripts = scripts(Path.of("").toAbsolutePath());
            var parts = run(BUILD_MINUTES, scripts.resolve("build").toString());
            Assumptions.assumeTrue(parts.code == 0, () -> "no API server on this machine: " + parts.output);
            var minor = System.getProperty(MINOR);
            if (minor != null) {
                var older = run(BUILD_MINUTES, scripts.resolve("older").toString(), minor);
                Assumptions.assumeTrue(older.code == 0, () -> "no older API server on this machine: " + older.output);
            }
            var server = new ServerProcess(scripts, Files.createTempDirectory("quiver-apiserver"));
            server.up();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the kubeconfig of an administrator is. */
    public Path kubeconfigFile() {
        return folder.resolve("kubeconfig");
    }

    /** The kubeconfig of an administrator. */
    public String kubeconfig() {
        try {
            return Files.readString(kubeconfigFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Access as that administrator, with patience for a busy machine. */
    public Config access() {
        var config = Config.fromKubeconfig(kubeconfig());
        config.setRequestTimeout(Math.toIntExact(ANSWER.toMillis()));
        return config;
    }

    @Override
    public void close() {
        script("down", folder.toString());
    }

    private void up() {
        script("up", folder.toString(), Long.toString(ProcessHandle.current().pid()));
    }

    private void script(String... arguments) {
        var command = new ArrayList<String>(List.of(scripts.resolve("apiserver").toString()));
        command.addAll(List.of(arguments));
        try {
            var result = run(START_MINUTES, command.toArray(String[]::new));
            if (result.code != 0) {
                throw new IllegalStateException(command + " ended with " + result.code + ":\n" + result.output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Tests of any module run in its folder, somewhere below the project's. */
    private static Path scripts(Path from) {
        for (var folder = from; folder != null; folder = folder.getParent()) {
            var scripts = folder.resolve("e2e/cluster");
            if (Files.isExecutable(scripts.resolve("apiserver"))) {
                return scripts;
            }
        }
        throw new IllegalStateException("no e2e/cluster/apiserver above " + from);
    }

    /** Its children may outlive the command and hold its output open, hence a file and not a pipe. */
    private static Result run(long minutes, String... command) throws IOException {
        var output = Files.createTempFile("quiver-apiserver", ".log");
        try {
            var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().put("QUIVER_KUBERNETES_MINOR", System.getProperty(MINOR, ""));
            var process = builder.start();
            if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new IllegalStateException(
                        List.of(command) + " took more than " + minutes + " minutes:\n" + Files.readString(output));
            }
            return new Result(process.exitValue(), Files.readString(output));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + List.of(command), e);
        } finally {
            Files.delete(output);
        }
    }

    private record Result(int code, String output) {}
}
