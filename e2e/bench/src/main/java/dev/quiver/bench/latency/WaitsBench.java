package dev.quiver.bench.latency;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Samples;
import dev.quiver.bench.Table;
import dev.quiver.bench.peer.InstalledPeer;
import dev.quiver.bench.peer.Peer;
import dev.quiver.bench.peer.PeerKind;
import dev.quiver.bench.redis.RedisServer;

/** How long tasks wait for their start at half load, warm workers, all contenders in turn on one Redis. */
abstract class WaitsBench implements Bench {

    private static final Map<String, Double> PERCENTILES = new LinkedHashMap<>();

    static {
        PERCENTILES.put("p50", 50.0);
        PERCENTILES.put("p99", 99.0);
        PERCENTILES.put("p99.9", 99.9);
    }

    /** The peers that take part. */
    abstract PeerKind[] peers();

    /** A peer that was started, in each way in which it serves; each of the servers ends it. */
    abstract List<Server> of(Peer peer, PeerKind kind);

    /** Starts ours, and adds each as soon as it is there. */
    abstract void startOurs(Lab lab, RedisServer redis, HalfLoad load, List<Server> servers) throws Exception;

    /** The load in words. */
    abstract String described(HalfLoad load);

    @Override
    public final Report run(Lab lab) throws Exception {
        List<String> text = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        for (int slots : lab.pace().latencySlots()) {
            run(lab, new HalfLoad(slots, lab.pace().work(), lab.pace().arrivals()), text, figures);
        }
        return new Report(text, figures);
    }

    private void run(Lab lab, HalfLoad load, List<String> text, List<Figure> figures) throws Exception {
        Map<String, List<Waits>> waits = new LinkedHashMap<>();
        List<Server> servers = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(lab)) {
            text.add(redis.described());
            int rounds = lab.pace().rounds();
            text.add("%s for %d s, %d rounds after %d warm-ups and as many rounds that do not count"
                    .formatted(described(load), load.time().toSeconds(), rounds, load.warmUps()));
            try {
                for (PeerKind kind : lab.alone() ? new PeerKind[0] : peers()) {
                    InstalledPeer peer = kind.install(lab);
                    text.add(peer.version());
                    servers.addAll(of(Peer.start(peer, redis.port(), redis.port()), kind));
                }
                startOurs(lab, redis, load, servers);
                for (Server server : servers) {
                    server.warmUp(load);
                }
                for (int round = -rounds; round < rounds; round++) {
                    for (Server server : servers) {
                        Waits turn = server.turn(load);
                        if (round >= 0) {
                            waits.computeIfAbsent(server.name(), any -> new ArrayList<>())
                                    .add(turn);
                        }
                    }
                }
            } finally {
                closeAll(servers);
            }
        }
        text.add(table(waits).toString());
        figures.addAll(figures(load, waits));
    }

    private static void closeAll(List<Server> servers) throws IOException {
        for (Server server : servers) {
            server.close();
        }
    }

    private static Table table(Map<String, List<Waits>> waits) {
        Table table = new Table("ms", "p50", "p99", "p99.9", "max", "tasks a round");
        waits.forEach((name, rounds) -> table.row(
                name,
                shown(rounds, turn -> turn.millis(50)),
                shown(rounds, turn -> turn.millis(99)),
                shown(rounds, turn -> turn.millis(99.9)),
                shown(rounds, turn -> turn.millis(100)),
                "%.0f".formatted(median(rounds, Waits::sent))));
        return table;
    }

    private List<Figure> figures(HalfLoad load, Map<String, List<Waits>> waits) {
        List<Figure> figures = new ArrayList<>();
        PERCENTILES.forEach((percentile, at) -> {
            Map<String, Double> medians = new LinkedHashMap<>();
            waits.forEach((name, rounds) -> medians.put(name, median(rounds, turn -> turn.millis(at))));
            medians.forEach((name, value) ->
                    figures.add(figure(name + ", " + load.slots() + " slots, " + percentile, name, value, medians)));
        });
        return figures;
    }

    private Figure figure(String figure, String name, double value, Map<String, Double> medians) {
        return medians.entrySet().stream()
                .filter(other -> name.startsWith("quiver") && !other.getKey().startsWith("quiver"))
                .min(Comparator.comparingDouble(Map.Entry::getValue))
                .map(best -> Figure.of(name(), figure, value, "ms", best.getKey(), best.getValue()))
                .orElseGet(() -> Figure.of(name(), figure, value, "ms"));
    }

    private static double median(List<Waits> rounds, ToDoubleFunction<Waits> of) {
        return new Samples(rounds.stream().mapToDouble(of).boxed().toList()).median();
    }

    private static String shown(List<Waits> rounds, ToDoubleFunction<Waits> of) {
        return String.format(Locale.ROOT, "%.2f", median(rounds, of));
    }
}
