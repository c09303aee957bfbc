package dev.quiver.e2e.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The images of this project as archives, built from what the build before has packaged. */
public final class Images {

    private Images() {}

    /**
     * The archives of these images (operator, worker, demo, columns, busybox, redis or all), in this order; what has not changed is not
     * built again.
     *
     * @throws IllegalStateException naming what is not there yet, such as a jar that was not packaged
     */
    public static List<Path> archives(String... names) {
        String[] line = new String[names.length + 1];
        line[0] = Repository.root().resolve("e2e/images/build").toString();
        System.arraycopy(names, 0, line, 1, names.length);
        return Command.of(line)
                .within(Duration.ofMinutes(20))
                .run()
                .lines()
                .map(Path::of)
                .toList();
    }
}
