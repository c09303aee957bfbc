package dev.quiver.crds.v1alpha1;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files that a newcomer copies. They are those of {@code examples/}, of kinds that are not released yet, and
 * the blocks of YAML in the guides and in the project's README.
 */
final class Examples {
    /** A guide for each kind, named by the kind in lower case. */
    static final Path GUIDES = Path.of("guide");

    private static final Path README = Path.of("../README.md");

    private static final List<Path> FOLDERS = List.of(Path.of("examples"), Path.of("src/test/resources/upcoming"));
    private static final Pattern BLOCK = Pattern.compile("^```yaml\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    /**
     * One or more documents, as they stand.
     *
     * @param name the file's, of a page with the line on which the block begins
     */
    record Example(String name, URI at, String yaml) {
        @Override
        public String toString() {
            return name;
        }
    }

    private Examples() {}

    /** The examples of the files, of the guides and of the README. */
    static List<Example> all() throws IOException {
        var all = new ArrayList<Example>();
        for (var file : files()) {
            all.add(new Example(file.getFileName().toString(), file.toUri(), Files.readString(file)));
        }
        for (var guide : guides()) {
            all.addAll(blocks(guide));
        }
        all.addAll(blocks(README));
        return all;
    }

    static List<Path> files() throws IOException {
        var files = new ArrayList<Path>();
        for (var folder : FOLDERS) {
            if (Files.exists(folder)) {
                in(folder).forEach(files::add);
            }
        }
        return files;
    }

    static List<Path> guides() throws IOException {
        return in(GUIDES).toList();
    }

    private static List<Example> blocks(Path page) throws IOException {
        var text = Files.readString(page);
        return BLOCK.matcher(text)
                .results()
                .map(block -> new Example(
                        page.getFileName() + ":"
                                + text.substring(0, block.start(1)).lines().count(),
                        page.toUri(),
                        block.group(1)))
                .toList();
    }

    private static Stream<Path> in(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.sorted().toList().stream();
        }
    }
}
