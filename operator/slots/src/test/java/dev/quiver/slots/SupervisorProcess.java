package dev.quiver.slots;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.quiver.slots.rig.ChildProcess;
import dev.quiver.slots.rig.Patience;

/** {@link SupervisorMain} as a child process. */
final class SupervisorProcess implements AutoCloseable {
    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Thread reader;

    private SupervisorProcess(Process process) {
        this.process = process;
        this.reader = Thread.ofPlatform().daemon().start(this::read);
    }

    static SupervisorProcess start(Path in, Path out, int slots, BoardConfig.Start start, Collection<String> held) {
        List<String> command = ChildProcess.java(
                SupervisorMain.class, in.toString(), out.toString(), Integer.toString(slots), start.name());
        command.addAll(held);
        try {
            return new SupervisorProcess(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add("violated reader " + e);
        }
    }

    void tell(String command) {
        try {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next line that begins so. */
    String await(String beginning) {
        long until = System.nanoTime() + Patience.LIMIT.toNanos();
        StringBuilder passed = new StringBuilder();
        while (System.nanoTime() < until) {
            String line = next(100);
            if (line.startsWith(beginning)) {
                return line;
            }
            passed.append(line.isEmpty() ? "" : line + "; ");
        }
        throw new AssertionError("no \"" + beginning + "\" came, but: " + passed);
    }

    /** The next line, empty if none comes in time. */
    String next(long millis) {
        try {
            String line = lines.poll(millis, TimeUnit.MILLISECONDS);
            return line == null ? "" : line;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** KILL. Lines that it wrote before can still be read. */
    void kill() {
        process.toHandle().destroyForcibly(); // Process.destroyForcibly would close its output, unread
        try {
            process.waitFor();
            reader.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
