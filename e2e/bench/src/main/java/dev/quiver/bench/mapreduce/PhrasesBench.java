package dev.quiver.bench.mapreduce;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import com.fasterxml.jackson.databind.ObjectMapper;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Samples;
import dev.quiver.bench.Table;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.peer.InstalledPeer;
import dev.quiver.bench.peer.PeerKind;
import dev.quiver.bench.process.Peak;
import dev.quiver.bench.process.ProcessMemory;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TreeNode;

/** The example of phrases by one process, by Dask, and by slots: the same functions on the same files. */
public final class PhrasesBench implements Bench {

    private static final List<Integer> WORKERS = List.of(1, 2, 4);
    private static final String NAMESPACE = "phrases";
    private static final String ALONE = "one process";
    private static final Duration PATIENCE = Duration.ofMinutes(20);
    private static final Duration LOOK = Duration.ofMillis(10);
    private static final int REGION_BYTES = 1 << 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public String name() {
        return "mapreduce-phrases";
    }

    @Override
    public String question() {
        return "seconds for the phrases of a corpus with 1, 2, 4 workers (aims: ahead of Dask, within 1.3 of one process"
                + " by the number of slots)";
    }

    private static final class Runs {
        final List<Double> seconds = new ArrayList<>();
        double peak;

        void add(PhrasesPeer.Run run, String expected) throws Exception {
            if (!JSON.readTree(run.phrases()).equals(JSON.readTree(expected))) {
                throw new IllegalStateException("other phrases: " + run.phrases());
            }
            seconds.add(run.seconds());
            peak = Math.max(peak, run.peakMiB());
        }

        double median() {
            return new Samples(seconds).median();
        }
    }

    @Override
    public Report run(Lab lab) throws Exception {
        InstalledPeer dask = PeerKind.DASK.install(lab);
        PhrasesHandlers handlers = PhrasesHandlers.of(lab, dask);
        Map<String, Runs> all = new LinkedHashMap<>();
        try (RedisServer redis = RedisServer.start(lab)) {
            for (int round = 0; round < lab.pace().rounds(); round++) {
                PhrasesPeer.Run alone = PhrasesPeer.run(lab, handlers, 0);
                all.computeIfAbsent(ALONE, _ -> new Runs()).add(alone, alone.phrases());
                for (int workers : WORKERS) {
                    all.computeIfAbsent("Quiver, " + workers + " slots", _ -> new Runs())
                            .add(quiver(lab, redis, handlers, workers), alone.phrases());
                    if (!lab.alone()) {
                        all.computeIfAbsent("Dask, " + workers + " workers", _ -> new Runs())
                                .add(PhrasesPeer.run(lab, handlers, workers), alone.phrases());
                    }
                }
            }
            Table table = new Table("", "seconds", "peak");
            all.forEach((who, runs) -> table.row(
                    who,
                    String.format(Locale.ROOT, "%.1f", runs.median()),
                    String.format(Locale.ROOT, "%.0f MiB", runs.peak)));
            String conditions = "%s; 441 files, each read %d times, combines of 16; results above 64 KiB in files of a"
                    + " directory; the processes are there before the clock runs; peak is the memory of all of a"
                    + " contender's processes, Quiver's Redis included";
            return new Report(
                    List.of(
                            redis.described(),
                            conditions.formatted(
                                    dask.version(), lab.pace().tasks().readings()),
                            table.toString()),
                    figures(all));
        }
    }

    private static PhrasesPeer.Run quiver(Lab lab, RedisServer redis, PhrasesHandlers handlers, int slots)
            throws Exception {
        Path scratch = lab.folder("scratch");
        try (Headquarters headquarters = new Headquarters(redis.port(), NAMESPACE)) {
            String pool = NAMESPACE + "-" + slots;
            Worker.Post post =
                    new Worker.Post(NAMESPACE, pool, headquarters.announce(pool), slots).withRegions(REGION_BYTES);
            try (Worker worker =
                    Worker.start(lab, Program.supervisor(lab), post, redis.port(), handlers.executor(lab))) {
                run(headquarters, PhrasesHandlers.warmUp(pool, slots));
                TreeNode job = PhrasesHandlers.job(pool, lab.pace().tasks().readings(), scratch);
                Peak<PhrasesPeer.Run> peak = Peak.of(
                        () -> run(headquarters, job),
                        () -> ProcessMemory.pssMiBOfAll(worker.supervisor().pid())
                                + ProcessMemory.pssMiBOfAll(worker.executor().pid())
                                + ProcessMemory.pssMiBOfAll(redis.pid()));
                return new PhrasesPeer.Run(
                        peak.value().seconds(), peak.most(), peak.value().phrases());
            }
        }
    }

    private static PhrasesPeer.Run run(Headquarters headquarters, TreeNode root) throws Exception {
        long from = System.nanoTime();
        String tree = headquarters.plant(List.of(root), PATIENCE).getFirst();
        Waiting.await("the phrases", PATIENCE, () -> {
            Waiting.letPass(LOOK);
            return headquarters.tree(tree).orElseThrow().over();
        });
        double seconds = (System.nanoTime() - from) / 1e9;
        return new PhrasesPeer.Run(seconds, 0, headquarters.result(tree));
    }

    private List<Figure> figures(Map<String, Runs> all) {
        List<Figure> figures = new ArrayList<>();
        double alone = all.get(ALONE).median();
        figures.add(Figure.of(name(), ALONE, alone, "s"));
        for (int workers : WORKERS) {
            Runs quiver = all.get("Quiver, " + workers + " slots");
            Runs dask = all.get("Dask, " + workers + " workers");
            Figure figure = Figure.of(name(), workers + " slots", quiver.median(), "s");
            figures.add(figure.against("one process by slots", alone / workers));
            if (dask != null) {
                figures.add(figure.against("Dask", dask.median()));
            }
        }
        return figures;
    }
}
