package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

class SerialisationTest {
    private final KubernetesSerialization json = new KubernetesSerialization();

    @Test
    void wholeWorkerPoolSurvivesTheWayThereAndBack() {
        var pool = new WorkerPool();
        pool.setMetadata(new ObjectMetaBuilder().withName("shared").build());
        pool.setSpec(new WorkerPoolSpec(
                3,
                true,
                new Autoscaling(20, Autoscaling.Mode.Report, 10, 0),
                new Slots(8, new Quantity("64Ki"), new Quantity("2Mi")),
                Specimens.template(),
                new Handler(List.of("python", "-m", "handlers")),
                new Supervisor(null),
                "team-a",
                new GrantedPrefix("idoit:", List.of(new GrantedType("resize", "scale", 3, 0, 30))),
                new PoolHistory(PoolHistory.Keep.All),
                List.of(new PriorityBoost("view", 1000)),
                5,
                new Fairness(List.of(new FairnessWeight("acme", 2))),
                List.of(
                        new PoolResource("tenant!*", ResourceState.Missing, 5, 60, ResourceLoss.Cancel, null),
                        new PoolResource(
                                "online",
                                null,
                                null,
                                null,
                                null,
                                new ResourceProbe(
                                        new HttpGetProbe("imap", 443, "/healthz?deep=1", HttpGetProbe.Scheme.HTTPS),
                                        null,
                                        null,
                                        5,
                                        2,
                                        1,
                                        4)),
                        new PoolResource(
                                "office",
                                null,
                                null,
                                null,
                                null,
                                new ResourceProbe(
                                        null,
                                        new ExecProbe("check", List.of(TextNode.valueOf("imap"))),
                                        new ScheduleProbe("0 8 * * *", 60, "Europe/Berlin"),
                                        null,
                                        null,
                                        null,
                                        null))),
                List.of(new ResourceAlias("account!*", List.of("online", "tenant!*"))),
                60,
                new Rollout(new IntOrString(1), new IntOrString("50%"))));
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .observedGeneration(4L)
                .replicas(3)
                .readyReplicas(2)
                .busySlots(0)
                .desiredReplicas(4)
                .queued(12L)
                .blocked(3L)
                .resources(List.of(new PoolResourceStatus(
                        "tenant!acme",
                        ResourceState.Missing,
                        "2026-01-01T00:00:00Z",
                        "login",
                        3L,
                        5,
                        5L,
                        null,
                        List.of("a"),
                        null)))
                .workSeconds(480L)
                .selector("quiver.dev/pool=shared")
                .idoitPoolID(4_503_599_627_370_495L)
                .conditions(List.of(new ConditionBuilder()
                        .withType(ConditionType.Ready.name())
                        .withStatus("False")
                        .withReason(WorkerPoolReason.ImagePullFailed.name())
                        .withMessage(WorkerPoolReason.ImagePullFailed.sentence())
                        .withLastTransitionTime("2026-01-01T00:00:00Z")
                        .build()))
                .build());
        assertThat(pool.getSpec().grantedPrefix().handlerOf("resize")).isEqualTo("scale");
        var back = json.unmarshal(json.asYaml(pool), WorkerPool.class);
        assertThat(back.getSpec()).isEqualTo(pool.getSpec());
        assertThat(back.getStatus()).isEqualTo(pool.getStatus());
        assertThat(back).isEqualTo(pool);
    }

    @Test
    void wholeTaskSetSurvivesTheWayThereAndBack() {
        var set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder().withName("specs").build());
        set.setSpec(TaskSetSpecBuilder.builder()
                .replicas(4)
                .workerTemplate(WorkerTemplateBuilder.builder()
                        .template(Specimens.template())
                        .build())
                .source(TaskSource.ofItems(List.of(
                        new TaskItem("a", List.of("-x", ""), List.of(new EnvEntry("A", ""))),
                        new TaskItem("b", null, null))))
                .task(new TaskTemplate(
                        List.of("run"),
                        null,
                        List.of("--fast"),
                        List.of(new EnvEntry("B", "$(A)")),
                        null,
                        "/tmp",
                        1,
                        new TaskTimeouts(20, null),
                        64,
                        new TaskTemplateResult(TaskTemplateResult.Format.Arrow)))
                .maxFailedTasks(7)
                .activeDeadlineSeconds(60L)
                .ttlSecondsAfterFinished(0L)
                .storeLossPolicy(StoreLossPolicy.Resubmit)
                .build());
        set.setStatus(TaskSetStatusBuilder.builder()
                .total(1_000_000L)
                .succeeded(0L)
                .percent(0)
                .progress("0/1000000")
                .failures(List.of(new TaskFailure("a", 2, 3, null, "NonZeroExit", "no such file")))
                .build());
        var back = json.unmarshal(json.asJson(set), TaskSet.class);
        assertThat(back.getSpec()).isEqualTo(set.getSpec());
        assertThat(back.getStatus()).isEqualTo(set.getStatus());
        assertThat(json.asJson(set)).doesNotContain("null", "activeDeadline\"", "poolName");
    }

    @Test
    void inputsOfAnyJsonSurviveTheWayThereAndBack() throws IOException {
        var mapper = new ObjectMapper();
        for (var text : List.of("{}", "[]", "{\"a\":[1,2.5,\"x\"]}", "7", "\"word\"", "false")) {
            var input = TaskInput.ofJson(mapper.readTree(text));
            assertThat(json.asJson(input)).isEqualTo("{\"json\":" + text + "}");
            assertThat(json.unmarshal(json.asYaml(input), TaskInput.class).json())
                    .isEqualTo(input.json());
        }
    }

    @Test
    void inputsOfAJobSurviveTheWayThereAndBack() {
        for (var input : List.of(
                MapReduceInput.ofBase64("YQD/", TaskInput.Format.Arrow),
                MapReduceInput.ofLocator("s3://logs/a", null),
                MapReduceInput.ofConfigMap(new ConfigMapKeyRef("m", "k")))) {
            assertThat(json.unmarshal(json.asJson(input), MapReduceInput.class)).isEqualTo(input);
        }
        assertThat(json.asJson(MapReduceInput.ofLocator("/a", null))).isEqualTo("{\"locator\":\"/a\"}");
        assertThat(MapReduceInput.ofLocator("/a", null).formatOrDefault()).isEqualTo(TaskInput.Format.Bytes);
    }

    @Test
    void whatWasLeftOutHasTheDefaultsOfTheSchema() {
        var pool = json.unmarshal("kind: WorkerPool\napiVersion: quiver.dev/v1alpha1\nspec: {}", WorkerPool.class)
                .getSpec();
        assertThat(pool.replicas()).isEqualTo(1);
        assertThat(pool.suspend()).isFalse();
        assertThat(pool.slots()).isEqualTo(new Slots(4, new Quantity("1Mi"), new Quantity("1Mi")));
        assertThat(pool.drain()).isEqualTo(Duration.ofMinutes(5));
        assertThat(pool.rollout()).isEqualTo(new Rollout(new IntOrString("25%"), new IntOrString(0)));
        assertThat(pool.namedKeyspace()).isEmpty();
        assertThat(pool.foreignKeys()).isEmpty();

        var keys = json.unmarshal("{\"prefix\": \"idoit:\", \"types\": [{\"name\": \"resize\"}]}", GrantedPrefix.class);
        assertThat(keys.types()).containsExactly(new GrantedType("resize", null, 2, 60, 120));
        assertThat(keys.types().get(0).backoff()).isEqualTo(Duration.ofMinutes(1));
        assertThat(keys.types().get(0).timeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(keys.handlerOf("resize")).isEqualTo("resize");
        assertThat(keys.handlerOf("rotate")).isEqualTo("rotate");

        var set = json.unmarshal(
                        "kind: TaskSet\napiVersion: quiver.dev/v1alpha1\nspec: {replicas: 2, source: {count: 3}}",
                        TaskSet.class)
                .getSpec();
        assertThat(set.maxTrials()).isEqualTo(3);
        assertThat(set.maxFailedTasks()).isZero();
        assertThat(set.storeLossPolicy()).isEqualTo(StoreLossPolicy.Fail);
        assertThat(set.cancel()).isFalse();
        assertThat(set.activeDeadline()).isEmpty();
        assertThat(set.ownWorkers()).isEmpty();
        assertThat(set.source().items()).isEmpty();
        assertThat(set.source().matrix()).isEmpty();
    }

    @Test
    void aTaskSurvivesTheWayThereAndBack() throws IOException {
        var mapper = new ObjectMapper();
        var result = mapper.readTree("{\"pages\":[1,null,\"\"]}");
        var args = List.of(mapper.readTree("[null, 0, \"\", false, {\"a\": null}]"), NullNode.getInstance());
        var task = Specimens.task(
                "nightly",
                TaskSpecBuilder.builder()
                        .nodes(List.of(
                                TaskNode.ofChain("all", "fetch", "each"),
                                TaskNodeBuilder.builder()
                                        .name("fetch")
                                        .handler("fetch")
                                        .args(args)
                                        .backoff(new Backoff(0, 2, 60, 10))
                                        .workerPoolRef(new WorkerPoolRef("other"))
                                        .build(),
                                TaskNode.ofForEach("each", "walk"),
                                TaskNodeBuilder.builder(TaskNode.ofIterator("walk", TaskIterator.ofHandler("walk")))
                                        .onChildError(OnChildError.Continue)
                                        .build(),
                                TaskNode.ofCommand("sweep", "rm", "-r")))
                        .root("all")
                        .cleanup("sweep")
                        .schedule(TaskSchedule.ofCron("@daily")));
        task.setStatus(TaskStatusBuilder.builder()
                .state(TaskState.RESTART)
                .nodes(new TaskNodeCounts(1L, 2L, 3L, 4L, 5L, 6L, 0L))
                .result(result)
                .resultSize(20L)
                .grantedPrefix("idoit:")
                .error(new TaskError("fetch", 3, "Exception", "no route", "at fetch.py:3"))
                .tree(List.of(new TaskNodeStatus("all", TaskState.IDLE, "0/3", 1, null)))
                .schedule(new TaskScheduleStatus(
                        "2026-01-01T00:00:00Z",
                        "2026-01-02T00:00:00Z",
                        null,
                        0L,
                        List.of(new TaskRun(1L, "2026-01-01T00:00:00Z", null, null, TaskState.LOCKED, null))))
                .build());
        var text = json.asJson(task);
        var back = json.unmarshal(text, Task.class);
        assertThat(back.getSpec()).isEqualTo(task.getSpec());
        assertThat(back.getStatus()).isEqualTo(task.getStatus());
        assertThat(text)
                .contains("\"finally\":\"sweep\"", "\"do\":\"walk\"", "\"state\":\"restart\"")
                .doesNotContain("cleanup", "template", "type\"", "OrDefault");
    }

    @Test
    void anEmptyResultIsAResult() throws IOException {
        var mapper = new ObjectMapper();
        for (var text : List.of("null", "0", "false", "\"\"", "[]", "{}")) {
            var status =
                    TaskStatusBuilder.builder().result(mapper.readTree(text)).build();
            assertThat(json.asJson(status)).isEqualTo("{\"result\":" + text + "}");
            assertThat(json.unmarshal(json.asJson(status), TaskStatus.class)).isEqualTo(status);
        }
        assertThat(json.unmarshal("{}", TaskStatus.class).result()).isNull();
    }

    @Test
    void whatWasLeftOutOfATaskHasTheDefaultsOfTheSchema() {
        var spec = json.unmarshal(
                        "kind: Task\napiVersion: quiver.dev/v1alpha1\nspec: {nodes: [{name: a, iterator: {handler: b}}],"
                                + " schedule: {cron: '@daily'}, notBefore: '2026-01-01T01:00:00+01:00'}",
                        Task.class)
                .getSpec();
        assertThat(spec.wire()).isEqualTo(Wire.Quiver);
        assertThat(spec.storeLossPolicy()).isEqualTo(StoreLossPolicy.Fail);
        assertThat(spec.suspend()).isFalse();
        assertThat(spec.unit()).isEmpty();
        assertThat(spec.rootName()).isEmpty();
        assertThat(spec.cleanupName()).isEmpty();
        assertThat(spec.startsNotBefore()).contains(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(spec.recurring())
                .contains(new TaskSchedule("@daily", "Etc/UTC", null, ConcurrencyPolicy.Allow, false, 3, 1));
        assertThat(spec.nodes().get(0).iterator().window()).isEqualTo(1000);
        assertThat(spec.nodes().get(0).maxTrials()).isNull();
    }

    @Test
    void wordsOfALaterVersionDoNotKeepATaskFromBeingRead() {
        var task = json.unmarshal("""
                kind: Task
                apiVersion: quiver.dev/v1alpha1
                spec:
                  wire: Telex
                  nodes: [{name: a, group: [b], onChildError: Ignore}]
                  schedule: {cron: '@daily', concurrencyPolicy: Queue}
                status: {state: blocked, tree: [{name: a, state: planned}]}
                """, Task.class);
        assertThat(task.getSpec().wire()).isEqualTo(Wire.Quiver);
        assertThat(task.getSpec().nodes().get(0).onChildErrorOrDefault()).isEqualTo(OnChildError.Fail);
        assertThat(task.getSpec().schedule().concurrencyPolicy()).isEqualTo(ConcurrencyPolicy.Allow);
        assertThat(task.getStatus().state()).isNull();
        assertThat(task.getStatus().tree().get(0).state()).isNull();
    }

    @Test
    void anUnknownPolicyDoesNotKeepAnObjectFromBeingRead() {
        var set = json.unmarshal(
                "kind: TaskSet\napiVersion: quiver.dev/v1alpha1\nspec: {replicas: 2, storeLossPolicy: Later}",
                TaskSet.class);
        assertThat(set.getSpec().storeLossPolicy()).isEqualTo(StoreLossPolicy.Fail);
    }

    @Test
    void ofAStatusOnlyWhatIsKnownIsWritten() {
        assertThat(json.asJson(TaskSetStatusBuilder.builder().running(0L).build()))
                .isEqualTo("{\"running\":0}");
        assertThat(json.asJson(WorkerPoolStatusBuilder.builder().build())).isEqualTo("{}");
    }

    @Test
    void aHistoryThatWasLeftOutHasDefaults() {
        var bare = json.unmarshal("{}", RunHistory.class);
        assertThat(bare).isEqualTo(RunHistory.DEFAULT);
        assertThat(bare.keep()).isEqualTo(RunHistory.Keep.All);
        assertThat(bare.output().keep()).isEqualTo(RunHistoryOutput.Keep.Failed);
        assertThat(bare.output().streamKib()).as("the ends of streams alone").isZero();
        assertThat(json.unmarshal("{\"full\": true}", RunHistoryOutput.class).streamKib())
                .isEqualTo(8192);
        assertThat(json.unmarshal("{\"full\": true, \"limit\": 16385}", RunHistoryOutput.class)
                        .streamKib())
                .isEqualTo(17);
        assertThat(bare.results()).isEqualTo(RunHistory.Results.None);
        assertThat(bare.resources()).isFalse();
        assertThat(bare.whenFull()).isEqualTo(RunHistory.WhenFull.Forget);
        assertThat(bare.onDelete()).isEqualTo(RunHistory.OnDelete.Keep);
        assertThat(bare.forgets()).isFalse();
        assertThat(bare.ownRetention()).isEmpty();

        var days = json.unmarshal("{\"retention\": {\"days\": 3}}", RunHistory.class)
                .ownRetention()
                .orElseThrow();
        assertThat(days.age()).contains(Duration.ofDays(3));
        assertThat(days.latestRuns()).isEmpty();

        var set = Specimens.taskSet("a").getSpec();
        assertThat(set.history()).isNull();
        assertThat(set.historyOrDefault()).isEqualTo(RunHistory.DEFAULT);
        assertThat(set.namedClass()).isEmpty();
        assertThat(Specimens.task("a").getSpec().historyOrDefault()).isEqualTo(RunHistory.DEFAULT);
        assertThat(Specimens.mapReduceJob("a").getSpec().historyOrDefault()).isEqualTo(RunHistory.DEFAULT);
        assertThat(json.asJson(set)).doesNotContain("history", "lass");
    }

    @Test
    void aPoolThatNamesNoHistoryKeepsFailures() {
        var bare = json.unmarshal("{}", PoolHistory.class);
        assertThat(bare).isEqualTo(PoolHistory.DEFAULT);
        assertThat(bare.keep()).isEqualTo(PoolHistory.Keep.Failures);
        assertThat(json.unmarshal("{\"keep\": \"Sample\"}", PoolHistory.class)).isEqualTo(bare);
        var spec = Specimens.pool("a").getSpec();
        assertThat(spec.history()).isNull();
        assertThat(spec.historyOrDefault()).isEqualTo(bare);
        assertThat(json.asJson(spec)).doesNotContain("history");
    }

    @Test
    void aHistorySurvivesTheWayThereAndBack() {
        var history = RunHistoryBuilder.builder()
                .keep(RunHistory.Keep.Failures)
                .output(new RunHistoryOutput(RunHistoryOutput.Keep.None))
                .results(RunHistory.Results.Json)
                .resources(true)
                .whenFull(RunHistory.WhenFull.Wait)
                .onDelete(RunHistory.OnDelete.Forget)
                .retention(new RunHistoryRetention(7, 20))
                .build();
        var set = Specimens.taskSet("a");
        set.setSpec(TaskSetSpecBuilder.builder(set.getSpec())
                .taskSetClass("specs")
                .history(history)
                .build());
        var back = json.unmarshal(json.asJson(set), TaskSet.class).getSpec();
        assertThat(back).isEqualTo(set.getSpec());
        assertThat(back.historyOrDefault()).isEqualTo(history);
        assertThat(back.namedClass()).contains("specs");
        assertThat(back.historyOrDefault().forgets()).isTrue();
        assertThat(json.asJson(history)).doesNotContain("null", "own", "age", "latest", "forgets");
    }

    @Test
    void aWordOfALaterVersionDoesNotKeepAHistoryFromBeingRead() {
        assertThat(json.unmarshal(
                        "{\"keep\": \"Sample\", \"output\": {\"keep\": \"Long\"}, \"results\": \"Arrow\", \"whenFull\": \"Spill\", \"onDelete\": \"Archive\"}",
                        RunHistory.class))
                .isEqualTo(RunHistory.DEFAULT);
    }

    @Test
    void listsInASpecCannotBeChanged() {
        var source = TaskSource.ofMatrix(Map.of("B", List.of("1"), "A", List.of("2", "3")));
        assertThatThrownBy(() -> source.matrix().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> source.items().add(null)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(source.matrix().keySet()).containsExactly("A", "B");
        assertThat(source.size()).hasValue(2);
    }

    @Test
    void sizesOfSlotsAreBytes() {
        var slots = new Slots(2, new Quantity("64Ki"), new Quantity("1048576"));
        assertThat(slots.inputBytes()).isEqualTo(65_536);
        assertThat(slots.outputBytes()).isEqualTo(1_048_576);
    }

    @Test
    void aTaskSetKnowsItsPool() {
        var set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder().withName("specs").build());
        set.setSpec(TaskSetSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef("shared"))
                .build());
        assertThat(set.poolName()).isEqualTo("shared");
        set.setSpec(TaskSetSpecBuilder.builder().build());
        assertThat(set.poolName()).isEqualTo("tset-specs");
    }
}
