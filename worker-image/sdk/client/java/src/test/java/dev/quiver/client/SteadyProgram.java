package dev.quiver.client;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.StoreException;

/**
 * A program that creates jobs in small batches until it is told to stop, whatever happens to Redis meanwhile. It tries again
 * as the client's documentation says. Then it collects all results. Its own test runs it beside accidents of Redis, and the
 * chaos on a cluster runs it in a pod.
 */
final class SteadyProgram {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration END = Duration.ofMinutes(4);
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final int SINGLES = 20;
    private static final int BASE = 1000; // numbers of a batch begin at a multiple of it

    /**
     * The words that the program was told.
     *
     * @param wrong jobs whose outcome is not the expected one, in words
     * @param troubles calls that failed, by the exception
     * @param succeeded tasks that must have succeeded
     * @param failed tasks that must have failed
     * @param jobs ids of the jobs that Redis confirmed
     */
    record Report(List<String> wrong, Map<String, Integer> troubles, int succeeded, int failed, List<String> jobs) {}

    /** A job, and what it returns; absent where it fails. */
    private record Expected(Job job, Optional<Object> result) {}

    private final Map<String, Integer> troubles = new TreeMap<>();
    private final List<Handle> handles = new ArrayList<>();
    private final List<Optional<Object>> results = new ArrayList<>();

    private SteadyProgram() {}

    /** Arguments: namespace, pool, and the file that tells it to stop. The variable {@code REDIS} has the way to Redis. */
    public static void main(String[] args) throws Exception {
        Path stop = Path.of(args[2]);
        Report report = run(
                RedisEndpoint.standalone(System.getenv("REDIS")),
                Keyspace.ofNamespace(args[0]),
                args[1],
                () -> Files.exists(stop));
        System.out.println(JSON.writeValueAsString(Map.of(
                "wrong", report.wrong(),
                "troubles", report.troubles(),
                "succeeded", report.succeeded(),
                "failed", report.failed())));
        System.out.println(String.join(" ", report.jobs()));
    }

    /** Creates jobs of the functions {@code number}, {@code numbers} and {@code total} in a pool until it is to stop. */
    static Report run(RedisEndpoint redis, Keyspace keyspace, String pool, BooleanSupplier stop) throws Exception {
        SteadyProgram program = new SteadyProgram();
        try (QuiverClient quiver = program.untilItAnswers(() -> QuiverClient.open(redis, keyspace, pool, PATIENCE))) {
            int batches = 0;
            while (!stop.getAsBoolean()) {
                program.create(quiver, batches++ * BASE);
                LockSupport.parkNanos(PAUSE.toNanos());
            }
            return program.collect(quiver, batches);
        }
    }

    private void create(QuiverClient quiver, int base) {
        List<Expected> expected = batch(base);
        Batch batch = quiver.batch(expected.stream().map(Expected::job).toList(), Options.DEFAULT);
        untilItAnswers(() -> {
            batch.flush();
            return true;
        });
        handles.addAll(batch.handles());
        expected.forEach(job -> results.add(job.result()));
    }

    /** The function {@code number} fails for each multiple of 5. */
    private static List<Expected> batch(int base) {
        List<Expected> jobs = new ArrayList<>();
        IntStream.range(0, SINGLES)
                .map(i -> base + 5 * i + 1)
                .forEach(value -> jobs.add(new Expected(Job.call("number", value), Optional.of(value))));
        jobs.add(new Expected(twice(Job.call("number", base)), Optional.empty()));
        jobs.add(new Expected(
                Job.chain(
                        Job.call("numbers", 4),
                        Job.forEach(twice(Job.call("number"))).continueOnError(),
                        Job.call("total")),
                Optional.of(Map.of("passed", 3, "sum", 6))));
        jobs.add(new Expected(
                Job.group(Job.call("number", base + 2), Job.call("number", base + 3)),
                Optional.of(List.of(base + 2, base + 3))));
        return jobs;
    }

    private static Job twice(Job job) {
        return job.maxTrials(2, new RetryBackoff(PAUSE, 1, PAUSE, 0));
    }

    private Report collect(QuiverClient quiver, int batches) throws Exception {
        long end = System.nanoTime() + END.toNanos();
        List<Supplier<JsonNode>> found = untilItAnswers(() -> {
            await(quiver, end);
            return quiver.results(handles);
        });
        List<String> wrong = IntStream.range(0, found.size())
                .mapToObj(i -> difference(handles.get(i).id(), found.get(i), results.get(i)))
                .flatMap(Optional::stream)
                .limit(20)
                .toList();
        // Of a batch: the single ones, the list, three of its numbers and their sum, and the group's two; two fail.
        int succeeded = batches * (SINGLES + 1 + 3 + 1 + 2);
        return new Report(
                wrong,
                troubles,
                succeeded,
                batches * 2,
                handles.stream().map(Handle::id).toList());
    }

    private void await(QuiverClient quiver, long end) {
        try {
            quiver.awaitAll(handles, Duration.ofNanos(end - System.nanoTime()));
        } catch (TimeoutException e) {
            throw new IllegalStateException("not all jobs have ended within " + END, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static Optional<String> difference(String id, Supplier<JsonNode> outcome, Optional<Object> expected) {
        String got;
        try {
            JsonNode value = outcome.get();
            if (expected.isPresent() && value.equals(JSON.valueToTree(expected.get()))) {
                return Optional.empty();
            }
            got = value.toString();
        } catch (JobFailedException failed) {
            if (expected.isEmpty() && failed.reason().equals("Exception")) {
                return Optional.empty();
            }
            got = failed.toString();
        } catch (RuntimeException lost) {
            got = lost.toString();
        }
        return Optional.of(
                id + ": " + got + " instead of " + expected.map(String::valueOf).orElse("a failure"));
    }

    private <T> T untilItAnswers(Supplier<T> ask) {
        while (true) {
            try {
                return ask.get();
            } catch (StoreException problem) {
                troubles.merge(problem.getClass().getSimpleName(), 1, Integer::sum);
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }
}
