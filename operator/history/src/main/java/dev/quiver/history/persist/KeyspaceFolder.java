package dev.quiver.history.persist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * The keyspaces that the operator has on record: its ConfigMaps, mounted as folders. Each file is one record, named by
 * the keyspace with {@code _} for a slash. Read every ten seconds. Used
 * by one thread.
 */
public final class KeyspaceFolder implements Supplier<Collection<Keyspace>> {

    private static final Logger LOG = LoggerFactory.getLogger(KeyspaceFolder.class);
    private static final Duration LOOK = Duration.ofSeconds(10);
    private static final String LEFT = "left.";

    private final List<Path> folders;
    private final Clock clock;
    private Set<Keyspace> known = Set.of();
    private long nextLook = Long.MIN_VALUE;

    /** Of these folders; one that is missing has no keyspace. */
    public KeyspaceFolder(List<Path> folders, Clock clock) {
        this.folders = List.copyOf(folders);
        this.clock = clock;
    }

    @Override
    public Collection<Keyspace> get() {
        if (clock.millis() >= nextLook) {
            nextLook = clock.millis() + LOOK.toMillis();
            try {
                Set<Keyspace> found = new LinkedHashSet<>();
                for (Path folder : folders) {
                    found.addAll(read(folder));
                }
                known = found;
            } catch (IOException | UncheckedIOException e) {
                LOG.warn("keyspaces stay as they were: {}", e.getMessage());
            }
        }
        return known;
    }

    private static Set<Keyspace> read(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Set.of();
        }
        Set<Keyspace> found = new LinkedHashSet<>();
        try (Stream<Path> files = Files.list(folder)) {
            files.map(file -> file.getFileName().toString()).sorted().forEach(name -> of(name).ifPresent(found::add));
            return found;
        }
    }

    private static Optional<Keyspace> of(String name) {
        if (name.startsWith(LEFT) || name.startsWith(".")) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Keyspace("quiver:{" + name.replace('_', '/') + "}:"));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
