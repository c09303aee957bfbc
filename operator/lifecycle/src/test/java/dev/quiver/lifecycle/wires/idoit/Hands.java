package dev.quiver.lifecycle.wires.idoit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TrialFailure;

/** A worker of Quiver with the functions of npm.js, on a thread of its own. */
final class Hands implements AutoCloseable {

    static final List<String> ALL =
            List.of("echo", "last", "nothing", "sum", "fail", "flaky", "slow", "steps", "once", "walk");

    final AtomicInteger runs = new AtomicInteger();

    /** How often each task's function ran, without iterators'. */
    final Map<String, Integer> runsOf = new ConcurrentHashMap<>();

    private final IdoitWorld world;
    private final String pool;
    private final List<String> served;
    private final Thread thread;
    private volatile boolean dies;
    private volatile boolean ends;

    Hands(IdoitWorld world, String pool, List<String> served) {
        this.world = world;
        this.pool = pool;
        this.served = served;
        this.thread = Thread.ofPlatform().name("hands-" + pool).start(this::work);
    }

    private void work() {
        IdoitWorld.Worker worker = world.worker(pool, served.toArray(String[]::new));
        while (!ends) {
            List<Settlement> outcomes = new ArrayList<>();
            for (Claim claim : List.copyOf(worker.held)) {
                if (dies) {
                    break;
                }
                outcomes.add(settlement(worker, claim));
            }
            if (dies) {
                dies = false;
                worker.die();
                worker = world.worker(pool, served.toArray(String[]::new));
                continue;
            }
            if (worker.step(outcomes, 20).claims().isEmpty() && outcomes.isEmpty()) {
                world.tick(pool);
                LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            }
        }
    }

    private Settlement settlement(IdoitWorld.Worker worker, Claim claim) {
        runs.incrementAndGet();
        IdoitTask task = (IdoitTask) claim.task();
        if (!task.iterator()) {
            runsOf.merge(task.key(), 1, Integer::sum);
        }
        JsonNode args = JsJson.read(task.args());
        try {
            Optional<String> value = task.iterator() ? Optional.of(walk(task, args)) : value(worker, task, args);
            return IdoitWorld.passed(claim, value.orElse(""));
        } catch (IllegalStateException failure) {
            return new Settlement.Failed(
                    claim,
                    Duration.ofMillis(1),
                    TrialFailure.of(
                            task.name(),
                            claim.trial(),
                            Optional.empty(),
                            Optional.empty(),
                            "Error",
                            failure.getMessage()));
        }
    }

    private Optional<String> value(IdoitWorld.Worker worker, IdoitTask task, JsonNode args) {
        return switch (task.type().name()) {
            case "nothing" -> Optional.empty();
            case "last" ->
                args.isEmpty()
                        ? Optional.empty()
                        : Optional.of(args.get(args.size() - 1).toString());
            case "sum" -> Optional.of(Double.toString(sum(args)));
            case "fail" ->
                throw new IllegalStateException(
                        "no " + (args.isEmpty() ? "undefined" : args.get(0).asText()));
            case "flaky" -> {
                if (task.retries() < 1) {
                    throw new IllegalStateException("not yet");
                }
                yield Optional.of(task.args());
            }
            case "slow" -> {
                slow(worker, task, args.get(0).asInt());
                yield Optional.of(args.get(0).toString());
            }
            case "steps" -> {
                worker.source.attend(List.of(new RunningTask(task.key(), 1, 3)));
                worker.source.attend(List.of(new RunningTask(task.key(), 2, 3)));
                yield Optional.of("" + args.size());
            }
            default -> Optional.of(task.args());
        };
    }

    private static double sum(JsonNode value) {
        if (value.isArray()) {
            return IntStream.range(0, value.size())
                    .mapToDouble(i -> sum(value.get(i)))
                    .sum();
        }
        return value.isBoolean() ? (value.asBoolean() ? 1 : 0) : value.asDouble(0);
    }

    /** Longer than a lock lasts, which is renewed meanwhile. */
    private static void slow(IdoitWorld.Worker worker, IdoitTask task, int millis) {
        long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        while (System.nanoTime() < end) {
            worker.source.attend(List.of(new RunningTask(task.key(), 0, 1)));
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
    }

    private static String walk(IdoitTask task, JsonNode args) {
        int at = JsJson.read(task.state()).asInt(0);
        int count = args.get(0).asInt();
        if (at >= count) {
            return "null";
        }
        int next = Math.min(at + 3, count);
        ObjectNode answer = JsonNodeFactory.instance.objectNode().put("state", next);
        ArrayNode tasks = answer.putArray("tasks");
        for (int i = at; i < next; i++) {
            ObjectNode child = tasks.addObject();
            child.put("handler", args.get(1).asText()).put("pool", args.get(2).asText());
            child.put("maxTrials", 2).putArray("args").add(i);
        }
        return answer.toString();
    }

    /** Ends its session with all that it holds, as a crash does, and begins another one. */
    void die() {
        dies = true;
    }

    @Override
    public void close() {
        ends = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
