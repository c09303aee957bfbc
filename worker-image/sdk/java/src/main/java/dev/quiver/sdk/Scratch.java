package dev.quiver.sdk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Results that are too large to travel: files of a directory that all workers of a job share. A file is {@code <directory of
 * the job>/<ordinal>-<session>-<call>.arrow}. The job's last task removes the directory. Before that it leaves a mark in
 * {@code .over} beside it. So a writer that comes too late knows it, and leaves nothing behind.
 */
final class Scratch {
    /** Bytes of a stream that travels. */
    static final long MOST_INLINE = 64 * 1024;

    /** The variable with the file for the result of a trial. */
    private static final String FILE = "QUIVER_SCRATCH";

    private Scratch() {}

    /**
     * Writes an output into the file of its trial, where that is too large to travel and the trial has a file.
     *
     * @return its place; absent where it is to travel
     */
    static Optional<Output> place(Output output, long length, Task task) throws IOException, DoNotRetryException {
        if (output.format() != Format.ARROW || output.isLocator() || length <= MOST_INLINE) {
            return Optional.empty();
        }
        String file = task.env().get(FILE);
        if (file == null) {
            return Optional.empty();
        }
        write(output, Path.of(file));
        return Optional.of(Output.locator(new Locator(file, Format.ARROW)));
    }

    private static void write(Output output, Path file) throws IOException, DoNotRetryException {
        Path directory = file.getParent();
        refuseIfOver(directory);
        Files.createDirectories(directory);
        Path temporary = directory.resolve("." + file.getFileName());
        try {
            try (FileChannel channel = FileChannel.open(
                    temporary,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING)) {
                output.writeTo(channel);
                channel.force(true); // the result counts when it is reported, whatever becomes of this machine
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException | Error e) {
            removed(temporary);
            throw e;
        }
        try {
            refuseIfOver(directory);
        } catch (DoNotRetryException late) {
            removed(file);
            removed(directory);
            throw late;
        }
    }

    private static void refuseIfOver(Path directory) throws DoNotRetryException {
        if (Files.exists(directory.resolveSibling(".over").resolve(directory.getFileName()))) {
            throw new DoNotRetryException("the job of this task is over, its results in " + directory + " are removed");
        }
    }

    private static void removed(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException stays) {
            // a directory that others still write to; they remove it
        }
    }
}
