package dev.quiver.bench.history;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Waiting;
import dev.quiver.lifecycle.worker.Claim;

/** From a settlement in Redis to the trial in an answer over HTTP. */
public final class DelayBench implements Bench {

    private static final double AIM_MILLIS = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MOST_PAUSE_MILLIS = 300;
    private static final String UNIT = "ms";

    @Override
    public String name() {
        return "history-delay";
    }

    @Override
    public String question() {
        return "time from a trial's settlement in Redis until a reader gets it over HTTP";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        Aims aims = new Aims(name());
        try (Site site = new Site(lab)) {
            HistoryProcess sqlite = site.sqlite("delay-sqlite");
            HistoryProcess postgres = site.postgres(site.closing(PostgresServer.start()), "delay-postgresql");
            measure(lab, site, sqlite, "SQLite", aims);
            measure(lab, site, postgres, "PostgreSQL", aims);
            return new Report(
                    List.of(
                            site.redis().described(),
                            "a step of one passing or failing task by a session's own calls, at random moments; the clock runs"
                                    + " from the step's answer; the task is asked for without a pause until it is there",
                            aims.table()),
                    aims.figures());
        }
    }

    private static void measure(Lab lab, Site site, HistoryProcess history, String database, Aims aims)
            throws Exception {
        Random random = new Random(14);
        List<Double> millis = new java.util.ArrayList<>();
        try (Steps steps = Steps.open(site.redis().port(), history.namespace(), Optional.of(history.namespaceUid()))) {
            steps.claim(1);
            for (int i = -lab.pace().record().settled() / 4;
                    i < lab.pace().record().settled();
                    i++) {
                Waiting.letPass(Duration.ofMillis(random.nextInt(MOST_PAUSE_MILLIS)));
                Claim settled = steps.step(50).getFirst();
                long from = System.nanoTime();
                String path = "/" + steps.uid() + "/tasks/" + settled.id() + "/trials";
                Waiting.await(
                        "the record of a task",
                        PATIENCE,
                        () -> history.answers(path, body -> body.contains("\"status\"")));
                if (i >= 0) {
                    millis.add((System.nanoTime() - from) / (double) TimeUnit.MILLISECONDS.toNanos(1));
                }
            }
        }
        aims.add(database + ", p50", Latencies.quantile(millis, 0.5), UNIT, AIM_MILLIS);
        aims.add(database + ", p99", Latencies.quantile(millis, 0.99), UNIT);
    }
}
