package dev.quiver.bench.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Table;
import dev.quiver.bench.peer.InstalledPeer;
import dev.quiver.bench.peer.Peer;
import dev.quiver.bench.peer.PeerKind;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.redis.RedisServer;

/** Redis' memory of a task that waits: without arguments, and with no worker there. */
public final class BytesBench implements Bench {

    private static final String POOL = "queued";

    /** Makes tasks wait, and returns their number. */
    @FunctionalInterface
    private interface Filling {
        long fill(int tasks) throws Exception;
    }

    @Override
    public String name() {
        return "task-bytes";
    }

    @Override
    public String question() {
        return "bytes of Redis for each queued task, beside BullMQ and idoit";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        List<String> text = new ArrayList<>();
        Map<String, Double> bytes = new LinkedHashMap<>();
        Table table = new Table("queued", "tasks", "bytes a task");
        try (RedisServer redis = RedisServer.start(lab)) {
            text.add(redis.described() + "; memory without that of connections and of the append-only file's buffer");
            int tasks = lab.pace().tasks().queued();
            for (Shape shape : List.of(Shape.SINGLE, Shape.LEAVES, Shape.CHAINS)) {
                try (Headquarters headquarters = new Headquarters(redis.port(), "bytes")) {
                    headquarters.announce(POOL);
                    measure(shape.words(), redis, tasks, number -> plant(headquarters, shape, number), bytes, table);
                }
            }
            for (InstalledPeer installed : PeerKind.install(lab, PeerKind.BULLMQ, PeerKind.IDOIT)) {
                text.add(installed.version());
                try (Peer peer = Peer.start(installed, redis.port(), redis.port())) {
                    measure(peer.name(), redis, tasks, peer::fill, bytes, table);
                }
            }
        }
        text.add(table.toString());
        return new Report(text, figures(bytes));
    }

    private static void measure(
            String name, RedisServer redis, int tasks, Filling filling, Map<String, Double> bytes, Table table)
            throws Exception {
        long before = redis.bytesOfData();
        long queued = filling.fill(tasks);
        double each = (double) (redis.bytesOfData() - before) / queued;
        redis.commands().flushall();
        bytes.put(name, each);
        table.row(name, "" + queued, String.format(Locale.ROOT, "%.0f", each));
    }

    private static long plant(Headquarters headquarters, Shape shape, int tasks) {
        long planted = 0;
        while (planted < tasks) {
            headquarters.plant(shape.roots(POOL), Duration.ZERO);
            planted += shape.leaves();
        }
        return planted;
    }

    private List<Figure> figures(Map<String, Double> bytes) {
        return bytes.entrySet().stream()
                .map(entry -> Figure.of(name(), entry.getKey() + ", queued", entry.getValue(), "bytes"))
                .toList();
    }
}
