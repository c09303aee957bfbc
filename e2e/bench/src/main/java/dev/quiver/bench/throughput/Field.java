package dev.quiver.bench.throughput;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;

import dev.quiver.bench.Lab;
import dev.quiver.bench.peer.InstalledPeer;
import dev.quiver.bench.peer.Peer;
import dev.quiver.bench.peer.PeerKind;
import dev.quiver.bench.process.Child;
import dev.quiver.bench.process.Java;
import dev.quiver.bench.process.Ports;
import dev.quiver.bench.redis.DelayProxy;
import dev.quiver.bench.redis.RedisServer;

/** All contenders, alive and idle, at one distance from Redis. */
final class Field implements Closeable {

    /** The name of the contender that the aims name. */
    static final String QUIVER = "quiver";

    private static final int PINGS = 201;

    private final Deque<Closeable> toClose = new ArrayDeque<>();
    private final List<Contender> contenders = new ArrayList<>();
    private final List<String> peers = new ArrayList<>();
    private final List<String> described = new ArrayList<>();

    private Field() {}

    /** Starts all contenders. */
    static Field open(Lab lab, RedisServer redis, Duration delay) throws Exception {
        Field field = new Field();
        try {
            int workPort = delay.isZero() ? redis.port() : field.proxied(lab, redis.port(), delay);
            field.described.add(distance(workPort, delay));
            for (InstalledPeer installed : PeerKind.install(lab, PeerKind.ASYNQ, PeerKind.BULLMQ)) {
                field.described.add(installed.version());
                field.peers.add(installed.name());
                field.add(new PeerContender(Peer.start(installed, redis.port(), workPort), redis.pid()));
            }
            for (Executors executors : Executors.withoutCommands(lab)) {
                field.add(QuiverContender.start(lab, executors, lab.pace().slots(), redis, workPort));
            }
            return field;
        } catch (Exception failure) {
            field.close();
            throw failure;
        }
    }

    private void add(Contender contender) {
        contenders.add(contender);
        toClose.push(contender);
    }

    private int proxied(Lab lab, int target, Duration delay) throws Exception {
        int port = Ports.free();
        List<String> arguments = List.of("" + port, "" + target, "" + delay.toNanos() / 2000);
        Child proxy = Child.start(
                lab.folder("proxy").resolve("log"), Map.of(), Java.command(DelayProxy.class, List.of(), arguments));
        toClose.push(proxy);
        proxy.await("the delaying proxy", Duration.ofMinutes(5), () -> Ports.answers(port));
        return port;
    }

    private static String distance(int port, Duration delay) {
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            double[] micros = new double[PINGS];
            for (int i = 0; i < PINGS; i++) {
                long from = System.nanoTime();
                connection.sync().ping();
                micros[i] = (System.nanoTime() - from) / 1e3;
            }
            Arrays.sort(micros);
            return String.format(
                    Locale.ROOT,
                    "%nround trip to Redis: %.2f ms by PING (p50 of %d, %d ms added)",
                    micros[PINGS / 2] / 1e3,
                    PINGS,
                    delay.toMillis());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        }
    }

    /** In the order of their first round. */
    List<Contender> contenders() {
        return contenders;
    }

    /** Names of the contenders that Quiver is compared with. */
    List<String> peers() {
        return peers;
    }

    /** Distance and versions. */
    List<String> described() {
        return described;
    }

    @Override
    public void close() throws IOException {
        IOException first = null;
        while (!toClose.isEmpty()) {
            try {
                toClose.pop().close();
            } catch (IOException failure) {
                first = first == null ? failure : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
