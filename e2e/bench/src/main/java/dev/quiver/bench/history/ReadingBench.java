package dev.quiver.bench.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.RecordSizes;
import dev.quiver.bench.Report;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Peak;

/** Pages of a large record, and the export of a large run. */
public final class ReadingBench implements Bench {

    private static final double AIM_MILLIS = 50;
    private static final int NAMED_EACH = 10;
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final double IDLE_CORES = 0.05;
    private static final int QUIET_LOOKS = 3;

    @Override
    public String name() {
        return "history-reading";
    }

    @Override
    public String question() {
        return "pages of runs among 10^5, of tasks among 10^6, and JUnit of 10^6 trials, over HTTP";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        RecordSizes sizes = lab.pace().record();
        Aims aims = new Aims(name());
        List<String> text = new ArrayList<>();
        try (Site site = new Site(lab)) {
            Map<String, HistoryProcess> databases = new LinkedHashMap<>();
            databases.put("SQLite", site.sqlite("reading-sqlite"));
            databases.put("PostgreSQL", site.postgres(site.closing(PostgresServer.start()), "reading-postgresql"));
            text.add(site.redis().described());
            text.add(String.format(
                    "%,d runs of one task and one run of %,d tasks with names, 1 %% of them failed with 4 KiB of output; all"
                            + " ended and sealed; pages of the default size with a good token, one request at a time",
                    sizes.runs(), sizes.tasks()));
            for (Map.Entry<String, HistoryProcess> database : databases.entrySet()) {
                measure(site, database.getValue(), database.getKey(), sizes, aims);
            }
        }
        text.add(aims.table());
        return new Report(text, aims.figures());
    }

    private static void measure(Site site, HistoryProcess history, String database, RecordSizes sizes, Aims aims)
            throws Exception {
        String run = fill(site, history, sizes, database, aims);
        time(history, "", database + ", first page of runs", sizes, aims);
        time(history, "?name=run-7", database + ", page of runs by name", sizes, aims);
        time(history, "/" + run + "/tasks", database + ", first page of tasks", sizes, aims);
        time(history, "/" + run + "/tasks?status=failed", database + ", first page of failed tasks", sizes, aims);
        long from = System.nanoTime();
        double before = history.cpuSeconds();
        Peak<Long> junit = Peak.of(() -> history.bytes("/" + run + "/junit.xml"), history::pssMiB);
        aims.add(database + ", JUnit", (System.nanoTime() - from) / 1e9, "s");
        aims.add(database + ", JUnit, processor time of the program", history.cpuSeconds() - before, "s");
        aims.add(database + ", JUnit, size", junit.value() / 1048576.0, "MiB");
        aims.add(database + ", JUnit, peak PSS", junit.most(), "MiB");
    }

    /** Returns the uid of the large run. */
    private static String fill(Site site, HistoryProcess history, RecordSizes sizes, String database, Aims aims)
            throws Exception {
        try (Stream stream = new Stream(site.redis().port(), history)) {
            String run = stream.gather("large", new Load("large", sizes.tasks(), 1, true), true);
            Load small = new Load("small", 1, 0, false);
            for (int i = 0; i < sizes.runs(); i++) {
                stream.gather("run-" + i / NAMED_EACH, small, false);
            }
            long from = System.nanoTime();
            stream.open();
            stream.awaitEmpty();
            awaitIdle(history);
            aims.add(database + ", all runs committed and sealed after", (System.nanoTime() - from) / 1e9, "s");
            return run;
        }
    }

    /** Sealing goes on for a while behind the last commit. */
    private static void awaitIdle(HistoryProcess history) throws Exception {
        for (int quiet = 0; quiet < QUIET_LOOKS; ) {
            double before = history.cpuSeconds();
            Waiting.letPass(LOOK);
            double cores = (history.cpuSeconds() - before) / LOOK.toSeconds();
            quiet = cores < IDLE_CORES ? quiet + 1 : 0;
        }
    }

    private static void time(HistoryProcess history, String path, String figure, RecordSizes sizes, Aims aims)
            throws Exception {
        List<Double> millis = new ArrayList<>();
        for (int i = -sizes.requests() / 2; i < sizes.requests(); i++) {
            long from = System.nanoTime();
            history.bytes(path);
            if (i >= 0) {
                millis.add((System.nanoTime() - from) / 1e6);
            }
        }
        aims.add(figure + ", p50", Latencies.quantile(millis, 0.5), "ms");
        aims.add(figure + ", p99", Latencies.quantile(millis, 0.99), "ms", AIM_MILLIS);
    }
}
