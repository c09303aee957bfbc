package dev.quiver.controller.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.quiver.controller.kube.ServerSideApply;
import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ChunkFailurePolicy;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.ConfigMapKeyRef;
import dev.quiver.crds.v1alpha1.HandlerReason;
import dev.quiver.crds.v1alpha1.MapReduceChunkCounts;
import dev.quiver.crds.v1alpha1.MapReduceChunks;
import dev.quiver.crds.v1alpha1.MapReduceCombineBuilder;
import dev.quiver.crds.v1alpha1.MapReduceInput;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobSpecBuilder;
import dev.quiver.crds.v1alpha1.MapReduceJobState;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReduceMapBuilder;
import dev.quiver.crds.v1alpha1.MapReducePart;
import dev.quiver.crds.v1alpha1.MapReducePartBuilder;
import dev.quiver.crds.v1alpha1.TaskError;
import dev.quiver.crds.v1alpha1.TaskInput;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.lifecycle.redis.RedisStore;

/** The way of a map-reduce job: from apply to finished to deleted, and all that a person may change on it. */
@ExtendWith(ApiServer.class)
class MapReduceJobIT {

    private static final String POOL = "jobs";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private static NoopWorker worker;

    @BeforeAll
    static void work(KubernetesClient client) {
        client.resource(Samples.serving(POOL, 1)).create();
        Pod pod = new Seen(client).awaitPods(POOL, 1).getFirst();
        new Kubelet(client).allReady(POOL);
        worker = new Seen(client).awaitWorker(pod, OPERATOR.redisUri());
        worker.serve("map", "process", "reduce");
    }

    @AfterAll
    static void rest() {
        worker.close();
    }

    @AfterEach
    void clear(KubernetesClient client) throws Exception {
        worker.pass("[]");
        client.resources(MapReduceJob.class).delete();
        Seen.until(() -> client.resources(MapReduceJob.class).list().getItems(), List::isEmpty);
    }

    @Test
    void runsFromApplyToFinishedAndLeavesNoKeyWhenDeleted(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job(
                        "words",
                        Samples.mapReduce(POOL, "map", "process", "reduce")
                                .input(MapReduceInput.ofJson(new TextNode("corpus")))))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        seen.awaitJob("words", s -> s.state() == MapReduceJobState.MAPPING);
        assertThat(worker.names()).containsExactly("map");
        worker.pass("[\"a\",\"b\",\"c\"]");
        Seen.until(() -> worker.claim(2), held -> held == 2);
        MapReduceJobStatus half =
                seen.awaitJob("words", s -> s.chunks() != null && s.chunks().active() == 2);
        assertThat(half.state()).isEqualTo(MapReduceJobState.AGGREGATING);
        assertThat(half.chunks()).isEqualTo(new MapReduceChunkCounts(3L, 1L, 2L, 0L, 0L, 0L, 0L, 0L));
        assertThat(worker.names()).containsExactly("chunk-0", "chunk-1");
        worker.pass(claim -> "{\"of\":" + claim.id() + "}");
        seen.awaitJob("words", s -> s.chunks().done() == 2);
        assertThat(seen.columns("mapreducejobs", "words")).startsWith("words", "aggregating", "2/3", "66", "0");
        Seen.until(() -> worker.claim(1), held -> held == 1);
        worker.pass("7");
        Seen.until(() -> worker.claim(4), held -> held == 1);
        seen.awaitJob("words", s -> s.state() == MapReduceJobState.REDUCING);
        assertThat(worker.names()).containsExactly("reduce");
        worker.pass("{\"total\":3}");

        var finished = seen.awaitJob("words", ConditionType.Finished, MapReduceJobReason.JobSucceeded);
        assertThat(finished.getStatus()).isEqualTo("True");
        assertThat(finished.getMessage()).isEqualTo("The job succeeded. 3 of 3 chunks were done.");
        MapReduceJobStatus status = seen.job("words").orElseThrow();
        assertThat(status.state()).isEqualTo(MapReduceJobState.FINISHED);
        assertThat(status.result().toString()).isEqualTo("{\"total\":3}");
        assertThat(status.chunks()).isEqualTo(new MapReduceChunkCounts(3L, 0L, 0L, 0L, 3L, 0L, 0L, 0L));
        assertThat(status.completionTime()).isNotNull();
        assertThat(seen.columns("mapreducejobs", "words")).startsWith("words", "finished", "3/3", "100", "0");
        assertThat(Seen.condition(status.conditions(), ConditionType.HandlerAvailable)
                        .getStatus())
                .isEqualTo("True");
        seen.awaitEvents("words", "Accepted", "Mapped", "JobSucceeded");
        assertThat(
                        client
                                .resources(MapReduceJob.class)
                                .withName("words")
                                .get()
                                .getMetadata()
                                .getManagedFields()
                                .stream()
                                .filter(f -> "status".equals(f.getSubresource()))
                                .map(f -> f.getManager()))
                .containsOnly(ServerSideApply.FIELD_MANAGER);

        String uid = uid(client, "words");
        client.resources(MapReduceJob.class).withName("words").delete();
        Seen.gone(() -> client.resources(MapReduceJob.class).withName("words").get());
        assertThat(left(uid)).isEmpty();
    }

    @Test
    void elementsOfTheInputAreChunksAndTheirResultsTheResult(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("sizes", elements("[1,[2],null]"))).create();
        Seen.until(() -> worker.claim(4), held -> held == 3);
        worker.pass(claim -> "\"" + claim.task().name() + "\"");
        seen.awaitJob("sizes", ConditionType.Succeeded, MapReduceJobReason.JobSucceeded);
        MapReduceJobStatus status = seen.job("sizes").orElseThrow();
        assertThat(status.result()).hasToString("[\"chunk-0\",\"chunk-1\",\"chunk-2\"]");
        assertThat(status.progress()).isEqualTo("3/3");
    }

    @Test
    void valueThatIsNoArrayIsOneChunk(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("one", elements("{\"path\":\"/data\"}"))).create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("5");
        seen.awaitJob("one", ConditionType.Succeeded, MapReduceJobReason.JobSucceeded);
        assertThat(seen.job("one").orElseThrow().result()).hasToString("[5]");
    }

    @Test
    void noChunkAtAllIsReducedAsWell(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("none", Samples.mapReduce(POOL, "map", "process", "reduce")))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("[]");
        Seen.until(() -> worker.claim(4), held -> held == 1);
        assertThat(worker.names()).containsExactly("reduce");
        worker.pass("0");
        var finished = seen.awaitJob("none", ConditionType.Succeeded, MapReduceJobReason.JobSucceeded);
        assertThat(finished.getMessage()).isEqualTo("The job succeeded. 0 of 0 chunks were done.");
        assertThat(seen.job("none").orElseThrow().result()).hasToString("0");
    }

    @Test
    void thousandsOfChunksAreCountedCombinedAndReduced(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        int chunks = 2_050;
        client.resource(Samples.job(
                        "many",
                        Samples.mapReduce(POOL, "map", "process", "reduce")
                                .combine(MapReduceCombineBuilder.builder()
                                        .handler("reduce")
                                        .fanIn(100)
                                        .build())))
                .create();
        claimOne();
        worker.pass(IntStream.range(0, chunks).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]")));
        int ran = 0;
        while (Seen.until(() -> worker.claim(64), held -> held > 0) > 1
                || !worker.names().contains("reduce")) {
            ran += worker.names().size();
            worker.pass("1");
        }
        int combines = 21 + 1;
        assertThat(ran).isEqualTo(chunks + combines);
        worker.pass("{\"sum\":1}");
        assertThat(seen.awaitJob("many", ConditionType.Succeeded, MapReduceJobReason.JobSucceeded)
                        .getMessage())
                .isEqualTo("The job succeeded. 2050 of 2050 chunks were done.");
        assertThat(seen.job("many").orElseThrow().chunks())
                .isEqualTo(new MapReduceChunkCounts(2_050L, 0L, 0L, 0L, 2_050L, 0L, 22L, 22L));
    }

    @Test
    void mapThatMakesTooManyChunksFailsWithBothNumbers(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job(
                        "flood", Samples.mapReduce(POOL, "map", "process", null).chunks(new MapReduceChunks(2))))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("[1,2,3]");
        var finished = seen.awaitJob("flood", ConditionType.Finished, MapReduceJobReason.MapFailed);
        assertThat(finished.getMessage())
                .isEqualTo("Map failed: ResultInvalid: there are 3 chunks, at most 2 are allowed.");
        TaskError error = seen.job("flood").orElseThrow().error();
        assertThat(error.node()).isEqualTo("map");
        seen.awaitEvents("flood", "MapFailed");
    }

    @Test
    void chunkThatFailsForGoodEndsTheJob(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("strict", elements("[1,2,3]").process(once("process"))))
                .create();
        Seen.until(() -> worker.claim(1), held -> held == 1);
        worker.fail("Traceback:\nValueError: no number");
        var finished = seen.awaitJob("strict", ConditionType.Finished, MapReduceJobReason.ChunksFailed);
        assertThat(finished.getMessage())
                .startsWith("Chunk 0 failed: NonZeroExit: Traceback:")
                .endsWith("ValueError: no number. 0 of 3 chunks were done.");
        MapReduceJobStatus status = seen.job("strict").orElseThrow();
        assertThat(status.failures()).hasSize(1);
        assertThat(status.failures().getFirst().message()).contains("ValueError");
        assertThat(status.chunks().pending()).isZero();
    }

    @Test
    void skippedChunksAreNamedAndTheOthersReduced(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job(
                        "lenient",
                        elements("[1,2,3]").process(once("process")).failurePolicy(ChunkFailurePolicy.SkipChunk)))
                .create();
        Seen.until(() -> worker.claim(2), held -> held == 2);
        worker.fail("broken");
        seen.awaitJob("lenient", s -> s.chunks() != null && s.chunks().skipped() == 2);
        Seen.until(() -> worker.claim(2), held -> held == 1);
        worker.pass("7");
        var finished = seen.awaitJob("lenient", ConditionType.Succeeded, MapReduceJobReason.JobSucceeded);
        assertThat(finished.getMessage()).isEqualTo("The job succeeded. 1 of 3 chunks were done, 2 were skipped.");
        MapReduceJobStatus status = seen.job("lenient").orElseThrow();
        assertThat(status.skipped()).containsExactly(0, 1);
        assertThat(status.result()).hasToString("[7]");
        assertThat(status.progress()).isEqualTo("3/3");
    }

    @Test
    void combineAndReduceThatFailAreNamed(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job(
                        "combined",
                        elements("[1,2,3]")
                                .combine(MapReduceCombineBuilder.builder()
                                        .handler("reduce")
                                        .fanIn(2)
                                        .maxTrials(1)
                                        .build())
                                .failurePolicy(ChunkFailurePolicy.SkipChunk)))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 3);
        worker.pass("1");
        Seen.until(() -> worker.claim(4), held -> held == 1);
        assertThat(worker.names()).containsExactly("combine-0");
        worker.fail("no sum");
        assertThat(seen.awaitJob("combined", ConditionType.Finished, MapReduceJobReason.CombineFailed)
                        .getMessage())
                .isEqualTo("Combine 0 failed: NonZeroExit: no sum. 3 of 3 chunks were done.");
        client.resource(Samples.job("reduced", elements("[1]").reduce(once("reduce"))))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("1");
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.fail("no top");
        assertThat(seen.awaitJob("reduced", ConditionType.Finished, MapReduceJobReason.ReduceFailed)
                        .getMessage())
                .isEqualTo("Reduce failed: NonZeroExit: no top. 1 of 1 chunks were done.");
    }

    @Test
    void resultsThatAreTooLargeEndTheJob(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("large", elements("[1,2]").resultsSize(new Quantity("1Ki"))))
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 2);
        worker.pass("\"" + "x".repeat(700) + "\"");
        assertThat(seen.awaitJob("large", ConditionType.Finished, MapReduceJobReason.ResultsTooLarge)
                        .getMessage())
                .startsWith("The results take 14")
                .contains("at most 1024 are kept");
    }

    @Test
    void suspendedJobGivesNothingOutAndGoesOn(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("rest", elements("[1,2]"))).create();
        Seen.until(() -> worker.claim(1), held -> held == 1);
        worker.pass("1");
        Samples.patch(client, MapReduceJob.class, "rest", "\"suspend\":true");
        seen.awaitJob("rest", ConditionType.Suspended, TreeReason.Suspended);
        assertThat(worker.claim(4)).isZero();
        assertThat(seen.columns("mapreducejobs", "rest")).startsWith("rest", "aggregating", "1/2", "50");
        Samples.patch(client, MapReduceJob.class, "rest", "\"suspend\":false");
        seen.awaitJob("rest", ConditionType.Suspended, TreeReason.NotSuspended);
        seen.awaitEvents("rest", "Suspended", "Resumed");
        Seen.until(() -> worker.claim(4), held -> held == 1);
        worker.pass("2");
        seen.awaitJob("rest", ConditionType.Succeeded, MapReduceJobReason.JobSucceeded);
        seen.awaitEvents("rest", "JobSucceeded");
    }

    @ParameterizedTest
    @EnumSource(MapReduceJobState.class)
    void cancelledJobLeavesNothingBehind(MapReduceJobState state, KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        String name = "c" + state.name().toLowerCase(Locale.ROOT);
        var spec = Samples.mapReduce(POOL, "map", "process", "reduce");
        client.resource(Samples.job(name, state == MapReduceJobState.POSTPONED ? spec.postponeSeconds(600) : spec))
                .create();
        switch (state) {
            case POSTPONED, PENDING -> seen.awaitJob(name, s -> s.state() == state);
            case MAPPING -> claimOne();
            case AGGREGATING, FINISHED -> {
                claimOne();
                worker.pass("[1,2,3]");
                Seen.until(() -> worker.claim(2), held -> held == 2);
            }
            case REDUCING -> {
                claimOne();
                worker.pass("[1]");
                claimOne();
                worker.pass("1");
                claimOne();
            }
        }
        if (state == MapReduceJobState.FINISHED) {
            worker.pass("1");
            claimOne();
            worker.pass("1");
            claimOne();
            worker.pass("1");
            seen.awaitJob(name, ConditionType.Finished, MapReduceJobReason.JobSucceeded);
        } else {
            seen.awaitJob(name, s -> s.state() == state);
        }
        Samples.patch(client, MapReduceJob.class, name, "\"cancel\":true");
        if (state != MapReduceJobState.FINISHED) {
            assertThat(seen.awaitJob(name, ConditionType.Finished, TreeReason.Cancelled)
                            .getMessage())
                    .startsWith("spec.cancel was set.");
        }
        worker.pass("1"); // too late: nobody wants it
        assertThat(worker.claim(4)).isZero();
        String uid = uid(client, name);
        client.resources(MapReduceJob.class).withName(name).delete();
        Seen.gone(() -> client.resources(MapReduceJob.class).withName(name).get());
        assertThat(left(uid)).isEmpty();
    }

    @Test
    void deadlineEndsItAndItsTimeToLiveRemovesIt(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job("late", elements("[1,2]").activeDeadlineSeconds(1L)))
                .create();
        Seen.until(() -> worker.claim(1), held -> held == 1);
        assertThat(seen.awaitJob("late", ConditionType.Finished, TreeReason.DeadlineExceeded)
                        .getMessage())
                .isEqualTo("It took longer than spec.activeDeadlineSeconds: 1. 0 of 2 chunks were done.");
        worker.pass("1");
        Samples.patch(client, MapReduceJob.class, "late", "\"ttlSecondsAfterFinished\":0");
        Seen.gone(() -> client.resources(MapReduceJob.class).withName("late").get());
    }

    @Test
    void waitsForItsConfigMap(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job(
                        "regions",
                        elements("[]").input(MapReduceInput.ofConfigMap(new ConfigMapKeyRef("regions", "list.json")))))
                .create();
        assertThat(seen.awaitJob("regions", ConditionType.Finished, MapReduceJobReason.InputNotFound)
                        .getMessage())
                .isEqualTo("spec.input.configMapKeyRef.name: there is no ConfigMap regions in this namespace.");
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("regions")
                        .endMetadata()
                        .addToData("list.json", "[\"north\", \"south\"]\n")
                        .build())
                .create();
        Seen.until(() -> worker.claim(4), held -> held == 2);
        worker.pass("1");
        seen.awaitJob("regions", ConditionType.Succeeded, MapReduceJobReason.JobSucceeded);
    }

    @Test
    void mapGetsBytesAsAnObject(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job(
                        "bytes",
                        Samples.mapReduce(POOL, "map", "process", null)
                                .input(MapReduceInput.ofBase64("YQD/", TaskInput.Format.Arrow))))
                .create();
        claimOne();
        assertThat(worker.inputs()).containsExactly("[{\"base64\":\"YQD/\",\"format\":\"Arrow\"}]");
        worker.pass("[]");
        seen.awaitJob("bytes", ConditionType.Succeeded, MapReduceJobReason.JobSucceeded);
    }

    @Test
    void mapIsAskedForOnePageOfChunksAfterTheOther(KubernetesClient client) throws Exception {
        Seen seen = new Seen(client);
        client.resource(Samples.job(
                        "pages",
                        Samples.mapReduce(POOL, "map", "process", "reduce")
                                .map(MapReduceMapBuilder.builder()
                                        .handler("map")
                                        .paged(true)
                                        .build())
                                .input(MapReduceInput.ofJson(new TextNode("corpus")))))
                .create();
        claimOne();
        seen.awaitJob("pages", s -> s.state() == MapReduceJobState.MAPPING);
        assertThat(worker.inputs().getFirst())
                .isEqualTo("[{\"state\":null,\"makes\":\"chunks\",\"created\":0,\"finished\":0,\"room\":10000,"
                        + "\"args\":[\"corpus\"]}]");
        worker.pass("{\"state\":\"half\",\"chunks\":[1]}");
        claimOne();
        assertThat(worker.inputs().getFirst()).contains("\"state\":\"half\"", "\"created\":1");
        worker.pass("{\"state\":\"all\",\"chunks\":[2]}");
        claimOne();
        worker.pass("null");
        Seen.until(() -> worker.claim(4), held -> held == 2);
        assertThat(worker.names()).containsExactly("chunk-0", "chunk-1");
        worker.pass("7");
        claimOne();
        assertThat(worker.inputs()).containsExactly("[[7,7]]");
        worker.pass("14");
        seen.awaitJob("pages", ConditionType.Finished, MapReduceJobReason.JobSucceeded);
    }

    @Test
    void handlerThatNobodyServesIsNamed(KubernetesClient client) throws JsonProcessingException {
        Seen seen = new Seen(client);
        client.resource(Samples.job("lost", elements("[1]").process(once("nobody"))))
                .create();
        var condition = seen.awaitJob("lost", ConditionType.HandlerAvailable, HandlerReason.NotServed);
        assertThat(condition.getMessage()).contains("\"nobody\"", "served are: map, process, reduce");
        assertThat(seen.awaitJob("lost", ConditionType.Finished, TreeReason.WaitingForWorkers)
                        .getMessage())
                .contains("\"nobody\"");
        seen.awaitEvents("lost", "NotServed");
    }

    private static void claimOne() {
        Seen.until(() -> worker.claim(1), held -> held == 1);
    }

    private static MapReducePart once(String handler) {
        return MapReducePartBuilder.builder().handler(handler).maxTrials(1).build();
    }

    /** A job without map and reduce. */
    private static MapReduceJobSpecBuilder elements(String json) throws JsonProcessingException {
        return Samples.mapReduce(POOL, "map", "process", null)
                .map(null)
                .input(MapReduceInput.ofJson(new JsonMapper().readTree(json)));
    }

    private static String uid(KubernetesClient client, String name) {
        return client.resources(MapReduceJob.class)
                .withName(name)
                .get()
                .getMetadata()
                .getUid();
    }

    /** Keys, and fields of hashes, that name a resource; tombstones stay for a while. */
    private static List<String> left(String uid) {
        try (RedisStore redis = OPERATOR.redis().open()) {
            List<String> keys = redis.ask(c -> c.keys("*"));
            return keys.stream()
                    .filter(key -> !key.contains(":tombstone:"))
                    .flatMap(key -> Stream.concat(Stream.of(key), fields(redis, key).stream()))
                    .filter(name -> name.contains(uid))
                    .toList();
        }
    }

    private static List<String> fields(RedisStore redis, String key) {
        return redis.ask(c -> c.type(key)).equals("hash") ? redis.ask(c -> c.hkeys(key)) : List.of();
    }
}
