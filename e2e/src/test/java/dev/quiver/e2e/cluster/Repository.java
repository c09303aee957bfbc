package dev.quiver.e2e.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Where the scripts of this project are, found from the folder that the tests run in. */
public final class Repository {

    private Repository() {}

    /** The top folder of the project. */
    public static Path root() {
        Path start = Path.of("").toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.isExecutable(folder.resolve("e2e/cluster/cluster"))) {
                return folder;
            }
        }
        throw new IllegalStateException("no e2e/cluster/cluster above " + start);
    }

    /** A script of e2e/cluster. */
    public static Path script(String name) {
        return root().resolve("e2e/cluster").resolve(name);
    }

    /**
     * A program that is built beside the cluster (kubectl, helm), or an archive that is (probe.tar). The first call on
     * a machine builds all of them, which takes minutes.
     */
    public static Path built(String name) {
        return Path.of(Command.of(script("build").toString())
                        .within(Duration.ofMinutes(30))
                        .run())
                .resolve(name);
    }
}
