package dev.quiver.slots.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A child process of a test: its output goes to a file, and it ends with the test or at the latest with this JVM. */
public final class ChildProcess implements AutoCloseable {

    private final Path log;
    private final Process process;
    private final Thread hook;

    private ChildProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.hook = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The command of a small JVM with the class path of this test, quick to start. */
    public static List<String> java(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx96m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** With these variables beside those of this JVM; the log takes stdout and stderr. */
    public static ChildProcess start(List<String> command, Map<String, String> environment, Path log) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return start(builder, log);
    }

    /** As the builder says; the log takes stdout. */
    static ChildProcess start(ProcessBuilder builder, Path log) {
        try {
            Process process = builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            return new ChildProcess(process, log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The log so far. */
    public String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public ProcessHandle handle() {
        return process.toHandle();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public void signal(String name) {
        Signals.send(process.pid(), name);
    }

    /** Its exit code. */
    public int awaitEnd() {
        try {
            if (!process.waitFor(Patience.LIMIT)) {
                process.destroyForcibly();
                throw new AssertionError("still alive after " + Patience.LIMIT + ":\n" + output());
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        Runtime.getRuntime().removeShutdownHook(hook);
        return process.exitValue();
    }

    /** KILL. */
    @Override
    public void close() {
        process.destroyForcibly();
        awaitEnd();
    }
}
