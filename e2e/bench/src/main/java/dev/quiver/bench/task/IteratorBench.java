package dev.quiver.bench.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Table;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.TimedHandler;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TreeState;

/** The peak of Redis' memory while an iterator's children come and go, through real slots. */
public final class IteratorBench implements Bench {

    private static final String NAMESPACE = "walk";
    private static final int SLOTS = 8;
    private static final int WINDOW = 1_000;
    private static final Duration KEEP = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    @Override
    public String name() {
        return "task-iterator";
    }

    @Override
    public String question() {
        return "the peak of Redis' memory over the start while an iterator's children come and go (aim: that of the"
                + " window, whatever their number)";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        List<Figure> figures = new ArrayList<>();
        Table table = new Table("children", "peak over the start", "at the end", "children/s");
        try (RedisServer redis = RedisServer.start(lab);
                Headquarters headquarters = new Headquarters(redis.port(), NAMESPACE)) {
            Worker.Post post = new Worker.Post(NAMESPACE, NAMESPACE, headquarters.announce(NAMESPACE), SLOTS);
            try (Worker _ = Worker.start(lab, Program.supervisor(lab), post, redis.port(), TimedHandler.atOnce(lab))) {
                walk(headquarters, redis, WINDOW, new ArrayList<>()); // its keys and its code are there
                for (int children : lab.pace().tasks().children()) {
                    redis.restBetweenTurns();
                    List<Long> bytes = new ArrayList<>(List.of(redis.bytesOfData()));
                    double seconds = walk(headquarters, redis, children, bytes);
                    double peak =
                            (bytes.stream().mapToLong(Long::longValue).max().orElseThrow() - bytes.getFirst()) / 1e6;
                    table.row(
                            "" + children,
                            String.format(Locale.ROOT, "%.2f MB", peak),
                            String.format(Locale.ROOT, "%.2f MB", (bytes.getLast() - bytes.getFirst()) / 1e6),
                            String.format(Locale.ROOT, "%,.0f", children / seconds));
                    figures.add(Figure.of(name(), children + " children, peak", peak, "MB"));
                }
            }
            String conditions = "%d slots, handlers in C, window %d, children of one argument; memory without that of"
                    + " connections and of the append-only file's buffer, read each 20 ms";
            return new Report(
                    List.of(redis.described(), conditions.formatted(SLOTS, WINDOW), table.toString()), figures);
        }
    }

    /** Works off an iterator and adds what Redis holds, last when all is over; returns the seconds that it took. */
    private static double walk(Headquarters headquarters, RedisServer redis, int children, List<Long> bytes)
            throws Exception {
        long from = System.nanoTime();
        String tree = headquarters
                .plant(List.of(TimedHandler.walk(NAMESPACE, children, WINDOW)), KEEP)
                .getFirst();
        Waiting.await("the end of the iterator", PATIENCE, () -> {
            Waiting.letPass(Duration.ofMillis(20));
            bytes.add(redis.bytesOfData());
            return headquarters.tree(tree).orElseThrow().over();
        });
        double seconds = (System.nanoTime() - from) / 1e9;
        TreeState end = headquarters.tree(tree).orElseThrow();
        if (end.state() != TreeState.State.FINISHED || end.progress() != children) {
            throw new IllegalStateException("an iterator of " + children + " children ended as " + end);
        }
        bytes.add(redis.bytesOfData());
        return seconds;
    }
}
