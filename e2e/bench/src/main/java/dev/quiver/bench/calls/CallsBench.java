package dev.quiver.bench.calls;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Samples;
import dev.quiver.bench.Table;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.bench.quiver.NoopHandler;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.bench.throughput.Contender;
import dev.quiver.bench.throughput.Executors;
import dev.quiver.bench.throughput.QuiverContender;
import dev.quiver.bench.throughput.Rounds;
import dev.quiver.lifecycle.execution.Execution;

/** The same no-op handlers, called by a board alone and by a supervisor that works for Redis. */
public final class CallsBench implements Bench {

    static final String WITH_REDIS = "with Redis";

    @Override
    public String name() {
        return "calls";
    }

    @Override
    public String question() {
        return "no-op handler tasks a second through one supervisor, without Redis and with it (aim: Redis is the limit)";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        Path handler = NoopHandler.built(lab);
        ExecutorProgram agent = ExecutorProgram.withHandlers(
                ExecutorProgram.agent(lab), List.of(handler.toString(), "handler"), Map.of());
        Executors handlers =
                new Executors(WITH_REDIS, "handlers", agent, new Execution.Handler(NoopHandler.FUNCTION), false);
        List<Integer> slots = lab.pace().callSlots();
        try (RedisServer redis = RedisServer.start(lab);
                Contender alone = new SlotsAlone(agent);
                Contender through = QuiverContender.start(lab, handlers, slots, redis, redis.port())) {
            Map<Integer, Map<String, Samples>> rates =
                    Rounds.measure(List.of(alone, through), slots, redis, lab.pace());
            List<String> text = new ArrayList<>();
            text.add(redis.described());
            text.add(
                    "a handler process in C for each slot, behind the real agent; alone: the board in this JVM hands out the"
                            + " next task when a slot is ready, on its own thread; with Redis: the supervisor's process, a count source, tasks that Redis has accounted for");
            text.add(table(rates).toString());
            text.addAll(alone.remarks());
            text.addAll(through.remarks());
            return new Report(text, figures(rates));
        }
    }

    private static Table table(Map<Integer, Map<String, Samples>> rates) {
        Table table = new Table("slots", SlotsAlone.NAME, WITH_REDIS, "alone / with Redis");
        rates.forEach((slots, row) -> {
            Samples alone = row.get(SlotsAlone.NAME);
            Samples through = row.get(WITH_REDIS);
            table.row(
                    "" + slots,
                    alone.shown(),
                    through.shown(),
                    String.format(Locale.ROOT, "%.1f", alone.median() / through.median()));
        });
        return table;
    }

    private List<Figure> figures(Map<Integer, Map<String, Samples>> rates) {
        List<Figure> figures = new ArrayList<>();
        rates.forEach((slots, row) -> {
            double alone = row.get(SlotsAlone.NAME).median();
            double through = row.get(WITH_REDIS).median();
            figures.add(Figure.of(name(), SlotsAlone.NAME + ", slots=" + slots, alone, "tasks/s", WITH_REDIS, through));
            figures.add(Figure.of(name(), WITH_REDIS + ", slots=" + slots, through, "tasks/s"));
        });
        return figures;
    }
}
