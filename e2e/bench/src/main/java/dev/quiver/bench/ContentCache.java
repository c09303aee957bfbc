package dev.quiver.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Builds a thing once for the same sources. Each is in a folder of the cache named by the sources' content. The folder
 * is complete or absent, even if another process builds it at the same time.
 */
public final class ContentCache {

    private static final int LAST_LINES = 12;

    private ContentCache() {}

    /** Fills a new folder. */
    @FunctionalInterface
    public interface Build {
        /** Puts the files to keep into the folder. */
        void into(Path folder) throws Exception;
    }

    /** The folder, built when it is not there. */
    public static Path of(Lab lab, String name, List<Path> sources, Build build) throws Exception {
        Path target = lab.cache().resolve(name + "-" + hash(sources));
        if (Files.isDirectory(target)) {
            return target;
        }
        Path fresh = Files.createTempDirectory(lab.cache(), name + "-");
        try {
            build.into(fresh);
            return Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException notMoved) {
            Folders.delete(fresh);
            if (Files.isDirectory(target)) {
                return target; // another run was faster
            }
            throw notMoved;
        }
    }

    /**
     * Runs a program to its end.
     *
     * @return its standard output
     * @throws IOException with the last lines of its output, when the program fails or is not there
     */
    public static String run(Path folder, List<String> command) throws IOException, InterruptedException {
        return run(folder, command, Map.of());
    }

    /** As {@link #run(Path, List)}, with additions to the environment. */
    public static String run(Path folder, List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path errors = Files.createTempFile("quiver-bench-", ".err");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).directory(folder.toFile()).redirectError(errors.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                List<String> lines = (said + Files.readString(errors)).lines().toList();
                throw new IOException(command.getFirst() + " failed:\n"
                        + String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size())));
            }
            return said;
        } finally {
            Files.deleteIfExists(errors);
        }
    }

    private static String hash(List<Path> files) throws IOException, NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (Path file : files) {
            digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
            digest.update(Files.readAllBytes(file));
        }
        return HexFormat.of().formatHex(digest.digest(), 0, 8);
    }
}
