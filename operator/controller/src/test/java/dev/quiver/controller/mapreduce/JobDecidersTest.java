package dev.quiver.controller.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.Pace;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.Event;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.controller.tree.TreeLayout;
import dev.quiver.controller.tree.TreePlan;
import dev.quiver.controller.tree.TreePlanner;
import dev.quiver.controller.tree.TreeView;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.ConfigMapKeyRef;
import dev.quiver.crds.v1alpha1.Handler;
import dev.quiver.crds.v1alpha1.MapReduceChunkCounts;
import dev.quiver.crds.v1alpha1.MapReduceChunks;
import dev.quiver.crds.v1alpha1.MapReduceCombine;
import dev.quiver.crds.v1alpha1.MapReduceInput;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobSpecBuilder;
import dev.quiver.crds.v1alpha1.MapReduceJobState;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReduceJobStatusBuilder;
import dev.quiver.crds.v1alpha1.MapReduceMap;
import dev.quiver.crds.v1alpha1.MapReduceMapBuilder;
import dev.quiver.crds.v1alpha1.MapReducePart;
import dev.quiver.crds.v1alpha1.MapReducePartBuilder;
import dev.quiver.crds.v1alpha1.MapReduceScratch;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskInput;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.mapreduce.ChunkCounts;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.NodeState;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeReportBuilder;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.TreeState.State;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.TrialFailure;

class JobDecidersTest {

    private static final String UID = "0d1f9a3e-5c56-4a5e-9d5b-1a2b3c4d5e6f";
    private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
    private static final MapReduceJobStatus NEW =
            MapReduceJobStatusBuilder.builder().build();
    private static final MapReduceJobStatus ACCEPTED = MapReduceJobStatusBuilder.builder()
            .state(MapReduceJobState.PENDING)
            .workHash("h")
            .build();

    private static MapReduceJobSpecBuilder spec() {
        return MapReduceJobSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef("shared"))
                .map(MapReduceMap.ofHandler("map"))
                .process(MapReducePart.ofHandler("process"))
                .reduce(MapReducePart.ofHandler("reduce"));
    }

    private static WorkerPool pool(String name, int ready) {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace("a").build());
        pool.setSpec(WorkerPoolSpecBuilder.builder()
                .replicas(1)
                .handler(new Handler(List.of("serve")))
                .build());
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .readyReplicas(ready)
                .handlers(List.of("map", "process", "reduce"))
                .build());
        return pool;
    }

    private static JobView view(MapReduceJobSpecBuilder spec, MapReduceJobStatus before, Optional<ObservedJob> job) {
        return view(spec, before, new ObservedStore.Answered<>(job), new JobInput.Read(Optional.empty()), 1);
    }

    private static JobView view(
            MapReduceJobSpecBuilder spec,
            MapReduceJobStatus before,
            ObservedStore<ObservedJob> store,
            JobInput input,
            int ready) {
        MapReduceJob job = new MapReduceJob();
        job.setMetadata(new ObjectMetaBuilder()
                .withName("j")
                .withNamespace("a")
                .withUid(UID)
                .withGeneration(1L)
                .build());
        job.setSpec(spec.build());
        return JobViewBuilder.builder()
                .job(job)
                .before(before)
                .keyspace(Keyspace.ofNamespace("a"))
                .store(store)
                .schedule(Optional.empty())
                .pools(TreeView.pools(
                        JobView.poolNames(job.getSpec()),
                        name -> Optional.of(pool("shared", ready)).filter(_ -> name.equals("shared"))))
                .input(input)
                .adjusted(true)
                .pace(Pace.UNSEEN)
                .layout(new TreeLayout.Own())
                .prefixes(new GrantedPrefixes(Map.of(), false))
                .now(NOW)
                .build();
    }

    /** A tree with map, chunks and reduce in those states. */
    private static TreeReport report(
            State root, State map, State chunks, State reduce, Optional<TreeReport.Failure> failure) {
        return TreeReportBuilder.builder()
                .state(new TreeState(
                        root,
                        0,
                        3,
                        new TreeState.Counts(0, 1, 0, 0, 0, 0, 0),
                        root.isOver(),
                        failure.map(TreeReport.Failure::error)))
                .failure(failure)
                .startedAt(Optional.of(NOW))
                .finishedAt(root.isOver() ? Optional.of(NOW.plusSeconds(5)) : Optional.empty())
                .storeTime(NOW)
                .nodes(List.of(
                        new NodeState(UID, "job", root, 0, 3, 0, ""),
                        new NodeState(UID + ".1", "map", map, 0, 1, 1, ""),
                        new NodeState(UID + ".2", "chunks", chunks, 0, 1, 0, ""),
                        new NodeState(UID + ".3", "reduce", reduce, 0, 1, 0, "")))
                .queued(List.of())
                .build();
    }

    private static ChunkCounts counts(long total, long done, long skipped, long running, long delayed) {
        return new ChunkCounts(
                total,
                done,
                skipped,
                skipped,
                running,
                delayed,
                0,
                0,
                done,
                Duration.ofSeconds(done),
                10,
                NOW,
                IntStream.range(0, (int) skipped).boxed().toList(),
                List.of());
    }

    private static Optional<ObservedJob> job(TreeReport report, Optional<ChunkCounts> chunks) {
        return Optional.of(new ObservedJob(new ObservedTree(report, Optional.empty()), chunks));
    }

    private static Optional<ObservedJob> aggregating(ChunkCounts chunks) {
        return job(
                report(State.IDLE, State.FINISHED, State.IDLE, State.WAITING, Optional.empty()), Optional.of(chunks));
    }

    private static Optional<ObservedJob> failed(int ordinal, String word, String message) {
        String node = ordinal == 0 ? UID : UID + "." + ordinal;
        return job(
                report(
                        State.FAILED,
                        State.FINISHED,
                        State.FAILED,
                        State.WAITING,
                        Optional.of(new TreeReport.Failure("n", new NodeError(node, 2, word, message)))),
                Optional.of(counts(4, 1, 0, 0, 0)));
    }

    private static MapReduceJobStatus status(JobView view) {
        return JobStatusCalculator.of(view, JobPlanner.plan(view));
    }

    private static Condition finished(MapReduceJobStatus status) {
        return Conditions.find(status.conditions(), ConditionType.Finished).orElseThrow();
    }

    private static JsonNode json(String text) throws JsonProcessingException {
        return new JsonMapper().readTree(text);
    }

    private static TaskTree tree(JobView view) {
        return ((TreePlan.Create) JobPlanner.plan(view)).tree().of(UID, Duration.ZERO);
    }

    /** A function that froze holds its slot so long. */
    @Test
    void trialOfAPartEndsAfterAnHourUnlessItHasATimeOfItsOwn() {
        JobView view = view(
                spec().combine(MapReduceCombine.ofHandler("combine"))
                        .reduce(MapReducePartBuilder.builder()
                                .handler("reduce")
                                .activeDeadlineSeconds(7)
                                .build()),
                NEW,
                new ObservedStore.Answered<>(Optional.empty()),
                new JobInput.Read(Optional.of(new TextNode("corpus"))),
                1);
        List<TreeNode> parts = tree(view).root().children();
        TaskBody combine = ((TreeNode.Chunks) parts.get(1)).work().combine().orElseThrow();
        assertThat(Stream.of(parts.get(0).body(), parts.get(1).body(), combine))
                .extracting(TaskBody::timeLimit)
                .containsOnly(Optional.of(Duration.ofSeconds(3600)));
        assertThat(parts.get(2).body().timeLimit()).hasValue(Duration.ofSeconds(7));
    }

    /** Each call of it has the trials and the time of one. */
    @Test
    void mapThatMakesPagesIsAnIterator() {
        JobView view = view(
                spec().map(MapReduceMapBuilder.builder()
                                .handler("rows")
                                .paged(true)
                                .maxTrials(5)
                                .activeDeadlineSeconds(7)
                                .build())
                        .chunks(new MapReduceChunks(0, 500)),
                NEW,
                new ObservedStore.Answered<>(Optional.empty()),
                new JobInput.Read(Optional.of(new TextNode("corpus"))),
                1);
        var map = (TreeNode.IteratorNode) tree(view).root().children().getFirst();
        assertThat(map.handler()).hasValue("rows");
        assertThat(map.maxTrials()).isEqualTo(5);
        assertThat(map.body().timeLimit()).hasValue(Duration.ofSeconds(7));
        assertThat(map.body().input()).hasValue(new TextNode("corpus"));
        assertThat(map.body().brings()).hasValue(500);
    }

    @Test
    void boundsOfTheChunksComeFromTheResource() {
        JobView view = view(
                spec().chunks(new MapReduceChunks(3, 500)),
                NEW,
                new ObservedStore.Answered<>(Optional.empty()),
                new JobInput.Read(Optional.of(new TextNode("corpus"))),
                1);
        List<TreeNode> parts = tree(view).root().children();
        assertThat(((TreeNode.Chunks) parts.get(1)).work().perWorker()).isEqualTo(3);
        assertThat(parts.getFirst().body().brings()).hasValue(500);
    }

    @Test
    void jobIsAChainOfItsParts() {
        JobView view = view(
                spec().scratch(new MapReduceScratch("/scratch")),
                NEW,
                new ObservedStore.Answered<>(Optional.empty()),
                new JobInput.Read(Optional.of(new TextNode("corpus"))),
                1);
        TaskTree tree = tree(view);
        assertThat(tree.root().children())
                .hasExactlyElementsOfTypes(TreeNode.Leaf.class, TreeNode.Chunks.class, TreeNode.Leaf.class);
        assertThat(tree.root().children())
                .extracting(node -> node.body().name())
                .containsExactly("map", "chunks", "reduce");
        assertThat(tree.root().children().getFirst().body().input()).hasValue(new TextNode("corpus"));
        assertThat(tree.root().children().getFirst().body().brings()).hasValue(100_000);
        assertThat(((TreeNode.Chunks) tree.root().children().get(1)).work().scratch())
                .isPresent();
        assertThat(tree.atEnd()).isPresent();
        assertThat(tree.watched()).isTrue();
    }

    @Test
    void chunksOfAJobWithoutMapAreThoseOfItsInput() throws JsonProcessingException {
        for (String text : List.of("[1,[2],{}]", "{\"a\":1}", "[]")) {
            JobView view = view(
                    spec().map(null).input(MapReduceInput.ofJson(json(text))),
                    NEW,
                    new ObservedStore.Answered<>(Optional.empty()),
                    new JobInput.Read(Optional.of(json(text))),
                    1);
            List<JsonNode> chunks = new ArrayList<>();
            JsonNode value = json(text);
            (value.isArray() ? value : json("[" + text + "]")).forEach(chunks::add);
            assertThat(((TreeNode.Chunks) tree(view).root().children().getFirst())
                            .work()
                            .elements())
                    .hasValue(chunks);
        }
    }

    @Test
    void inputIsReadOfAConfigMap() {
        ConfigMapKeyRef ref = new ConfigMapKeyRef("m", "k");
        assertThat(InputReader.of(ref, null))
                .isEqualTo(new JobInput.NotFound(
                        "spec.input.configMapKeyRef.name: there is no ConfigMap m in this namespace."));
        var empty = new ConfigMapBuilder().addToBinaryData("k", "AA==").build();
        assertThat(InputReader.of(ref, empty))
                .isInstanceOfSatisfying(
                        JobInput.NotFound.class, it -> assertThat(it.message()).contains("binaryData"));
        var json = new ConfigMapBuilder().addToData("k", " [1, 2.50]\n").build();
        assertThat(((JobInput.Read) InputReader.of(ref, json)).json().orElseThrow())
                .hasToString("[1, 2.50]");
        var text = new ConfigMapBuilder().addToData("k", "one\ntwo\n").build();
        assertThat(InputReader.of(ref, text)).isEqualTo(new JobInput.Read(Optional.of(new TextNode("one\ntwo"))));
        var large = new ConfigMapBuilder().addToData("k", "x".repeat(262_145)).build();
        assertThat(InputReader.of(ref, large))
                .isEqualTo(new JobInput.Invalid("spec.input.configMapKeyRef: ConfigMap m, key k: the input has 262145"
                        + " bytes, at most 262144 are allowed."));
    }

    @Test
    void bytesAndPlacesAreObjectsForMap() {
        assertThat(read(MapReduceInput.ofBase64("YQD/", null))).isEqualTo("{\"base64\":\"YQD/\",\"format\":\"Bytes\"}");
        assertThat(read(MapReduceInput.ofBase64("YQD/", TaskInput.Format.Arrow)))
                .isEqualTo("{\"base64\":\"YQD/\",\"format\":\"Arrow\"}");
        assertThat(read(MapReduceInput.ofLocator("s3://corpus/\"a\"", TaskInput.Format.JSON)))
                .isEqualTo("{\"locator\":\"s3://corpus/\\\"a\\\"\",\"format\":\"JSON\"}");
        String most = "A".repeat(MapReduceInput.MAX_BASE64);
        assertThat(read(MapReduceInput.ofBase64(most, TaskInput.Format.Bytes))).contains(most);
        assertThat(JobInput.inline(Optional.of(MapReduceInput.ofBase64("A", null))))
                .isInstanceOfSatisfying(
                        JobInput.Invalid.class,
                        it -> assertThat(it.message())
                                .startsWith("spec.input.base64 is not base64: ")
                                .endsWith("\"A\"."));
        assertThat(JobInput.inline(Optional.of(MapReduceInput.ofBase64(most + "AAAA", null))))
                .isEqualTo(new JobInput.Invalid(
                        "spec.input.base64: the input has 262146 bytes, at most 262144 are allowed."));
    }

    private static String read(MapReduceInput input) {
        return ((JobInput.Read) JobInput.inline(Optional.of(input)))
                .json()
                .orElseThrow()
                .toString();
    }

    @Test
    void specThatCannotRunEndsTheJobWithItsField() {
        var none = new ObservedStore.Answered<ObservedJob>(Optional.empty());
        MapReduceMap numbers = MapReduceMapBuilder.builder()
                .command(List.of("split"))
                .args(List.of(json1()))
                .build();
        concludes(
                view(spec().map(numbers), NEW, none, new JobInput.Read(Optional.empty()), 1),
                "spec.map.args[0] is a number, and a command takes texts.");
        concludes(view(spec(), NEW, none, new JobInput.Invalid("spec.input: no."), 1), "spec.input: no.");
        JobInput many = new JobInput.Read(Optional.of(new JsonMapper().valueToTree(new int[MOST + 1])));
        concludes(
                view(spec().map(null).input(MapReduceInput.ofJson(new TextNode(""))), NEW, none, many, 1),
                "spec.input: there are 100001 chunks, at most 100000 are allowed.");
    }

    private static final int MOST = 100_000;

    private static JsonNode json1() {
        return new JsonMapper().valueToTree(1);
    }

    private static void concludes(JobView view, String message) {
        assertThat(JobPlanner.plan(view)).isEqualTo(new TreePlan.Conclude(MapReduceJobReason.SpecInvalid, message));
    }

    @Test
    void waitsForItsInputItsPoolsAndItsTurn() {
        var none = new ObservedStore.Answered<ObservedJob>(Optional.empty());
        holds(
                view(spec(), NEW, none, new JobInput.NotFound("no map."), 1),
                MapReduceJobReason.InputNotFound,
                "no map.");
        MapReducePart elsewhere = MapReducePartBuilder.builder()
                .handler("process")
                .workerPoolRef(new WorkerPoolRef("other"))
                .build();
        holds(
                view(spec().process(elsewhere), NEW, Optional.empty()),
                TreeReason.WorkerPoolNotFound,
                "spec.process.workerPoolRef.name: there is no WorkerPool other in this namespace.");
        holds(view(spec().suspend(true), NEW, Optional.empty()), TreeReason.Suspended, "spec.suspend is true.");
        var away = new ObservedStore.Away<ObservedJob>(StoreReason.Unreachable, "no route.");
        holds(
                view(spec(), NEW, away, new JobInput.Read(Optional.empty()), 1),
                TreeReason.Accepting,
                "Waiting for Redis (Unreachable): no route.");
    }

    private static void holds(JobView view, Reason reason, String message) {
        assertThat(JobPlanner.plan(view)).isEqualTo(new TreePlan.Hold(reason, message));
    }

    @Test
    void lossFollowsThePolicy() {
        assertThat(JobPlanner.plan(view(spec(), ACCEPTED, Optional.empty()))).isEqualTo(TreePlanner.LOST);
        assertThat(JobPlanner.plan(view(spec().storeLossPolicy(StoreLossPolicy.Resubmit), ACCEPTED, Optional.empty())))
                .isInstanceOfSatisfying(
                        TreePlan.Create.class,
                        create -> assertThat(create.resubmitted()).isTrue());
        MapReduceJobStatus intent = JobStatusCalculator.intent(view(spec(), ACCEPTED, Optional.empty()), 2);
        assertThat(intent.resubmissions()).isEqualTo(2);
        assertThat(intent.state()).isNull();
    }

    @Test
    void goingJobIsSteered() {
        var going = aggregating(counts(4, 1, 0, 1, 0));
        assertThat(JobPlanner.plan(view(spec().cancel(true), ACCEPTED, going)))
                .isEqualTo(new TreePlan.Steer(List.of(Trees.Change.CANCEL), false, Optional.empty()));
        assertThat(JobPlanner.plan(view(spec().suspend(true), ACCEPTED, going)))
                .isEqualTo(new TreePlan.Steer(List.of(Trees.Change.SUSPEND), false, Optional.empty()));
    }

    @ParameterizedTest
    @CsvSource({
        "STARTABLE, WAITING, WAITING, PENDING",
        "LOCKED, WAITING, WAITING, MAPPING",
        "RESTART, WAITING, WAITING, MAPPING",
        "FINISHED, WAITING, WAITING, AGGREGATING",
        "FINISHED, IDLE, WAITING, AGGREGATING",
        "FINISHED, FINISHED, WAITING, REDUCING",
        "FINISHED, FINISHED, LOCKED, REDUCING",
        "FINISHED, FINISHED, RESTART, REDUCING"
    })
    void stateIsThatOfTheSeed(State map, State chunks, State reduce, MapReduceJobState state) {
        assertThat(JobPhase.of(spec().build(), report(State.IDLE, map, chunks, reduce, Optional.empty())))
                .isEqualTo(state);
    }

    @Test
    void chunksCountOnceAndNoneGoesOnAtTheEnd() {
        MapReduceJobStatus going = status(view(spec(), ACCEPTED, aggregating(counts(10, 3, 1, 2, 1))));
        assertThat(going.chunks()).isEqualTo(new MapReduceChunkCounts(10L, 3L, 2L, 1L, 3L, 1L, 0L, 0L));
        assertThat(going.progress()).isEqualTo("4/10");
        assertThat(going.percent()).isEqualTo(40);
        assertThat(going.skipped()).containsExactly(0);
        assertThat(finished(going)).returns("Chunks are at work.", Condition::getMessage);
        MapReduceJobStatus combining = status(view(spec(), ACCEPTED, aggregating(counts(10, 9, 0, 4, 1))));
        assertThat(combining.chunks()).isEqualTo(new MapReduceChunkCounts(10L, 0L, 0L, 1L, 9L, 0L, 0L, 0L));
        MapReduceJobStatus over = status(view(spec(), ACCEPTED, failed(2, "ChunksFailed", "chunk 1 failed: E: no")));
        assertThat(over.chunks()).isEqualTo(new MapReduceChunkCounts(4L, 0L, 0L, 0L, 1L, 0L, 0L, 0L));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | Exception | boom | MapFailed | Map failed in trial 2: Exception: boom.",
                "2 | ChunksFailed | chunk 3 failed: Exception: boom | ChunksFailed | Chunk 3 failed: Exception: boom.",
                "2 | CombineFailed | combine 0 failed: TimedOut: late | CombineFailed | Combine 0 failed: TimedOut: late.",
                "2 | ResultsTooLarge | the results take 9 bytes | ResultsTooLarge | The results take 9 bytes.",
                "2 | InputInvalid | no array | MapFailed | Map failed in trial 2: InputInvalid: no array.",
                "3 | InputTooLarge | too large | ReduceFailed | Reduce failed in trial 2: InputTooLarge: too large.",
                "0 | Cancelled | | Cancelled | It was cancelled in Redis."
            })
    void endHasItsReason(int node, String word, String message, String reason, String words) {
        MapReduceJobStatus status = status(view(spec(), ACCEPTED, failed(node, word, message == null ? "" : message)));
        assertThat(finished(status))
                .returns(reason, Condition::getReason)
                .returns(words + " 1 of 4 chunks were done.", Condition::getMessage);
        assertThat(status.state()).isEqualTo(MapReduceJobState.FINISHED);
        assertThat(status.completionTime()).isEqualTo("2026-01-01T10:00:05Z");
    }

    @Test
    void waitingJobNamesWhatWaits() {
        var answer = new ObservedStore.Answered<>(aggregating(counts(10, 3, 0, 0, 0)));
        assertThat(finished(status(view(spec(), ACCEPTED, answer, new JobInput.NotRead(), 0))))
                .returns("WaitingForWorkers", Condition::getReason)
                .returns("7 chunks wait and no worker is ready.", Condition::getMessage);
        var retrying = new ObservedStore.Answered<>(aggregating(counts(1, 0, 0, 0, 1)));
        assertThat(finished(status(view(spec(), ACCEPTED, retrying, new JobInput.NotRead(), 0))))
                .returns("Running", Condition::getReason);
    }

    @Test
    void statusStaysSmallHoweverMuchFailed() {
        List<TrialFailure> failures = IntStream.range(0, 8)
                .mapToObj(i -> TrialFailure.of(
                        "chunk-" + i, 3, Optional.of(1), Optional.empty(), "NonZeroExit", "<".repeat(512)))
                .toList();
        ChunkCounts worst = new ChunkCounts(
                MOST,
                0,
                10_000,
                10_000,
                0,
                0,
                0,
                0,
                30_000,
                Duration.ofDays(9),
                10,
                NOW,
                IntStream.range(90_000, 90_032).boxed().toList(),
                failures);
        TreeReport over = report(State.FINISHED, State.FINISHED, State.FINISHED, State.FINISHED, Optional.empty());
        ObservedTree tree = new ObservedTree(
                over, Optional.of(new Trees.Measured(Optional.of(4096L), Optional.of("\"" + "r".repeat(4094) + "\""))));
        JobView view = view(spec(), ACCEPTED, Optional.of(new ObservedJob(tree, Optional.of(worst))));
        MapReduceJobStatus status = status(view);
        assertThat(status.skipped()).hasSize(32);
        assertThat(status.result()).isNotNull();
        assertThat(new JsonMapper().valueToTree(status).toString().length()).isLessThan(6144);
    }

    @Test
    void unchangedStatusIsNotWrittenAndTheEndAtOnce() {
        MapReduceJobStatus going = status(view(spec(), ACCEPTED, aggregating(counts(10, 3, 1, 2, 1))));
        assertThat(JobStatusCalculator.change(Optional.of(going), going)).isEqualTo(Change.NONE);
        MapReduceJobStatus other =
                MapReduceJobStatusBuilder.builder(going).eta("3m").build();
        assertThat(JobStatusCalculator.change(Optional.of(going), other)).isEqualTo(Change.NONE);
        MapReduceJobStatus over = status(view(spec(), ACCEPTED, failed(1, "Exception", "boom")));
        assertThat(JobStatusCalculator.change(Optional.of(going), over)).isEqualTo(Change.AT_ONCE);
        assertThat(JobEvents.of(NEW, over))
                .extracting(Event::reason)
                .containsExactly("Accepted", "Mapped", "MapFailed");
    }
}
