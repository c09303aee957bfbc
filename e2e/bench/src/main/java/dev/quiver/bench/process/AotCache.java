package dev.quiver.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.quiver.bench.ContentCache;
import dev.quiver.bench.Lab;

/** Trains an AOT cache as the images do: by one real start and end of the program. Kept for the same jars. */
public final class AotCache {

    private static final String FILE = "aot";

    private AotCache() {}

    /** One start of the program, some work, and its end, while the cache is recorded. */
    @FunctionalInterface
    public interface Training {
        /** Starts this program, and returns when it has ended. */
        void with(Program recording) throws Exception;
    }

    /** The program with a cache for its jars and options, trained if there is none yet. */
    public static Program trained(Lab lab, Program program, Training training) throws Exception {
        Path options = Files.writeString(
                lab.folder("aot").resolve("options"), program.options() + System.getProperty("java.vm.version"));
        var sources = new java.util.ArrayList<>(program.jars());
        sources.add(options);
        Path folder = ContentCache.of(lab, "aot-" + program.main(), sources, made -> {
            Path cache = made.resolve(FILE);
            training.with(program.recording(cache));
            if (!Files.exists(cache)) {
                throw new IOException("the training of " + program.main() + " left no AOT cache");
            }
        });
        return program.with(folder.resolve(FILE));
    }
}
