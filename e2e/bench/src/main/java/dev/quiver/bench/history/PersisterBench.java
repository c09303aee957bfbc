package dev.quiver.bench.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.RecordSizes;
import dev.quiver.bench.Report;
import dev.quiver.bench.process.ProcessMemory;

/** Trials a second from a filled stream to the committed record, and to the sealed one. */
public final class PersisterBench implements Bench {

    /** Need: a pool that works off as many tasks a second. */
    private static final double AIM = 100_000;

    private static final String UNIT = "trials/s";

    @Override
    public String name() {
        return "history-persister";
    }

    @Override
    public String question() {
        return "trials a second from Redis' stream to SQLite and PostgreSQL, in order and in permuted order";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        List<Load> loads = loads(lab.pace().record());
        Aims aims = new Aims(name());
        List<String> text = new ArrayList<>();
        try (Site site = new Site(lab)) {
            PostgresServer postgres = site.closing(PostgresServer.start());
            Map<String, Turn> databases = new LinkedHashMap<>();
            databases.put("SQLite", new Turn(site, site.sqlite("sqlite"), 0));
            databases.put("PostgreSQL", new Turn(site, site.postgres(postgres, "postgresql"), postgres.pid()));
            text.add(site.redis().described());
            text.add(
                    "each program with its image's options and the chart's memory, alone at work in its turn; PostgreSQL"
                            + " with its own settings; a run has all trials of a stream, in steps of 64, of 16 workers; failing"
                            + " trials have 4 KiB of output, deflated to " + Load.tailBytes() + " bytes");
            for (Turn turn : databases.values()) {
                for (Load load : loads) {
                    turn.measure(
                            new Load("warm-up", load.tasks() / 4, load.failing(), load.permuted()), new Aims(""), "");
                }
            }
            for (int round = 0; round < lab.pace().rounds(); round++) {
                for (Load load : loads) {
                    for (Map.Entry<String, Turn> database : databases.entrySet()) {
                        database.getValue().measure(load, aims, database.getKey());
                        site.redis().restBetweenTurns();
                    }
                }
            }
            text.add(aims.table());
        }
        return new Report(text, aims.figures());
    }

    private static List<Load> loads(RecordSizes sizes) {
        List<Load> loads = new ArrayList<>();
        for (Load load : List.of(
                new Load("passes", sizes.passes(), 0, false),
                new Load("5 % failing", sizes.mixed(), 5, false),
                new Load("all failing", sizes.rows(), 100, false))) {
            loads.add(load);
            loads.add(load.inPermutedOrder());
        }
        return loads;
    }

    /**
     * One database's turns.
     *
     * @param databasePid of the database, 0 where it is within the program
     */
    private record Turn(Site site, HistoryProcess history, long databasePid) {

        void measure(Load load, Aims aims, String database) throws Exception {
            try (Stream stream = new Stream(site.redis().port(), history)) {
                stream.gather("run", load, false);
                double bytes = stream.gatheredBytes();
                double before = cpu();
                long from = System.nanoTime();
                stream.open();
                stream.awaitEmpty();
                double committed = (System.nanoTime() - from) / 1e9;
                double spent = cpu() - before;
                stream.awaitSealed();
                double sealed = (System.nanoTime() - from) / 1e9;
                String figure = database + ", " + load.name();
                if (load.failing() == 100) {
                    aims.add(figure, load.tasks() / committed, UNIT);
                } else {
                    aims.add(figure, load.tasks() / committed, UNIT, AIM);
                }
                aims.add(figure + ", sealed", load.tasks() / sealed, UNIT);
                aims.add(figure + ", processor time to committed", spent * 1e6 / load.tasks(), "µs/trial");
                aims.add(figure + ", processor time with sealing", (cpu() - before) * 1e6 / load.tasks(), "µs/trial");
                aims.add(figure + ", in Redis", bytes / load.tasks(), "B/trial");
            }
        }

        private double cpu() throws Exception {
            double program = history.cpuSeconds();
            return databasePid == 0 ? program : program + ProcessMemory.cpuSeconds(databasePid);
        }
    }
}
