package dev.quiver.lifecycle.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * A real redis-server on a free port of loopback, with its data in a directory of its own. Both go with {@link #close}
 * and, by a shutdown hook, with the JVM.
 */
public final class RedisProcess implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(2);
    private static final AtomicBoolean CONNECTED = new AtomicBoolean();

    private final String program;
    private final int port;
    private final Path directory;
    private final List<String> options;
    private final Thread hook = new Thread(this::end, "redis-end");
    private volatile Process process;

    private RedisProcess(String program, int port, Path directory, List<String> options) {
        this.program = program;
        this.port = port;
        this.directory = directory;
        this.options = options;
    }

    /** Whether it is a Valkey, and no Redis of Debian's. */
    public boolean isValkey() {
        return program.contains("valkey");
    }

    /** Whether the machine has a redis-server. */
    public static boolean installed() {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "redis-server")));
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @param options as on its command line, for example {@code --appendonly yes}
     */
    public static RedisProcess start(String... options) {
        return startOf("redis-server", options);
    }

    /** The same of another program that is called as redis-server is. */
    public static RedisProcess startOf(String program, String... options) {
        try {
            Path directory = Files.createTempDirectory("quiver-redis");
            RedisProcess redis = new RedisProcess(program, FreePort.next(), directory, List.of(options));
            Runtime.getRuntime().addShutdownHook(redis.hook);
            try {
                redis.launch();
            } catch (RuntimeException e) {
                redis.close();
                throw e;
            }
            if (!CONNECTED.getAndSet(true)) {
                redis.connectOnce();
            }
            return redis;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** On a busy machine the first connection of a JVM can take longer than the stores of the product wait for one. */
    private void connectOnce() {
        try (RedisStore store = open()) {
            Awaitility.await("a connection to " + uri())
                    .atMost(START)
                    .ignoreException(StoreUnreachableException.class)
                    .until(() -> {
                        store.ping();
                        return true;
                    });
        } catch (StoreRefusedException e) {
            // It wants a password, and is connected to.
        }
    }

    private void launch() {
        launch(options);
    }

    private void launch(List<String> given) {
        List<String> command = new ArrayList<>(List.of(
                program,
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                directory.toString(),
                "--save",
                "",
                "--maxmemory-policy",
                "noeviction"));
        command.addAll(given);
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            directory.resolve("log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Awaitility.await("redis-server answers, see " + directory.resolve("log"))
                .atMost(START)
                .pollInterval(Duration.ofMillis(20))
                .until(this::answers);
    }

    /** That it lives is asked first: another server could have taken the port. */
    private boolean answers() {
        if (!process.isAlive()) {
            throw new IllegalStateException("redis-server ended with " + process.exitValue() + ": " + log());
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 500);
            socket.setSoTimeout(500);
            socket.getOutputStream().write("PING\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(5);
            String text = new String(answer, java.nio.charset.StandardCharsets.US_ASCII);
            return text.equals("+PONG") || text.equals("-NOAU") || text.equals("-NOPE");
        } catch (IOException e) {
            return false;
        }
    }

    private String log() {
        try {
            return Files.readString(directory.resolve("log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Its port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** Where its data and its log are. */
    public Path directory() {
        return directory;
    }

    /** {@code redis://127.0.0.1:port}. */
    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** How to reach it with {@link RedisStore}. */
    public RedisEndpoint endpoint() {
        return RedisEndpoint.standalone(uri());
    }

    /** A store over it, to be closed by the caller. */
    public RedisStore open() {
        return PatientStore.open(endpoint(), "test");
    }

    /** The pid of the running server. */
    public long pid() {
        return process.pid();
    }

    /** Stops the process where it is (SIGSTOP). */
    public void pause() {
        signal("-STOP");
    }

    /** Lets it go on (SIGCONT). */
    public void resume() {
        signal("-CONT");
    }

    private void signal(String which) {
        try {
            int exit = new ProcessBuilder("kill", which, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("kill " + which + " ended with " + exit);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Ends it with SIGKILL; its files stay. */
    public void kill() {
        Process running = process;
        if (running != null) {
            // One that saves goes on without its parent, and would write into a folder that is being removed.
            List<ProcessHandle> children = running.descendants().toList();
            running.destroyForcibly();
            children.forEach(ProcessHandle::destroyForcibly);
            try {
                if (!running.waitFor(1, TimeUnit.MINUTES)) {
                    throw new IllegalStateException("redis-server " + running.pid() + " does not end");
                }
                children.forEach(child -> child.onExit().join());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Starts it again on the same port with the same files. */
    public void startAgain() {
        launch();
    }

    /** Starts it again on the same port and files with other options. */
    public void startAgainWith(String... others) {
        launch(List.of(others));
    }

    /** Kills it and starts it again with the same files. */
    public void restart() {
        kill();
        launch();
    }

    /** Keeps what the server holds now, for {@link #rewind}. */
    public void keep() {
        try (RedisStore store = open()) {
            store.ask(commands -> commands.save());
            Files.copy(directory.resolve("dump.rdb"), directory.resolve("kept.rdb"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills it and starts it with what {@link #keep} kept, as a replica that lagged or a backup has it; without AOF. */
    public void rewind() {
        kill();
        try {
            delete(directory.resolve("appendonlydir"));
            Files.move(
                    directory.resolve("kept.rdb"), directory.resolve("dump.rdb"), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        startAgainWith();
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /** Ends it and deletes its files. */
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
        kill();
        try {
            delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
