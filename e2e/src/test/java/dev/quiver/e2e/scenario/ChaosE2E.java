package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.readiness.Readiness;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Job;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.RedisCli;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Tree;

/**
 * Everything is killed in the middle of five runs, in an order that a seed decides: a TaskSet of commands, one of calls
 * that come eight at a time, a Task that calls a function for each element of a list, a map-reduce job that folds its
 * results, and one that may not skip a chunk. A fifth of the tasks fails always: a task that is credited with the run of
 * another, counted twice or forgotten shows in the counts. {@code -Dquiver.seed=N}
 * replays a run, {@code -Dquiver.seeds=N} makes so many, {@code -Dquiver.chaos.minutes=N} begins others for so long.
 *
 * <p>Three lost workers end a task, and accidents that follow each other closely can hit the same task three times. So an
 * accident waits until no task has a loss on record. One more loss may be on its way by then, and none has three. That
 * wait takes a lease: the runs last for more than a minute, so that most accidents find them going.
 */
@Disturbance
@Order(1)
class ChaosE2E {

    private static final Logger LOG = LoggerFactory.getLogger(ChaosE2E.class);
    private static final int TASKS = 1600;
    private static final int BEFORE_THE_LAST = TASKS / 2; // tasks decided, at most, when the last accident is due
    private static final int FAILING = 5; // one in so many
    private static final int STRICT = 100; // chunks of the job that may not skip one
    private static final String TREES = "chaos-trees";
    private static final JsonMapper JSON = new JsonMapper();

    private enum Accident {
        SUPERVISOR_KILLED,
        AGENT_KILLED,
        POD_KILLED,
        OPERATOR_KILLED,
        REDIS_KILLED
    }

    static LongStream seeds() {
        Long given = Long.getLong("quiver.seed");
        Integer minutes = Integer.getInteger("quiver.chaos.minutes");
        if (given != null) {
            return LongStream.of(given);
        }
        if (minutes == null) {
            return new Random().longs(Integer.getInteger("quiver.seeds", 1), 0, Integer.MAX_VALUE);
        }
        long end =
                System.nanoTime() + Duration.ofMinutes(minutes).toNanos(); // each seed is asked for when its turn comes
        return new Random().longs(0, Integer.MAX_VALUE).takeWhile(_ -> System.nanoTime() < end);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyTaskCountsOnceAndAsWhatItWas(long seed, Space space, Installation quiver) {
        LOG.info("chaos: repeat with -Dquiver.seed={}", seed);
        Random random = new Random(seed);
        quiver.load(Images.archives("columns"));
        makeTreesPool(space);
        Job job = job(space);
        Job strict = strictJob(space);
        Victim chunks = JobInRedis.of(job, space, quiver.redis()); // its map would wait behind the tree's leaves
        strict.await(
                "mapped", status -> status.chunks() != null && status.chunks().total() > 0);
        List<Run> sets = List.of(
                space.run(Tasks.shell("chaos", "sleep 0.6; [ $((QUIVER_INDEX % " + FAILING + ")) != 0 ]")
                        .count(TASKS)
                        .workers(3, 4)
                        .trials(2)),
                calls(space));
        Tree tree = tree(space);
        sets.forEach(run -> run.await("opened", status -> status.total() != null));
        List<Victim> runs = Stream.concat(
                        sets.stream().map(run -> (Victim) SetInRedis.of(run, quiver.redis())),
                        Stream.of(TreeInRedis.of(tree, space, quiver.redis()), chunks))
                .toList();
        List<Accident> accidents = accidents(random);
        int due = 0;
        int happened = 0;
        int duringAJob = 0;
        for (Accident accident : accidents) {
            due += 20 + random.nextInt(BEFORE_THE_LAST / accidents.size() - 20);
            int from = due;
            List<Look> looks = Awaitility.await(accident + " at " + due)
                    .until(
                            () -> runs.stream().map(Victim::look).toList(),
                            now -> now.getFirst().decided() >= from
                                    && now.stream().allMatch(look -> look.losses() == 0));
            Look look = looks.getFirst();
            List<Victim> going = IntStream.range(0, runs.size())
                    .filter(run -> looks.get(run).decided() < TASKS)
                    .mapToObj(runs::get)
                    .toList();
            if (look.decided() == TASKS) {
                break; // looks and kills take longer on a busy machine than the run does
            }
            Victim run = going.get(random.nextInt(going.size()));
            LOG.info("chaos: {} of {}, due at {}, at {} tasks", accident, run.name(), due, look.decided());
            boolean hit = happens(accident, run, space, quiver, random);
            happened += hit ? 1 : 0;
            duringAJob += hit && going.contains(chunks) ? 1 : 0;
        }
        assertThat(happened).as("accidents in mid-run").isGreaterThanOrEqualTo(accidents.size() / 2);
        assertThat(duringAJob).as("accidents while chunks ran").isPositive();
        for (Run run : sets) {
            TaskSetStatus end = run.awaitFinished();
            assertThat(end.failed()).as("seed %s: %s", seed, end).isEqualTo(TASKS / FAILING);
            assertThat(end.succeeded()).as("seed %s: %s", seed, end).isEqualTo(TASKS - TASKS / FAILING);
        }
        TaskStatus end = tree.awaitFinished();
        JsonNode total = JSON.createObjectNode()
                .put("passed", TASKS - TASKS / FAILING)
                .put(
                        "sum",
                        IntStream.range(0, TASKS).filter(i -> i % FAILING != 0).sum());
        assertThat(end.result()).as("seed %s: %s", seed, end).isEqualTo(total);
        assertThat(end.nodes().failed()).as("seed %s: %s", seed, end).isEqualTo(TASKS / FAILING);
        MapReduceJobStatus reduced = job.awaitFinished();
        assertThat(reduced.result()).as("seed %s: %s", seed, reduced).isEqualTo(total);
        assertThat(reduced.chunks().skipped()).as("seed %s: %s", seed, reduced).isEqualTo(TASKS / FAILING);
        strict.awaitFinished();
        assertThat(strict.reason(ConditionType.Succeeded)).as("seed %s", seed).isEqualTo("ChunksFailed");
    }

    /** As many calls of a function in Python, eight in a hand-over. */
    private static Run calls(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: chaos-calls}
                spec:
                  replicas: 2
                  maxTrials: 2
                  source: {count: %d}
                  task: {handler: chaos, batch: 8}
                  workerTemplate:
                    slots: {count: 4}
                    handler:
                      command:
                        - python3
                        - -c
                        - |
                          import time
                          import quiver

                          @quiver.handler("chaos")
                          def chaos(value, task):
                              time.sleep(0.3)
                              if int(task.env["QUIVER_INDEX"]) %% %d == 0:
                                  raise ValueError("fails always")

                          quiver.serve()
                    template: {spec: {containers: [{name: worker, image: quiver/columns:0.1.0}]}}
                """.formatted(TASKS, FAILING));
        return space.run("chaos-calls");
    }

    /** The pool of the tree and of the job: its functions make a list, take one number, and sum numbers up. */
    private static void makeTreesPool(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: %s}
                spec:
                  replicas: 2
                  slots: {count: 4}
                  handler:
                    command:
                      - python3
                      - -c
                      - |
                        import time
                        import quiver

                        @quiver.handler("numbers")
                        def numbers(count):
                            return list(range(count))

                        @quiver.handler("number")
                        def number(value, task):
                            time.sleep(0.15)
                            if value %% %d == 0:
                                raise ValueError("fails always")
                            return value

                        def counted(value):
                            return value if isinstance(value, dict) else {"passed": 1, "sum": value}

                        @quiver.handler("total")
                        def total(values):
                            passed = [counted(value) for value in values if value is not None]
                            return {name: sum(one[name] for one in passed) for name in ("passed", "sum")}

                        quiver.serve()
                  template: {spec: {containers: [{name: worker, image: quiver/columns:0.1.0}]}}
                """.formatted(TREES, FAILING));
    }

    /** A chain: a list, a call for each element, and the sum of what the calls returned. */
    private static Tree tree(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: chaos-tree}
                spec:
                  workerPoolRef: {name: %s}
                  nodes:
                    - {name: all, chain: [numbers, each, total]}
                    - {name: numbers, handler: numbers, args: [%d]}
                    - {name: each, forEach: {do: number}, onChildError: Continue}
                    - {name: number, handler: number, attempts: 2, backoff: {initialSeconds: 1}}
                    - {name: total, handler: total}
                """.formatted(TREES, TASKS));
        return space.tree("chaos-tree");
    }

    /** The same numbers as chunks on the same pool, their results folded sixteen at a time. */
    private static Job job(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: MapReduceJob
                metadata: {name: chaos-job}
                spec:
                  workerPoolRef: {name: %s}
                  input: {json: %d}
                  map: {handler: numbers}
                  process: {handler: number, attempts: 2, backoff: {initialSeconds: 1}}
                  combine: {handler: total}
                  reduce: {handler: total}
                  failurePolicy: SkipChunk
                """.formatted(TREES, TASKS));
        return space.job("chaos-job");
    }

    /** Numbers of which only the last one fails, in a job that may not skip it. */
    private static Job strictJob(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: MapReduceJob
                metadata: {name: chaos-strict}
                spec:
                  workerPoolRef: {name: %s}
                  input: {json: [%s]}
                  process: {handler: number, attempts: 2, backoff: {initialSeconds: 1}}
                  reduce: {handler: total}
                  failurePolicy: Fail
                """.formatted(
                        TREES,
                        IntStream.rangeClosed(1, STRICT)
                                .mapToObj(i -> Integer.toString(i == STRICT ? FAILING : i * FAILING + 1))
                                .collect(Collectors.joining(", "))));
        return space.job("chaos-strict");
    }

    /**
     * What Redis holds of a run at one moment.
     *
     * @param decided tasks that passed or failed for good
     * @param losses tasks that lost a worker and are not decided yet
     */
    private record Look(int decided, int losses) {}

    /** A run in Redis, which goes on while the operator is away. */
    private interface Victim {

        String name();

        List<Pod> pods();

        Look look();
    }

    private record SetInRedis(Run run, RedisCli redis, String key) implements Victim {

        private static final String LOOK = """
                local losses = 0
                for _, record in ipairs(redis.call('HVALS', KEYS[2])) do
                  if not string.find(record, ':0$') then losses = losses + 1 end
                end
                local counts = redis.call('HMGET', KEYS[1], 'succeeded_count', 'failed_count')
                return {counts[1] + counts[2], losses}""";

        static SetInRedis of(Run run, RedisCli redis) {
            return new SetInRedis(run, redis, keyThatEndsWith("taskset:" + run.uid(), redis));
        }

        @Override
        public String name() {
            return run.name();
        }

        @Override
        public List<Pod> pods() {
            return run.pods();
        }

        @Override
        public Look look() {
            return read(redis.run("EVAL", LOOK, "2", key, key + ":trouble"));
        }
    }

    private record TreeInRedis(Pool pool, RedisCli redis, String key) implements Victim {

        /** Of a leaf's record the second field is its state, the eighth its losses. */
        private static final String LOOK = """
                local decided, losses = 0, 0
                for _, record in ipairs(redis.call('HVALS', KEYS[1])) do
                  local kind, state, lost = string.match(record, '^(.)\t(.)\t[^\t]*\t[^\t]*\t[^\t]*\t%d*\t%d+\t(%d+)')
                  local over = state == 'f' or state == 'x'
                  if kind == 'L' and over then decided = decided + 1 end
                  if kind == 'L' and not over and state ~= 't' and lost ~= '0' then losses = losses + 1 end
                end
                return {decided, losses}""";

        static TreeInRedis of(Tree tree, Space space, RedisCli redis) {
            tree.await("under way", status -> status.nodes() != null);
            String nodes = "{" + space.name() + "}:task:nodes";
            return new TreeInRedis(space.pool(TREES), redis, keyThatEndsWith(nodes, redis));
        }

        @Override
        public String name() {
            return pool.name();
        }

        @Override
        public List<Pod> pods() {
            return pool.pods();
        }

        @Override
        public Look look() {
            return read(redis.run("EVAL", LOOK, "1", key));
        }
    }

    private record JobInRedis(Pool pool, RedisCli redis, String key) implements Victim {

        static JobInRedis of(Job job, Space space, RedisCli redis) {
            job.awaitChunks(0);
            return new JobInRedis(space.pool(TREES), redis, keyThatEndsWith("chunks:" + job.uid() + ".2", redis));
        }

        @Override
        public String name() {
            return "chunks on " + pool.name();
        }

        @Override
        public List<Pod> pods() {
            return pool.pods();
        }

        @Override
        public Look look() {
            return read(redis.run("EVAL", SetInRedis.LOOK, "2", key, key + ":trouble"));
        }
    }

    private static String keyThatEndsWith(String end, RedisCli redis) {
        return Awaitility.await("the run in Redis")
                .until(
                        () -> redis.keysWith(end).stream()
                                .filter(name -> name.endsWith(end))
                                .findAny(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private static Look read(String answer) {
        List<String> lines = answer.lines().toList();
        return new Look(Integer.parseInt(lines.get(0)), Integer.parseInt(lines.get(1)));
    }

    /** Each kind, those of workers twice, in any order. */
    private static List<Accident> accidents(Random random) {
        List<Accident> all = new ArrayList<>(List.of(Accident.values()));
        all.addAll(List.of(Accident.SUPERVISOR_KILLED, Accident.SUPERVISOR_KILLED, Accident.AGENT_KILLED));
        Collections.shuffle(all, random);
        return all;
    }

    /** Whether it did: a run may have ended meanwhile, and its workers with it. */
    private static boolean happens(Accident accident, Victim run, Space space, Installation quiver, Random random) {
        switch (accident) {
            case OPERATOR_KILLED -> quiver.pods("operator").forEach(pod -> kill(quiver, pod, "operator"));
            case REDIS_KILLED -> quiver.pods("redis").forEach(pod -> kill(quiver, pod, "redis"));
            case SUPERVISOR_KILLED, AGENT_KILLED, POD_KILLED -> {
                Optional<Pod> victim = any(run, random);
                victim.ifPresent(pod -> happens(accident, pod, space, quiver));
                return victim.isPresent();
            }
        }
        return true;
    }

    private static void happens(Accident accident, Pod pod, Space space, Installation quiver) {
        if (accident != Accident.AGENT_KILLED) {
            kill(quiver, pod, "quiver-supervisor");
        }
        if (accident != Accident.SUPERVISOR_KILLED) {
            kill(quiver, pod, "worker");
        }
        if (accident == Accident.POD_KILLED) {
            space.kubectl().run("delete", "pod", pod.getMetadata().getName(), "--force", "--grace-period=0");
        }
    }

    private static void kill(Installation quiver, Pod pod, String container) {
        quiver.nodes().signalIfThere(pod, container, "KILL");
    }

    /** A worker that is ready; none when the run ends first. */
    private static Optional<Pod> any(Victim run, Random random) {
        List<Pod> ready = Awaitility.await("a worker of " + run.name() + " that is ready, or its end")
                .until(
                        () -> run.pods().stream().filter(Readiness::isPodReady).toList(),
                        pods -> !pods.isEmpty() || run.look().decided() >= TASKS);
        return ready.isEmpty() ? Optional.empty() : Optional.of(ready.get(random.nextInt(ready.size())));
    }
}
