package dev.quiver.lifecycle.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.awaitility.Awaitility;

/** A small real Redis Cluster: three masters on loopback, made with redis-cli. */
public final class RedisClusterProcesses implements AutoCloseable {

    private final List<RedisProcess> nodes = new ArrayList<>();
    private final RedisClient client = RedisClient.create();
    private final List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();

    /** Starts it and waits until all slots are served. */
    public RedisClusterProcesses() {
        try {
            for (int i = 0; i < 3; i++) {
                nodes.add(RedisProcess.start("--cluster-enabled", "yes", "--cluster-node-timeout", "30000"));
            }
            List<String> command = new ArrayList<>(List.of("redis-cli", "--cluster", "create"));
            nodes.forEach(node -> command.add("127.0.0.1:" + node.port()));
            command.add("--cluster-yes");
            Process create = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(
                            nodes.getFirst().directory().resolve("create.log").toFile())
                    .start();
            if (create.waitFor() != 0) {
                throw new IllegalStateException("redis-cli --cluster create failed");
            }
            nodes.forEach(node -> connections.add(client.connect(io.lettuce.core.RedisURI.create(node.uri()))));
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> connections.stream()
                            .allMatch(node -> node.sync().clusterInfo().contains("cluster_state:ok")));
        } catch (IOException e) {
            close();
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new IllegalStateException(e);
        }
    }

    /** How to reach it. */
    public RedisEndpoint endpoint() {
        return new RedisEndpoint(nodes.getFirst().uri(), RedisMode.CLUSTER, Optional.empty());
    }

    /** How to reach each of its servers alone. */
    public List<RedisEndpoint> servers() {
        return nodes.stream().map(RedisProcess::endpoint).toList();
    }

    /** Moves a slot from the node that has it to the next one, key by key. */
    public void moveSlot(int slot) {
        int from = IntStream.range(0, 3)
                .filter(i -> serves(i, slot))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nobody serves slot " + slot));
        int to = (from + 1) % 3;
        String fromId = connections.get(from).sync().clusterMyId();
        String toId = connections.get(to).sync().clusterMyId();
        connections.get(to).sync().clusterSetSlotImporting(slot, fromId);
        connections.get(from).sync().clusterSetSlotMigrating(slot, toId);
        List<String> keys = connections.get(from).sync().clusterGetKeysInSlot(slot, 1);
        while (!keys.isEmpty()) {
            connections
                    .get(from)
                    .sync()
                    .migrate("127.0.0.1", nodes.get(to).port(), 0, 60_000, MigrateArgs.Builder.keys(keys));
            keys = connections.get(from).sync().clusterGetKeysInSlot(slot, 1);
        }
        connections.get(to).sync().clusterSetSlotNode(slot, toId);
        connections.get(from).sync().clusterSetSlotNode(slot, toId);
        connections.get((from + 2) % 3).sync().clusterSetSlotNode(slot, toId);
        awaitAgreement(toId);
    }

    /** A node that has not heard of the new owner's epoch yet would take the next move with the same one, and lose it. */
    private void awaitAgreement(String owner) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> connections.stream()
                                .map(node -> epoch(node.sync().clusterNodes(), owner))
                                .distinct()
                                .count()
                        == 1);
    }

    private static String epoch(String nodes, String id) {
        return nodes.lines()
                .filter(line -> line.startsWith(id))
                .map(line -> line.split(" ")[6])
                .findFirst()
                .orElse("");
    }

    private boolean serves(int node, int slot) {
        return connections
                .get(node)
                .sync()
                .clusterNodes()
                .lines()
                .filter(line -> line.contains("myself"))
                .flatMap(line -> java.util.Arrays.stream(line.split(" ")).skip(8))
                .filter(range -> !range.startsWith("["))
                .anyMatch(range -> {
                    String[] ends = range.split("-");
                    return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
                });
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        nodes.forEach(RedisProcess::close);
    }
}
