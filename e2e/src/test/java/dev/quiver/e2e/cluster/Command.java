package dev.quiver.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A child process that ends: its output when it ended well, an exception with all it said when not. */
public final class Command {

    private final List<String> words;
    private final Duration limit;

    private Command(List<String> words, Duration limit) {
        this.words = words;
        this.limit = limit;
    }

    /** A command of these words, killed after five minutes. */
    public static Command of(String... words) {
        return new Command(List.of(words), Duration.ofMinutes(5));
    }

    /** The same, killed after another time. */
    public Command within(Duration limit) {
        return new Command(words, limit);
    }

    /**
     * Runs it and returns what it wrote to its standard output, without the last line's end.
     *
     * @throws IllegalStateException when it could not start, did not end in time, or ended with anything but 0
     */
    public String run() {
        // Through files: daemons that a script leaves behind may hold a pipe open for ever.
        try {
            Path out = Files.createTempFile("command", ".out");
            Path err = Files.createTempFile("command", ".err");
            try {
                return run(out, err);
            } finally {
                Files.deleteIfExists(out);
                Files.deleteIfExists(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + words, e);
        }
    }

    private String run(Path out, Path err) throws IOException {
        Process process = new ProcessBuilder(words)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(words + " did not end within " + limit + ":\n" + text(err));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + words + " ran", e);
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new IllegalStateException(
                    words + " ended with " + process.exitValue() + ":\n" + text(err) + text(out));
        }
        return text(out).stripTrailing();
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
