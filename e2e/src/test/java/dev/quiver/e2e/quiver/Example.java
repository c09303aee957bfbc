package dev.quiver.e2e.quiver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.quiver.e2e.cluster.Repository;

/**
 * A file of {@code crds/examples}. Its comment has commands as a newcomer would paste them, and some of them promise an
 * end; see {@link ShownCommand}.
 *
 * @param file its name
 */
public record Example(String file) {

    private static final Path FOLDER = Repository.root().resolve("crds/examples");
    private static final String COMMAND = "#   kubectl ";

    /** All of them. */
    public static List<Example> all() {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(path -> new Example(path.getFileName().toString()))
                    .sorted((one, other) -> one.file.compareTo(other.file))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether it works only where an administrator has granted a prefix to its namespace. */
    public boolean needsAGrant() {
        return text().contains("grantedPrefix:");
    }

    /** Its YAML alone is applied, whose work may go on beside that of others until the promises are looked at. */
    public void apply(Space space) {
        space.kubectl().run("apply", "-f", FOLDER.resolve(file).toString());
    }

    /**
     * Runs the commands of its comment up to the last that promises something, and holds that each is kept. Those that
     * never end ({@code -w}), and those about a pod whose name a person fills in, are left out.
     *
     * @throws IllegalStateException where it promises nothing, or a command fails
     */
    public void keepsItsPromises(Space space) {
        List<ShownCommand> commands = text().lines()
                .takeWhile(line -> line.startsWith("#"))
                .filter(line -> line.startsWith(COMMAND))
                .map(line -> ShownCommand.of(line.substring(1).strip()))
                .filter(command -> !command.line().matches(".* (-w|POD)( .*)?"))
                .toList();
        int last = commands.size() - 1;
        while (last >= 0 && !commands.get(last).promises()) {
            last--;
        }
        if (last < 0) {
            throw new IllegalStateException(file + " promises no end: its comment has no `kubectl wait`");
        }
        commands.subList(0, last + 1).forEach(command -> command.isKept(space, FOLDER));
    }

    private String text() {
        try {
            return Files.readString(FOLDER.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return file;
    }
}
