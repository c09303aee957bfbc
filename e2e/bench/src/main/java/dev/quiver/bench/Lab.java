package dev.quiver.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folders and settings of a benchmark.
 *
 * @param repository root of the source tree, read only
 * @param cache files that may be kept between runs: installed peers, built executors
 * @param scratch of this run alone; removed with {@link #close()}
 * @param pace how long to measure
 * @param alone leave the peers out: quick, for work on Quiver itself
 */
public record Lab(Path repository, Path cache, Path scratch, Pace pace, boolean alone) implements AutoCloseable {

    /** A lab with a fresh scratch folder. */
    public static Lab open(Path repository, Pace pace, boolean alone) throws IOException {
        String home = System.getenv().getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
        Path cache = Files.createDirectories(Path.of(home, "quiver", "bench"));
        return new Lab(repository, cache, Files.createTempDirectory("quiver-bench-"), pace, alone);
    }

    /** A new folder of the scratch. */
    public Path folder(String name) throws IOException {
        return Files.createTempDirectory(scratch, name + "-");
    }

    @Override
    public void close() throws IOException {
        Folders.delete(scratch);
    }
}
