package dev.quiver.bench.calls;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Samples;
import dev.quiver.bench.Table;
import dev.quiver.bench.handover.Side;
import dev.quiver.bench.handover.Sides;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.bench.quiver.NoopHandler;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.bench.throughput.Contender;
import dev.quiver.bench.throughput.Executors;
import dev.quiver.bench.throughput.QuiverContender;
import dev.quiver.bench.throughput.Rounds;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;

/**
 * Functions of real handler processes, called by a supervisor that works for Redis: one at a time and several at once.
 * Each returns the sum of its own input's numbers, and one in twenty fails. The slots alone are the limit of one at a
 * time.
 */
public final class CallsBench implements Bench {

    private static final int FEW = 20;
    private static final TaskSource MANY = pairs(10_000, 10_000);

    /** In what one language's functions are called. */
    private record Language(String name, ExecutorProgram agent, Map<String, Way> ways) {}

    /** A function, and how many tasks it gets at once. */
    private record Way(String function, Optional<Integer> batch) {}

    @Override
    public String name() {
        return "calls";
    }

    @Override
    public String question() {
        return "calls of handlers a second through one supervisor, accounted in Redis"
                + " (aims: C 70,000 and batched 150,000; Python 25,000 and vectorised 150,000)";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        ExecutorProgram touch = ExecutorProgram.withHandlers(
                ExecutorProgram.agent(lab), List.of(NoopHandler.built(lab).toString(), "handler"), Map.of());
        List<Integer> slots = lab.pace().callSlots();
        List<Contender> contenders = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(lab)) {
            contenders.add(new SlotsAlone(touch));
            for (Language language : languages(lab)) {
                for (Map.Entry<String, Way> way : language.ways().entrySet()) {
                    contenders.add(start(lab, language, way.getKey(), way.getValue(), slots, redis));
                }
            }
            Map<Integer, Map<String, Samples>> rates = Rounds.measure(contenders, slots, redis, lab.pace());
            List<String> text = new ArrayList<>();
            text.add(redis.described());
            text.add(
                    "a handler process for each slot, behind the real agent; slots alone: no-op functions in C, one at a"
                            + " time, handed out by a board in this JVM. All others: the supervisor's process, a matrix source,"
                            + " functions that add two numbers of their input and fail for one in twenty, counted when Redis has"
                            + " accounted for them; each first worked through "
                            + String.format(
                                    Locale.ROOT,
                                    "%,d tasks, of which exactly %,d failed",
                                    lab.pace().tasks().checked(),
                                    lab.pace().tasks().checked() / FEW));
            text.add(table(rates).toString());
            contenders.forEach(contender -> text.addAll(contender.remarks()));
            return new Report(text, figures(rates));
        } finally {
            for (Contender contender : contenders) {
                contender.close();
            }
        }
    }

    private static List<Language> languages(Lab lab) throws Exception {
        Map<String, Way> plain = new LinkedHashMap<>();
        plain.put("one at a time", new Way("sum", Optional.of(1)));
        plain.put("batched", new Way("sum", Optional.empty()));
        Map<String, Way> vectorised = new LinkedHashMap<>(plain);
        vectorised.put("list", new Way("sum-list", Optional.of(64)));
        vectorised.put("table", new Way("sum-table", Optional.of(64)));
        Side python = Sides.python(lab, "calls.py");
        return List.of(
                new Language(
                        "C", agent(lab, List.of(NoopHandler.built(lab, "calls").toString()), Map.of()), plain),
                new Language("Python", agent(lab, python.command(), python.environment()), vectorised));
    }

    private static ExecutorProgram agent(Lab lab, List<String> handler, Map<String, String> environment)
            throws Exception {
        return ExecutorProgram.withHandlers(ExecutorProgram.agent(lab), handler, environment);
    }

    private static Contender start(
            Lab lab, Language language, String way, Way call, List<Integer> slots, RedisServer redis) throws Exception {
        String name = language.name() + ", " + way;
        Executors executors = new Executors(
                name,
                name.toLowerCase(Locale.ROOT).replaceAll("[^a-z]+", "-"),
                language.agent(),
                new Execution.Handler(call.function()),
                MANY,
                call.batch(),
                Executors.Recorded.NOT);
        QuiverContender contender = QuiverContender.start(lab, executors, slots, redis, redis.port());
        int checked = lab.pace().tasks().checked();
        contender.check(slots.getFirst(), pairs(checked / FEW, FEW), checked - checked / FEW, checked / FEW);
        return contender;
    }

    private static TaskSource pairs(int a, int b) {
        Map<String, List<String>> keys = new LinkedHashMap<>();
        keys.put("a", numbers(a));
        keys.put("b", numbers(b));
        return new TaskSource.Matrix(keys);
    }

    private static List<String> numbers(int count) {
        return LongStream.range(0, count).mapToObj(Long::toString).toList();
    }

    private static Table table(Map<Integer, Map<String, Samples>> rates) {
        List<String> names = List.copyOf(
                rates.values().iterator().next().keySet().stream().sorted().toList());
        List<String> heads = new ArrayList<>(List.of("slots"));
        heads.addAll(names);
        Table table = new Table(heads.toArray(String[]::new));
        rates.forEach((slots, row) -> {
            List<String> cells = new ArrayList<>(List.of("" + slots));
            names.forEach(name -> cells.add(row.get(name).shown()));
            table.row(cells.toArray(String[]::new));
        });
        return table;
    }

    private List<Figure> figures(Map<Integer, Map<String, Samples>> rates) {
        List<Figure> figures = new ArrayList<>();
        rates.forEach((slots, row) -> row.forEach((contender, samples) -> figures.add(
                contender.equals(SlotsAlone.NAME)
                        ? Figure.of(name(), contender + ", slots=" + slots, samples.median(), "tasks/s")
                        : Figure.of(
                                name(),
                                contender + ", slots=" + slots,
                                samples.median(),
                                "tasks/s",
                                SlotsAlone.NAME,
                                row.get(SlotsAlone.NAME).median()))));
        return figures;
    }
}
