package dev.quiver.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.awaitility.Awaitility;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Space;

/** A program in a pod of its own that creates tasks by the client for Python, until it is stopped. */
final class ClientProgram {

    private static final Logger LOG = LoggerFactory.getLogger(ClientProgram.class);
    private static final Path SOURCE = Repository.root().resolve("e2e/src/test/resources/chaos/client.py");
    private static final String POD = "chaos-client";
    private static final String STOP = "/tmp/stop";

    private final Space space;
    private final String pool;

    private ClientProgram(Space space, String pool) {
        this.space = space;
        this.pool = pool;
    }

    /** Begins to create tasks in a pool that has workers. */
    static ClientProgram begin(Space space, String pool) {
        space.kubectl().run("create", "configmap", POD, "--from-file=" + SOURCE);
        space.kubectl().apply("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s
                  labels: {quiver.dev/client: "true"}
                spec:
                  restartPolicy: Never
                  containers:
                    - name: client
                      image: quiver/columns:0.1.0
                      command: [python3, /program/client.py, %2$s, %3$s, %4$s]
                      env:
                        - name: REDIS
                          valueFrom: {secretKeyRef: {name: quiver-redis-client, key: uri}}
                      volumeMounts: [{name: program, mountPath: /program}]
                  volumes: [{name: program, configMap: {name: %1$s}}]
                """.formatted(POD, space.name(), pool, STOP));
        return new ClientProgram(space, pool);
    }

    /** Lets it create nothing more and collect its results. */
    void stop() {
        Awaitility.await("the client is told to stop")
                .until(() ->
                        space.kubectl().run("exec", POD, "--", "touch", STOP).isEmpty());
    }

    /** Waits for its end. What it was told of as created must be there, be right, and have run once; nothing else is. */
    void assertExact(Record record, Installation quiver, String seed) {
        String phase = Awaitility.await("the client's end")
                .until(
                        () -> space.kubectl().run("get", "pod", POD, "-o", "jsonpath={.status.phase}"),
                        it -> it.equals("Succeeded") || it.equals("Failed"));
        String log = space.kubectl().run("logs", POD);
        assertThat(phase).as("%s: %s", seed, log).isEqualTo("Succeeded");
        List<String> lines = log.lines().toList();
        JsonNode report = Serialization.unmarshal(lines.getFirst(), JsonNode.class);
        List<String> trees = List.of(lines.getLast().split(" "));
        LOG.info("chaos: a client had {} trees made, and met {}", trees.size(), report.path("troubles"));
        assertThat(report.path("wrong")).as(seed).isEmpty();
        assertThat(treesWithoutAResource(quiver))
                .as("%s: trees in Redis", seed)
                .containsExactlyInAnyOrderElementsOf(trees);
        Awaitility.await("the record has all tasks of the client").untilAsserted(() -> {
            assertThat(recorded(record, "succeededCount"))
                    .as(seed)
                    .isEqualTo(report.path("succeeded").asInt());
            assertThat(recorded(record, "failedCount"))
                    .as(seed)
                    .isEqualTo(report.path("failed").asInt());
        });
    }

    /** Ids of trees that programs made; those of resources are uids. */
    private List<String> treesWithoutAResource(Installation quiver) {
        String roots = "{" + space.name() + "}:task:roots";
        return quiver.redis().keysWith(roots).stream()
                .filter(key -> key.endsWith(roots))
                .flatMap(key -> quiver.redis().run("HKEYS", key).lines())
                .filter(id -> id.matches("[A-Za-z0-9]+"))
                .toList();
    }

    /** Over the hours of the pool's queue. */
    private int recorded(Record record, String count) {
        return record.all("/runs?kind=Queue").stream()
                .filter(run -> run.path("pool").asText().equals(pool))
                .map(run -> record.json("/runs/" + run.path("uid").asText()))
                .mapToInt(run -> run.path("finishedAt").isTextual()
                        ? run.path(count).asInt()
                        : run.path("live").path(count).asInt())
                .sum();
    }
}
