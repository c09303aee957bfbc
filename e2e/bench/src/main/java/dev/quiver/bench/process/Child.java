package dev.quiver.bench.process;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.quiver.bench.Waiting;

/**
 * A process that never outlives the harness, even when the harness is killed with -9. A shell between the two holds the
 * end of a pipe. When the pipe closes, the shell ends the child (TERM, after 30 s KILL).
 */
public final class Child implements Closeable {

    private static final String LEASH = """
            log=$1; shift
            "$@" >"$log" 2>&1 </dev/null & child=$!
            echo $child
            cat >/dev/null
            kill $child 2>/dev/null
            i=0; while kill -0 $child 2>/dev/null && [ $i -lt 300 ]; do sleep 0.1; i=$((i+1)); done
            kill -9 $child 2>/dev/null
            wait $child
            """;

    private final Process shell;
    private final long pid;
    private final Path log;

    private Child(Process shell, long pid, Path log) {
        this.shell = shell;
        this.pid = pid;
        this.log = log;
    }

    /**
     * Starts a program.
     *
     * @param log gets its output and its errors
     * @param environment added to that of the harness
     */
    public static Child start(Path log, Map<String, String> environment, List<String> command) throws IOException {
        List<String> leashed = new ArrayList<>(List.of("/bin/sh", "-c", LEASH, "leash", log.toString()));
        leashed.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(leashed).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        Process shell = builder.start();
        String pid =
                new BufferedReader(new InputStreamReader(shell.getInputStream(), StandardCharsets.US_ASCII)).readLine();
        if (pid == null) {
            throw new IOException("could not start " + command);
        }
        return new Child(shell, Long.parseLong(pid), log);
    }

    /** The process id of the program itself. */
    public long pid() {
        return pid;
    }

    /** Sends it a signal by its short name, for example {@code STOP}. One that has ended gets none. */
    public void signal(String name) throws IOException {
        if (alive()) {
            signal(pid, name);
        }
    }

    /** The same for a process that a child started. */
    public static void signal(long pid, String name) throws IOException {
        try {
            new ProcessBuilder("kill", "-s", name, "" + pid)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the program still runs. */
    public boolean alive() {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    /**
     * Returns as soon as the condition holds.
     *
     * @throws IOException with the last lines of output if the process has ended before
     * @throws java.util.concurrent.TimeoutException naming the awaited condition, the last lines of output suppressed
     */
    public void await(String what, Duration patience, Callable<Boolean> condition) throws Exception {
        try {
            Waiting.await(what, patience, () -> {
                if (!alive()) {
                    throw new IOException("it ended before " + what + ":\n" + lastWords());
                }
                return condition.call();
            });
        } catch (TimeoutException failure) {
            failure.addSuppressed(new IOException(lastWords()));
            throw failure;
        }
    }

    /** The last lines of its output, for a message about its failure. */
    public String lastWords() throws IOException {
        List<String> lines = Files.exists(log) ? Files.readAllLines(log, StandardCharsets.ISO_8859_1) : List.of();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
    }

    @Override
    public void close() throws IOException {
        shell.getOutputStream().close();
        try {
            if (!shell.waitFor(40, TimeUnit.SECONDS)) {
                shell.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            shell.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
