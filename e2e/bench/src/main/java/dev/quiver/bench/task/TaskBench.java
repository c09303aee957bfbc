package dev.quiver.bench.task;

import java.io.Closeable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Samples;
import dev.quiver.bench.Table;
import dev.quiver.bench.peer.InstalledPeer;
import dev.quiver.bench.peer.Peer;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.bench.throughput.Contender;
import dev.quiver.bench.throughput.Executors;
import dev.quiver.bench.throughput.PeerContender;
import dev.quiver.bench.throughput.QuiverContender;
import dev.quiver.bench.throughput.Rounds;

/**
 * No-op leaves of Tasks a second: created, activated, claimed, run through the slots and finished, with all that is
 * accounted. Beside them the tasks of a TaskSet through the same executor, and the peers, whose queues are filled before.
 */
public final class TaskBench implements Bench {

    private static final String TASK_SET = "TaskSet";

    @Override
    public String name() {
        return "task";
    }

    @Override
    public String question() {
        return "no-op leaves of Tasks a second, creation included, beside a TaskSet, BullMQ and asynq"
                + " (aim: twice BullMQ)";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        Deque<Closeable> toClose = new ArrayDeque<>();
        try (RedisServer redis = RedisServer.start(lab)) {
            List<Contender> contenders = new ArrayList<>();
            List<String> text = new ArrayList<>(List.of(redis.described()));
            List<String> peers = new ArrayList<>();
            for (InstalledPeer installed : InstalledPeer.all(lab)) {
                text.add(installed.version());
                peers.add(installed.name());
                contenders.add(new PeerContender(Peer.start(installed, redis.port(), redis.port())));
                toClose.push(contenders.getLast());
            }
            List<Integer> slots = lab.pace().slots();
            Executors executors = Executors.oneThread(lab, TASK_SET);
            contenders.add(QuiverContender.start(lab, executors, slots, redis, redis.port()));
            toClose.push(contenders.getLast());
            for (Shape shape : Shape.values()) {
                contenders.add(TreesContender.start(lab, shape, executors.program(), slots, redis));
                toClose.push(contenders.getLast());
            }
            Map<Integer, Map<String, Samples>> rates = Rounds.measure(contenders, slots, redis, lab.pace());
            text.add(table(contenders, rates).toString());
            contenders.forEach(contender -> text.addAll(contender.remarks()));
            return new Report(text, figures(rates, peers));
        } finally {
            while (!toClose.isEmpty()) {
                toClose.pop().close();
            }
        }
    }

    private static Table table(List<Contender> contenders, Map<Integer, Map<String, Samples>> rates) {
        List<String> head = new ArrayList<>(List.of("slots"));
        contenders.forEach(contender -> head.add(contender.name()));
        Table table = new Table(head.toArray(String[]::new));
        rates.forEach((slots, row) -> {
            List<String> cells = new ArrayList<>(List.of("" + slots));
            contenders.forEach(contender -> cells.add(row.get(contender.name()).shown()));
            table.row(cells.toArray(String[]::new));
        });
        return table;
    }

    private List<Figure> figures(Map<Integer, Map<String, Samples>> rates, List<String> peers) {
        List<Figure> figures = new ArrayList<>();
        rates.forEach((slots, row) -> row.forEach((contender, samples) -> {
            String figure = String.format(Locale.ROOT, "%s, slots=%d", contender, slots);
            Figure alone = Figure.of(name(), figure, samples.median(), "tasks/s");
            Optional<String> peer = peers.stream()
                    .filter(row::containsKey)
                    .max(Comparator.comparingDouble(name -> row.get(name).median()));
            figures.add(peer.filter(other -> !peers.contains(contender))
                    .map(other -> alone.against(
                            other + ", concurrency=" + slots, row.get(other).median()))
                    .orElse(alone));
        }));
        return figures;
    }
}
