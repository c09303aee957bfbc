package dev.quiver.bench.redis;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

import dev.quiver.bench.Lab;
import dev.quiver.bench.MissingPartException;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Child;
import dev.quiver.bench.process.Ports;

/** A redis-server of the benchmark's own on loopback, with the settings of the chart's Redis. */
public final class RedisServer implements Closeable {

    /** The settings of the chart; only persistence and memory policy differ from Redis's own defaults. */
    public static final Map<String, String> SETTINGS = Map.of(
            "appendonly", "yes",
            "appendfsync", "everysec",
            "auto-aof-rewrite-min-size", "1gb",
            "save", "",
            "maxmemory-policy", "noeviction");

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    /** Beyond this the append-only file is rewritten between two turns, so that no rewrite falls into a window. */
    private static final long REWRITE_BYTES = 400L << 20;

    private final int port;
    private final Child server;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    private RedisServer(int port, Child server, RedisClient client) {
        this.port = port;
        this.server = server;
        this.client = client;
        this.connection = client.connect();
    }

    /** Starts one and waits until it answers. */
    public static RedisServer start(Lab lab) throws Exception {
        if (Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .noneMatch(folder -> Path.of(folder, "redis-server").toFile().canExecute())) {
            throw new MissingPartException("redis-server is not installed (Debian: apt-get install redis-server)");
        }
        int port = Ports.free();
        Path folder = lab.folder("redis");
        List<String> command = new ArrayList<>(
                List.of("redis-server", "--port", "" + port, "--bind", "127.0.0.1", "--dir", folder.toString()));
        SETTINGS.forEach((name, value) -> command.addAll(List.of("--" + name, value)));
        Child server = Child.start(folder.resolve("log"), Map.of(), command);
        try {
            server.await("an answer of redis-server", PATIENCE, () -> Ports.answers(port));
            return new RedisServer(port, server, RedisClient.create("redis://127.0.0.1:" + port));
        } catch (Exception failure) {
            server.close();
            throw failure;
        }
    }

    /** The port of the server, without any delay. */
    public int port() {
        return port;
    }

    /** Its process. */
    public long pid() {
        return server.pid();
    }

    /** A connection of the harness itself; never used by a contender. */
    public RedisCommands<String, String> commands() {
        return connection.sync();
    }

    /** One number of INFO. */
    public long info(String section, String field) {
        return Arrays.stream(commands().info(section).split("\r?\n"))
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("INFO " + section + " has no " + field));
    }

    /**
     * The bytes of its data, without those that connections and the append-only file have in their buffers for a while.
     */
    public long bytesOfData() {
        Map<String, Long> memory = commands()
                .info("memory")
                .lines()
                .map(line -> line.split(":", 2))
                .filter(field -> field.length == 2 && field[1].matches("\\d+"))
                .collect(Collectors.toMap(field -> field[0], field -> Long.parseLong(field[1])));
        return memory.get("used_memory") - memory.get("mem_clients_normal") - memory.get("mem_aof_buffer");
    }

    /** Microseconds of processor time that it has used since its start, of its user's and of the system's. */
    public double cpuMicros() {
        return commands()
                        .info("cpu")
                        .lines()
                        .filter(line -> line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:"))
                        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
                        .sum()
                * 1e6;
    }

    /** Version and settings as text. */
    public String described() {
        String version = commands()
                .info("server")
                .lines()
                .filter(line -> line.startsWith("redis_version:"))
                .findFirst()
                .orElse("")
                .replace("redis_version:", "")
                .strip();
        return "redis-server " + version + " on loopback, appendonly yes, appendfsync everysec, "
                + "auto-aof-rewrite-min-size 1gb, save \"\", maxmemory-policy noeviction";
    }

    /** Between two turns: shrinks an append-only file that grew, to the size of the present data. */
    public void restBetweenTurns() throws Exception {
        if (info("persistence", "aof_current_size") < REWRITE_BYTES) {
            return;
        }
        commands().bgrewriteaof();
        Waiting.await(
                "the rewrite of the append-only file",
                PATIENCE,
                () -> info("persistence", "aof_rewrite_in_progress") + info("persistence", "aof_rewrite_scheduled")
                        == 0);
    }

    @Override
    public void close() throws IOException {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        server.close();
    }
}
