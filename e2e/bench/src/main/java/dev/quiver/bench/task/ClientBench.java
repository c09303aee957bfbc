package dev.quiver.bench.task;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.quiver.bench.Bench;
import dev.quiver.bench.ContentCache;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Samples;
import dev.quiver.bench.Table;
import dev.quiver.bench.handover.Side;
import dev.quiver.bench.handover.Sides;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.TimedHandler;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.bench.redis.RedisServer;

/** A program with the Python client: tasks a second from its first submit to its last collected result. */
public final class ClientBench implements Bench {

    private static final String NAMESPACE = "programs";

    /** Words of {@code submit.py} and of people. */
    private static final Map<String, String> WAYS = new LinkedHashMap<>();

    static {
        WAYS.put("all", "results together");
        WAYS.put("each", "each result as its task ends");
    }

    @Override
    public String name() {
        return "task-client";
    }

    @Override
    public String question() {
        return "tasks a second of a program in Python, from the first submit to the last collected result";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        int tasks = lab.pace().tasks().collected();
        List<Figure> figures = new ArrayList<>();
        Table table = new Table("slots", "collected", "submitted tasks/s", "collected tasks/s");
        Side program = Sides.python(lab, "submit.py");
        String redisWords;
        try (RedisServer redis = RedisServer.start(lab);
                Headquarters headquarters = new Headquarters(redis.port(), NAMESPACE)) {
            redisWords = redis.described();
            for (int slots : lab.pace().latencySlots()) {
                String pool = "pool-" + slots;
                Worker.Post post = new Worker.Post(NAMESPACE, pool, headquarters.announce(pool), slots);
                try (Worker _ =
                        Worker.start(lab, Program.supervisor(lab), post, redis.port(), TimedHandler.atOnce(lab))) {
                    run(lab, program, redis, pool, tasks, "all"); // warms the supervisor up
                    for (Map.Entry<String, String> way : WAYS.entrySet()) {
                        List<Double> submitted = new ArrayList<>();
                        List<Double> collected = new ArrayList<>();
                        for (int round = 0; round < lab.pace().rounds(); round++) {
                            double[] seconds = run(lab, program, redis, pool, tasks, way.getKey());
                            submitted.add(tasks / seconds[0]);
                            collected.add(tasks / seconds[1]);
                            redis.restBetweenTurns();
                        }
                        table.row(
                                "" + slots,
                                way.getValue(),
                                new Samples(submitted).shown(),
                                new Samples(collected).shown());
                        figures.add(Figure.of(
                                name(),
                                way.getValue() + ", slots=" + slots,
                                new Samples(collected).median(),
                                "tasks/s"));
                    }
                }
            }
        }
        String conditions = String.format(
                Locale.ROOT,
                "%,d tasks in a program's life, handlers in C that return their argument, %d rounds after a warm-up",
                tasks,
                lab.pace().rounds());
        return new Report(List.of(redisWords, conditions, table.toString()), figures);
    }

    /** Seconds to the last submitted task and to the last result. */
    private static double[] run(Lab lab, Side program, RedisServer redis, String pool, int tasks, String way)
            throws Exception {
        List<String> command = new ArrayList<>(program.command());
        command.addAll(
                List.of("redis://127.0.0.1:" + redis.port(), NAMESPACE, pool, TimedHandler.FUNCTION, "" + tasks, way));
        String[] seconds = ContentCache.run(lab.scratch(), command, program.environment())
                .strip()
                .split(" ");
        return new double[] {Double.parseDouble(seconds[0]), Double.parseDouble(seconds[1])};
    }
}
