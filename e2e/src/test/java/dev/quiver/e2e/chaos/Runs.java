package dev.quiver.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Job;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Tree;

/**
 * Five runs side by side. Two are TaskSets: one of commands, one of calls that come eight at a time. A Task calls a
 * function for each element of a list. One map-reduce job combines its results, and another one may not skip a chunk. A
 * fifth of the tasks fails always: a task that is credited with the run of another, counted twice or forgotten shows in
 * the counts.
 */
record Runs(List<Run> sets, Tree tree, Job job, Job strict) {

    /** The tasks of each run but the last one. */
    static final int TASKS = 1600;

    /** One task in so many fails. */
    static final int FAILING = 5;

    /** The pace at which looks and accidents cost the first run few tasks, however long they take. */
    static final int ONE = 1;

    /** The pace between accidents: ten tasks a second, where all slots would end the run between two of them. */
    static final int BETWEEN = 6;

    /** More than all slots of the first run. */
    static final int ALL = 64;

    private static final int FAILED = TASKS / FAILING;
    private static final int STRICT = 100; // chunks of the job that may not skip one
    private static final String TREES = "chaos-trees";
    private static final JsonMapper JSON = new JsonMapper();

    /**
     * Begins all of them, and returns when the sets are at work. On a busy machine their pods need minutes, in which the
     * first run and the job would end before the first accident. So the run gives out one task at a time until {@link
     * #pace}, and the job is held back until {@link #beginChunks}.
     */
    static Runs begin(Space space) {
        space.kubectl().apply(Functions.pool(TREES, 1, 4, 0.15));
        Job job = job(space); // before the tree: its map would wait behind the leaves
        Job strict = strictJob(space);
        awaitMapped(strict);
        awaitMapped(job);
        job.patch("\"suspend\": true");
        List<Run> sets = List.of(
                space.run(Tasks.shell("chaos", "sleep 0.6; [ $((QUIVER_INDEX % " + FAILING + ")) != 0 ]")
                        .count(TASKS)
                        .workers(3, 4)
                        .with(it -> it.maxParallelTasks(ONE))
                        .trials(2)),
                calls(space));
        Tree tree = tree(space);
        sets.forEach(run -> run.awaitSucceeded(1));
        return new Runs(sets, tree, job, strict);
    }

    /** Lets the job that was held back go on. */
    void beginChunks() {
        job.patch("\"suspend\": false");
    }

    /** Gives out so many tasks of the first run at a time, by which accidents are due. */
    void pace(int tasks) {
        sets.getFirst().patch("\"maxParallelTasks\": " + tasks);
    }

    private static void awaitMapped(Job job) {
        job.await("mapped", status -> status.chunks() != null && status.chunks().total() > 0);
    }

    /** Those whose workers may be killed; the TaskSet of commands comes first, the combined chunks last. */
    List<Victim> victims(Space space, Installation quiver) {
        return Stream.concat(
                        sets.stream().map(run -> Victim.of(run, quiver.redis())),
                        Stream.of(
                                Victim.of(tree, space.pool(TREES)), Victim.of(job, space.pool(TREES), quiver.redis())))
                .toList();
    }

    /** Waits for the end of each. */
    void awaitFinished() {
        sets.forEach(Run::awaitFinished);
        tree.awaitFinished();
        job.awaitFinished();
        strict.awaitFinished();
    }

    /** Asserts that each task counted once and as what it was: in the status and on record. */
    void assertExact(Record record, String seed) {
        for (Run run : sets) {
            TaskSetStatus end = run.status();
            assertThat(end.failed()).as("%s: %s", seed, end).isEqualTo(FAILED);
            assertThat(end.succeeded()).as("%s: %s", seed, end).isEqualTo(TASKS - FAILED);
            JsonNode recorded = assertRecorded(record, run.name(), TASKS - FAILED, seed);
            assertThat(recorded.path("trials").asLong())
                    .as("%s: %s", seed, recorded)
                    .isEqualTo(end.trials());
        }
        JsonNode total = JSON.createObjectNode()
                .put("passed", TASKS - FAILED)
                .put(
                        "sum",
                        IntStream.range(0, TASKS).filter(i -> i % FAILING != 0).sum());
        TaskStatus end = tree.status();
        assertThat(end.result()).as("%s: %s", seed, end).isEqualTo(total);
        assertThat(end.nodes().failed()).as("%s: %s", seed, end).isEqualTo(FAILED);
        assertRecorded(record, "chaos-tree", TASKS - FAILED + 2, seed); // with the list and the sum
        MapReduceJobStatus reduced = job.status();
        assertThat(reduced.result()).as("%s: %s", seed, reduced).isEqualTo(total);
        assertThat(reduced.chunks().skipped()).as("%s: %s", seed, reduced).isEqualTo(FAILED);
        assertThat(record.all("/runs/chaos-job/tasks?status=passed"))
                .as("%s: chunks on record", seed)
                .filteredOn(task -> task.path("name").asText().startsWith("chunks-"))
                .hasSize(TASKS - FAILED);
        assertThat(record.all("/runs/chaos-job/tasks?status=failed"))
                .as("%s: chunks on record", seed)
                .hasSize(FAILED);
        assertThat(strict.reason(ConditionType.Succeeded)).as(seed).isEqualTo("ChunksFailed");
        JsonNode refused = record.ended("chaos-strict");
        assertThat(refused.path("status").asText()).as("%s: %s", seed, refused).isEqualTo("failed");
    }

    /** The end of a run on record, whose lists of tasks have each task once. */
    private static JsonNode assertRecorded(Record record, String run, int succeeded, String seed) {
        JsonNode recorded = record.ended(run);
        assertThat(recorded.path("succeededCount").asInt())
                .as("%s: %s", seed, recorded)
                .isEqualTo(succeeded);
        assertThat(recorded.path("failedCount").asInt())
                .as("%s: %s", seed, recorded)
                .isEqualTo(FAILED);
        assertThat(recorded.path("notRecorded").asInt())
                .as("%s: %s", seed, recorded)
                .isZero();
        assertThat(record.all("/runs/" + run + "/tasks?status=passed"))
                .as("%s: %s", seed, run)
                .hasSize(succeeded);
        assertThat(record.all("/runs/" + run + "/tasks?status=failed"))
                .as("%s: %s", seed, run)
                .hasSize(FAILED);
        return recorded;
    }

    /** As many calls of a function in Python, eight in a dispatch. */
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
                    template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/columns:0.1.0}]}}
                """.formatted(TASKS, FAILING));
        return space.run("chaos-calls");
    }

    /** A chain: a list, a call for each element, and the sum of what the calls returned. */
    private static Tree tree(Space space) {
        space.kubectl().apply(Functions.tree("chaos-tree", TREES, TASKS, ""));
        return space.tree("chaos-tree");
    }

    /** The same numbers as chunks on the same pool, their results combined sixteen at a time. */
    private static Job job(Space space) {
        space.kubectl().apply(Functions.job("chaos-job", TREES, TASKS, ""));
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
                  process: {handler: number, maxTrials: 2, backoff: {initialSeconds: 1}}
                  reduce: {handler: total}
                  failurePolicy: Fail
                """.formatted(
                        TREES,
                        IntStream.rangeClosed(1, STRICT)
                                .mapToObj(i -> Integer.toString(i == STRICT ? FAILING : i * FAILING + 1))
                                .collect(Collectors.joining(", "))));
        return space.job("chaos-strict");
    }
}
