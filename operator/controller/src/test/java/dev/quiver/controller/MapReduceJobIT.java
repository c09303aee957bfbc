package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.kube.ServerSideApply;
import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.MapReduceChunkCounts;
import dev.quiver.crds.v1alpha1.MapReduceInput;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobState;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
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
    void clear(KubernetesClient client) throws InterruptedException {
        worker.pass("[]");
        client.resources(MapReduceJob.class).delete();
        Seen.until(() -> client.resources(MapReduceJob.class).list().getItems(), List::isEmpty);
    }

    @Test
    void runsFromApplyToFinishedAndLeavesNoKeyWhenDeleted(KubernetesClient client) throws InterruptedException {
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
