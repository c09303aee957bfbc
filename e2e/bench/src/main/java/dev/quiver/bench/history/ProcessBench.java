package dev.quiver.bench.history;

import java.util.List;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.AotCache;
import dev.quiver.bench.process.Program;

/** The program itself: how soon it is ready, and what it takes when nobody asks. */
public final class ProcessBench implements Bench {

    @Override
    public String name() {
        return "history-footprint";
    }

    @Override
    public String question() {
        return "time from process start to ready, and memory of an idle history, with SQLite";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        Aims aims = new Aims(name());
        try (Site site = new Site(lab)) {
            Program program = AotCache.trained(lab, Program.history(lab), recording -> train(site, recording));
            for (int round = 0; round < lab.pace().rounds(); round++) {
                try (HistoryProcess history = site.sqlite(program, "footprint-" + round)) {
                    aims.add("ready", history.toReady().toMillis() / 1e3, "s");
                    aims.add("processor time to ready", history.cpuSeconds(), "s");
                    Waiting.letPass(lab.pace().settle());
                    aims.add("PSS idle", history.pssMiB(), "MiB");
                    double before = history.cpuSeconds();
                    Waiting.letPass(lab.pace().settle());
                    aims.add(
                            "idle",
                            100
                                    * (history.cpuSeconds() - before)
                                    / lab.pace().settle().toMillis()
                                    * 1e3,
                            "% of a core");
                }
            }
            return new Report(
                    List.of(
                            "PSS by smaps_rollup; the image's classes and JVM options, the chart's memory limit, an AOT cache"
                                    + " trained as the image's; SQLite's library unpacked from its jar, which the image is not",
                            aims.table()),
                    aims.figures());
        }
    }

    /** As the image build does: an entry that is taken, and a list that is asked for. */
    private static void train(Site site, Program recording) throws Exception {
        try (HistoryProcess history = site.sqlite(recording, "training");
                Stream stream = new Stream(site.redis().port(), history)) {
            stream.gather("run", new Load("training", 1, 0, false), false);
            stream.open();
            stream.awaitEmpty();
            history.bytes("");
        }
    }
}
