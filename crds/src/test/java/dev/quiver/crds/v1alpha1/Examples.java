package dev.quiver.crds.v1alpha1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The examples for newcomers, each file with one or more documents. */
final class Examples {
    static final Path FOLDER = Path.of("examples");

    private Examples() {}

    static List<Path> files() throws IOException {
        try (var files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }
}
