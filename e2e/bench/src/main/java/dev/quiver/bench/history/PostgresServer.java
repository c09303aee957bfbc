package dev.quiver.bench.history;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import dev.quiver.bench.ContentCache;
import dev.quiver.bench.Folders;
import dev.quiver.bench.MissingPartException;
import dev.quiver.bench.process.Child;
import dev.quiver.bench.process.Ports;

/** A PostgreSQL of the benchmark's own on loopback, of Debian's package, with PostgreSQL's own settings. */
final class PostgresServer implements Closeable {

    private static final Path PACKAGES = Path.of("/usr/lib/postgresql");
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String OWNER = "postgres";
    private static final String USER = "quiver";

    private final Path folder;
    private final int port;
    private final Child server;

    private PostgresServer(Path folder, int port, Child server) {
        this.folder = folder;
        this.port = port;
        this.server = server;
    }

    /** Starts one with an empty database. */
    static PostgresServer start() throws Exception {
        Path programs = programs()
                .orElseThrow(() ->
                        new MissingPartException("PostgreSQL is not installed (Debian: apt-get install postgresql)"));
        // Not in the scratch folder: its owner is another user, who may not enter that one.
        Path folder = Files.createTempDirectory("quiver-bench-postgres-");
        int port = Ports.free();
        try {
            if (root()) {
                Files.setOwner(
                        folder,
                        folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(OWNER));
            }
            Path data = folder.resolve("data");
            ContentCache.run(
                    folder,
                    command(programs, "initdb", "-D", data.toString(), "-U", USER, "-A", "trust", "-E", "UTF8"));
            Child server = Child.start(
                    folder.resolve("log"),
                    Map.of(),
                    command(
                            programs,
                            "postgres",
                            "-D",
                            data.toString(),
                            "-p",
                            "" + port,
                            "-c",
                            "listen_addresses=127.0.0.1",
                            "-c",
                            "unix_socket_directories="));
            PostgresServer started = new PostgresServer(folder, port, server);
            try {
                server.await("an answer of PostgreSQL", PATIENCE, () -> Ports.answers(port));
                server.await("a database", PATIENCE, () -> made(folder, programs, port));
                return started;
            } catch (Exception failure) {
                started.close();
                throw failure;
            }
        } catch (Exception failure) {
            Folders.delete(folder);
            throw failure;
        }
    }

    private static boolean made(Path folder, Path programs, int port) throws Exception {
        try {
            ContentCache.run(
                    folder, command(programs, "createdb", "-h", "127.0.0.1", "-p", "" + port, "-U", USER, "record"));
            return true;
        } catch (IOException starting) {
            return false;
        }
    }

    private static Optional<Path> programs() throws IOException {
        if (!Files.isDirectory(PACKAGES)) {
            return Optional.empty();
        }
        try (Stream<Path> versions = Files.list(PACKAGES)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
                    .max(Comparator.naturalOrder());
        }
    }

    private static boolean root() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** PostgreSQL refuses to run as root. */
    private static List<String> command(Path programs, String program, String... arguments) {
        List<String> command = new ArrayList<>();
        if (root()) {
            command.addAll(List.of("setpriv", "--reuid", OWNER, "--regid", OWNER, "--clear-groups", "--"));
        }
        command.add(programs.resolve(program).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    /** The address of its database. */
    String url() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/record";
    }

    /** The user of its database, without a password. */
    String user() {
        return USER;
    }

    /** Its process; each connection has a process below it. */
    long pid() {
        return server.pid();
    }

    @Override
    public void close() throws IOException {
        server.close();
        Folders.delete(folder);
    }
}
