package dev.quiver.bench.history;

import java.util.List;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.process.Peak;

/** Memory of the program while it works off what gathered in hours without it. */
public final class BacklogBench implements Bench {

    private static final double AIM_MIB = 256;

    @Override
    public String name() {
        return "history-backlog";
    }

    @Override
    public String question() {
        return "peak memory of history while it persists and seals 10^7 trials that waited, and the time that takes";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        Load backlog = new Load("in order", lab.pace().record().backlog(), 0, false);
        Aims aims = new Aims(name());
        try (Site site = new Site(lab)) {
            for (Load load : List.of(backlog, backlog.inPermutedOrder())) {
                measure(site, load, load.permuted() ? "backlog-permuted" : "backlog", aims);
            }
            return new Report(
                    List.of(
                            site.redis().described(),
                            String.format(
                                    "%,d first-time passes of one run, SQLite; a program that has just started for each order;"
                                            + " PSS by smaps_rollup, five looks a second",
                                    backlog.tasks()),
                            aims.table()),
                    aims.figures());
        }
    }

    private static void measure(Site site, Load load, String namespace, Aims aims) throws Exception {
        try (Stream stream = new Stream(site.redis().port(), namespace, "")) {
            stream.gather("run", load, false);
            HistoryProcess history = site.sqlite(namespace);
            String figure = load.name();
            Peak<Double> committing = Peak.of(() -> committed(stream), history::pssMiB);
            Peak<Double> sealing = Peak.of(() -> sealed(stream), history::pssMiB);
            aims.add(figure + ", peak PSS while committing", committing.most(), "MiB", AIM_MIB);
            aims.add(figure + ", peak PSS while sealing", sealing.most(), "MiB", AIM_MIB);
            aims.add(figure + ", committed after", committing.value(), "s");
            aims.add(figure + ", sealed after", committing.value() + sealing.value(), "s");
            aims.add(figure + ", processor time", history.cpuSeconds() * 1e6 / load.tasks(), "µs/trial");
            history.close();
        }
    }

    private static double committed(Stream stream) throws Exception {
        long from = System.nanoTime();
        stream.open();
        stream.awaitEmpty();
        return (System.nanoTime() - from) / 1e9;
    }

    private static double sealed(Stream stream) throws Exception {
        long from = System.nanoTime();
        stream.awaitSealed();
        return (System.nanoTime() - from) / 1e9;
    }
}
