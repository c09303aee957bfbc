package dev.quiver.e2e.quiver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A program that goes on printing until it is closed. */
public final class Watching implements AutoCloseable {

    private final Process process;
    private final Path output;

    private Watching(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    static Watching start(List<String> words) {
        try {
            Path output = Files.createTempFile("watching", ".out");
            return new Watching(
                    new ProcessBuilder(words)
                            .redirectInput(Path.of("/dev/null").toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start(),
                    output);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + words, e);
        }
    }

    /** The lines that it has printed so far. */
    public List<String> lines() {
        try {
            return Files.readString(output).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            Files.deleteIfExists(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
