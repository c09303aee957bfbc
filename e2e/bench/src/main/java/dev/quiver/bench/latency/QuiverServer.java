package dev.quiver.bench.latency;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

import dev.quiver.bench.Lab;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.NoopExecutor;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;

/**
 * Quiver as a server of the benchmark. Tasks are fed to an open set as they come; those that came during a call go
 * together in the next one. The executor notes when each of them starts.
 */
final class QuiverServer implements Server {

    private static final String NAMESPACE = "latency";
    private static final String POOL = "workers";
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int MOST_WARM_UPS_AT_ONCE = 100;
    /** The contract's bound of one feed. */
    private static final int MOST_AT_ONCE = 200;

    private final Headquarters headquarters;
    private final StartTimes starts;
    private final Worker worker;
    private final RandomGenerator random = RandomGenerator.getDefault();

    private QuiverServer(Headquarters headquarters, StartTimes starts, Worker worker) {
        this.headquarters = headquarters;
        this.starts = starts;
        this.worker = worker;
    }

    static QuiverServer start(Lab lab, int redisPort, HalfLoad load) throws Exception {
        Headquarters headquarters = new Headquarters(redisPort, NAMESPACE);
        StartTimes starts =
                StartTimes.create(lab, load.perSecond() * (int) load.time().toSeconds() * 2);
        Worker.Post post = new Worker.Post(NAMESPACE, POOL, headquarters.announce(POOL), load.slots());
        Map<String, String> environment = Map.of(
                "QUIVER_BENCH_STARTS",
                starts.file().toString(),
                "QUIVER_BENCH_WORK_MICROS",
                "" + load.work().toNanos() / 1000);
        Worker worker =
                Worker.start(lab, Program.supervisor(lab), post, redisPort, NoopExecutor.with(lab, environment));
        return new QuiverServer(headquarters, starts, worker);
    }

    @Override
    public String name() {
        return "quiver";
    }

    @Override
    public void warmUp(HalfLoad load) throws Exception {
        String uid = headquarters.open(POOL, new ExecutionSpec.TaskSource.Items());
        try {
            for (int fed = 0; fed < load.warmUps(); ) {
                int tasks = random.nextInt(MOST_WARM_UPS_AT_ONCE) + 1;
                headquarters.feed(uid, fed, Collections.nCopies(tasks, "{\"name\":\"warm-up\"}"));
                fed += tasks;
                long done = fed;
                Waiting.await(
                        "the end of warm-ups",
                        PATIENCE,
                        () -> headquarters.snapshot(uid).succeeded() == done);
            }
        } finally {
            headquarters.remove(uid);
        }
    }

    @Override
    public Waits turn(HalfLoad load) throws Exception {
        starts.clear();
        String uid = headquarters.open(POOL, new ExecutionSpec.TaskSource.Items());
        try {
            List<Long> sent = send(uid, load);
            awaitStarts(sent.size());
            List<Long> micros = new ArrayList<>();
            for (int i = 0; i < sent.size(); i++) {
                long started = starts.nanos(i);
                if (started != 0) {
                    micros.add((started - sent.get(i)) / 1000);
                }
            }
            return Waits.of(sent.size(), micros);
        } finally {
            headquarters.remove(uid);
        }
    }

    private List<Long> send(String uid, HalfLoad load) throws InterruptedException {
        List<Long> sent = new ArrayList<>();
        long due = System.nanoTime();
        long end = due + load.time().toNanos();
        while (due < end && sent.size() < starts.length()) {
            Waiting.until(due);
            int first = sent.size();
            List<String> payloads = new ArrayList<>();
            do {
                payloads.add("{\"name\":\"" + sent.size() + "\"}");
                sent.add(System.nanoTime());
                due += (long) (random.nextExponential() / load.perSecond() * 1e9);
            } while (due <= System.nanoTime() && payloads.size() < MOST_AT_ONCE && sent.size() < starts.length());
            headquarters.feed(uid, first, payloads);
        }
        return sent;
    }

    private void awaitStarts(int tasks) throws Exception {
        try {
            Waiting.await("the start of all tasks", Duration.ofSeconds(5), () -> starts.count(tasks) == tasks);
        } catch (TimeoutException some) {
            // These tasks count as lost.
        }
    }

    @Override
    public void close() throws IOException {
        for (Closeable part : List.of(worker, headquarters)) {
            part.close();
        }
    }
}
