package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** A reconciler names its parts and the order of its acts; whatever it decides is in a part with a test of its own. */
class ReconcilerSizeTest {

    private static final int MOST_LINES = 150;
    private static final Path SOURCES = Path.of("src/main/java");

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyReconcilerIsReadAtOneGlance() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            List<Path> reconcilers = files.filter(file -> file.toString().endsWith("Reconciler.java"))
                    .toList();
            assertThat(reconcilers).hasSizeGreaterThanOrEqualTo(4);
            assertThat(reconcilers).allSatisfy(file -> assertThat(lines(file)).hasSizeLessThanOrEqualTo(MOST_LINES));
        }
    }
}
