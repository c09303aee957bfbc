package dev.quiver.history.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

import dev.quiver.history.store.PostgresDatabase;
import dev.quiver.lifecycle.redis.FreePort;

/**
 * A real PostgreSQL of Debian's package on a free port of loopback. It runs as another user than root, with its data in a
 * folder of its own. Both go with {@link #close} and, by a shutdown hook, with the JVM.
 */
public final class PostgresProcess implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(2);
    private static final Path PACKAGES = Path.of("/usr/lib/postgresql");
    private static final String USER = "postgres";

    private final Path folder;
    private final int port = FreePort.next();
    private final Thread hook = new Thread(this::end, "postgres-end");
    private Process process;

    private PostgresProcess(Path folder) {
        this.folder = folder;
    }

    /** Skips the calling test where the machine has none. */
    public static PostgresProcess start() {
        Assumptions.assumeTrue(binaries().isPresent(), "PostgreSQL is not installed: apt-get install postgresql");
        try {
            Path folder = Files.createTempDirectory("quiver-postgres");
            PostgresProcess postgres = new PostgresProcess(folder);
            Runtime.getRuntime().addShutdownHook(postgres.hook);
            try {
                postgres.initialise();
                postgres.launch();
                return postgres;
            } catch (RuntimeException | IOException e) {
                postgres.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<Path> binaries() {
        if (!Files.isDirectory(PACKAGES)) {
            return Optional.empty();
        }
        try (Stream<Path> versions = Files.list(PACKAGES)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin ->
                            Files.isExecutable(bin.resolve("initdb")) && Files.isExecutable(bin.resolve("postgres")))
                    .max(Comparator.naturalOrder());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean root() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** PostgreSQL refuses to run as root. */
    private List<String> command(String program, String... arguments) {
        List<String> command = new ArrayList<>();
        if (root()) {
            command.addAll(List.of("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", "--"));
        }
        command.add(binaries().orElseThrow().resolve(program).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private void initialise() throws IOException {
        if (root()) {
            UserPrincipal owner =
                    folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER);
            Files.setOwner(folder, owner);
        }
        Process initdb = run(command(
                "initdb", "-D", data(), "-U", "quiver", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale", "C"));
        await(initdb, "initdb");
    }

    private void launch() throws IOException {
        process = run(command(
                "postgres",
                "-D",
                data(),
                "-p",
                Integer.toString(port),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "dynamic_shared_memory_type=mmap",
                "-c",
                "shared_buffers=32MB",
                "-c",
                "fsync=off"));
        Awaitility.await("postgres answers, see " + folder.resolve("log"))
                .atMost(START)
                .pollInterval(Duration.ofMillis(50))
                .until(this::answers);
    }

    private Process run(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
                .start();
    }

    private String data() {
        return folder.resolve("data").toString();
    }

    private void await(Process program, String name) throws IOException {
        try {
            if (!program.waitFor(START.toSeconds(), TimeUnit.SECONDS) || program.exitValue() != 0) {
                throw new IllegalStateException(name + " failed: " + Files.readString(folder.resolve("log")));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private boolean answers() throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException("postgres ended: " + Files.readString(folder.resolve("log")));
        }
        try (var connection = DriverManager.getConnection(url("postgres"), "quiver", "")) {
            return connection.isValid(5);
        } catch (SQLException e) {
            return false;
        }
    }

    private String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    /** A new database of this name, migrated. */
    public PostgresDatabase database(String name) {
        create(name);
        return open(name);
    }

    /** A new database of this name with nothing in it, and its address; its user is quiver, without a password. */
    public String create(String name) {
        try (var connection = DriverManager.getConnection(url("postgres"), "quiver", "");
                var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return url(name);
    }

    /** The database of this name once more. */
    public PostgresDatabase open(String name) {
        return PostgresDatabase.open(url(name), "quiver", "");
    }

    /** Ends it as a fast shutdown does: connections are cut. */
    public void stop() {
        signal("-INT");
    }

    /** Starts it again with its data. */
    public void startAgain() {
        try {
            launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void signal(String which) {
        Process running = process;
        if (running == null || !running.isAlive()) {
            return;
        }
        try {
            new ProcessBuilder("kill", which, Long.toString(running.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (!running.waitFor(1, TimeUnit.MINUTES)) {
                running.destroyForcibly().waitFor();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending and the hook has run or will.
        }
        end();
    }

    private void end() {
        signal("-QUIT");
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
