package dev.quiver.slots.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;

import org.awaitility.Awaitility;

/** The volumes of a pod, in a folder of its own in shared memory; the folder goes with {@link #close}. */
public final class Volumes implements AutoCloseable {
    private final Path root;

    private Volumes(Path root) {
        this.root = root;
    }

    /** Empty volumes in a folder whose name begins so. */
    public static Volumes create(String prefix) {
        try {
            Path root = Files.createTempDirectory(Path.of("/dev/shm"), prefix);
            Files.createDirectory(root.resolve("in"));
            Files.createDirectory(root.resolve("out"));
            Files.createDirectory(root.resolve("whole"));
            return new Volumes(root);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder, also for what lies beside the volumes. */
    public Path root() {
        return root;
    }

    /** The volume that the supervisor alone writes. */
    public Path in() {
        return root.resolve("in");
    }

    /** The volume that both sides write. */
    public Path out() {
        return root.resolve("out");
    }

    /** The volume for all that commands print; a pod has it on a disk. */
    public Path whole() {
        return root.resolve("whole");
    }

    /** For what the agents of this pod print. */
    Path logs() {
        return root.resolve("logs");
    }

    /** Removes the folder. A process that outlived its killed agent may still write into it: then once more. */
    @Override
    public void close() {
        Awaitility.await(root + " is gone")
                .pollDelay(Duration.ZERO)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> {
                    delete();
                    return true;
                });
    }

    private void delete() throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
                Files.delete(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
