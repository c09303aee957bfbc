package dev.quiver.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.FunctionRights;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisProcess;
import dev.quiver.lifecycle.redis.RedisRights;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/**
 * A namespace with a worker in each of two pools, which calls a few functions. {@code echo} returns its arguments, {@code
 * add} their sum, {@code list} so many numbers, {@code none} nothing; {@code fail} fails; {@code never} is served nowhere.
 * {@code step} returns its first argument, and its plan leaves as many chains as the second one says, that would undo it.
 * {@code numbers}, {@code number} and {@code total} are those of {@link SteadyProgram}.
 */
final class Workers implements AutoCloseable {

    static final String CLIENT = "program";
    private static final List<String> POOLS = List.of("default", "large");
    private static final String TALLY = "tally#plan", STEP = "step#plan";

    private static final List<String> SERVED =
            List.of("echo", "add", "list", "none", "fail", "number", "numbers", "total", TALLY, STEP, "step");
    /** The sessions are not renewed. */
    private static final LeaseTimes LONG = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);

    private static final SlotFacts SLOT = new SlotFacts(0, "pod", "in", "out", 1 << 20);
    private static final ObjectMapper JSON = new ObjectMapper();

    final Keyspace keyspace;
    final AtomicInteger ran = new AtomicInteger();
    /** The arguments of {@code echo} in the order of its calls. */
    final Queue<String> echoed = new ConcurrentLinkedQueue<>();

    private final RedisProcess redis;
    final RedisStore operator;
    final Lifecycle lifecycle;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ended;

    Workers(RedisProcess redis, String namespace) {
        this.redis = redis;
        this.keyspace = Keyspace.ofNamespace(namespace);
        this.operator = PatientStore.open(redis.endpoint(), "operator", Lifecycle.LIBRARY);
        this.lifecycle = new Lifecycle(operator, LONG);
        operator.ask(all -> all.functionLoad(Lifecycle.LIBRARY.source(), true));
        observe();
        CommandArgs<String, String> rules =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(CLIENT);
        CallRights calls = CallRights.of(FunctionRights.of(Lifecycle.LIBRARY));
        RedisRights.clientRules(namespace, redis.isValkey() ? calls.withWaitaof() : calls)
                .forEach(rules::add);
        rules.add(">secret");
        operator.ask(all -> all.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), rules));
        POOLS.forEach(pool -> lifecycle.pools(keyspace, 1).announce(pool, pool + "-uid"));
    }

    void observe() {
        lifecycle.health(keyspace, 1).observe(Optional.empty());
    }

    /** The way of a program to Redis. */
    String uri() {
        return uri(redis.port());
    }

    static String uri(int port) {
        return "redis://" + CLIENT + ":secret@127.0.0.1:" + port;
    }

    QuiverClient client() {
        return client(Duration.ofSeconds(20));
    }

    QuiverClient client(Duration patience) {
        return QuiverClient.open(RedisEndpoint.standalone(uri()), keyspace, "default", patience);
    }

    /** Begins to work. */
    Workers start() {
        POOLS.forEach(pool -> threads.add(Thread.ofPlatform().name(pool).start(() -> work(pool))));
        return this;
    }

    private void work(String pool) {
        Reaper reaper = lifecycle.reaper(keyspace);
        WorkerIdentity identity = new WorkerIdentity(pool, pool + "-uid", pool + "-0", pool + "-0-uid", "node", 64);
        try (WorkerSession session =
                ((WorkerSessions.Outcome.Opened) lifecycle.sessions(keyspace).open(identity)).session()) {
            WorkSource source = session.source("tasks:" + pool).orElseThrow();
            List<Settlement> settlements = List.of();
            List<Place> places =
                    IntStream.range(0, 64).mapToObj(i -> Place.slot(i, 1)).toList();
            while (!ended) {
                var done = (StepCall.Outcome.Done) source.prepare(new StepRequest(settlements, places, SERVED))
                        .run();
                settlements = done.claims().stream()
                        .map(claim -> settle(source, claim))
                        .toList();
                if (settlements.isEmpty()) {
                    reaper.tick();
                    session.awaitWork(Duration.ofMillis(50));
                }
            }
        }
    }

    private Settlement settle(WorkSource source, Claim claim) {
        ran.incrementAndGet();
        try {
            RunnableTask task = claim.task().isReady() ? claim.task() : source.complete(claim.task(), 1 << 20);
            JsonNode args = JSON.readTree(new String(task.render(SLOT).input().bytes(), StandardCharsets.UTF_8));
            if (task.handler().filter(TALLY::equals).isPresent()) {
                return brought(claim, tallied(args));
            }
            if (task.handler().filter(STEP::equals).isPresent()) {
                return brought(claim, left(args.path(0), args.path(1).asInt()));
            }
            Optional<TaskResult> result =
                    run(task.handler().orElse("command"), args).map(TaskResult::of);
            return new Settlement.Passed(claim, Duration.ofMillis(1), result);
        } catch (IOException | RuntimeException e) {
            return new Settlement.Failed(
                    claim,
                    Duration.ofMillis(1),
                    new TrialFailure(
                            claim.task().name(),
                            claim.trial(),
                            Optional.of(1),
                            Optional.empty(),
                            "Exception",
                            String.valueOf(e.getMessage()),
                            true));
        }
    }

    private static Settlement brought(Claim claim, String answer) {
        return new Settlement.Passed(
                claim,
                Duration.ofMillis(1),
                Optional.empty(),
                Optional.of(new ExecutionInput.Payload(
                        answer.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.EFFECTS, false)));
    }

    private static String left(JsonNode number, int chains) {
        String chain = "{\"chain\":[{\"handler\":\"add\",\"name\":\"n\",\"args\":[" + number
                + "]},{\"handler\":\"echo\",\"args\":[\"$(results.n)\",\"undone\"]}]}";
        return "{\"undo\":[" + String.join(",", Collections.nCopies(chains, chain)) + "]}";
    }

    /** The plan of a complex task: it counts requests, and has a marker that nobody here executes. */
    private static String tallied(JsonNode args) {
        return "{\"done\":true,\"result\":" + args.path(1).path("state") + ",\"state\":[{\"add\":\"n\",\"value\":1},"
                + "{\"set\":\"last\",\"value\":" + args.path(0)
                + "}],\"markers\":{\"m\":{\"args\":[1],\"tags\":[\"t\"]}}}";
    }

    private Optional<String> run(String handler, JsonNode args) {
        return switch (handler) {
            case "echo" -> {
                echoed.add(args.path(0).asText());
                yield Optional.of(args.toString());
            }
            case "step" -> Optional.of(args.path(0).toString());
            case "none" -> Optional.empty();
            case "add" -> {
                long sum = 0;
                for (JsonNode arg : args) {
                    sum += arg.isArray() ? sum(arg) : arg.longValue();
                }
                yield Optional.of(Long.toString(sum));
            }
            case "list", "numbers" ->
                Optional.of(IntStream.range(0, args.get(0).intValue())
                        .boxed()
                        .toList()
                        .toString());
            case "number" -> {
                if (args.get(0).longValue() % 5 == 0) {
                    throw new IllegalArgumentException("fails always");
                }
                yield Optional.of(args.get(0).toString());
            }
            case "total" -> {
                List<JsonNode> passed = StreamSupport.stream(args.get(0).spliterator(), false)
                        .filter(JsonNode::isNumber)
                        .toList();
                long sum = passed.stream().mapToLong(JsonNode::longValue).sum();
                yield Optional.of("{\"passed\": " + passed.size() + ", \"sum\": " + sum + "}");
            }
            default -> throw new IllegalStateException(handler + " fails");
        };
    }

    private static long sum(JsonNode numbers) {
        long sum = 0;
        for (JsonNode number : numbers) {
            sum += number.longValue();
        }
        return sum;
    }

    @Override
    public void close() {
        ended = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        operator.close();
    }
}
