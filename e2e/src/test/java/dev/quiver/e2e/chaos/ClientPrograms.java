package dev.quiver.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.awaitility.Awaitility;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Space;

/** Two programs in a pod of their own that create tasks until they are stopped: by the client for Python, and by that for Java. */
final class ClientPrograms {

    private static final Logger LOG = LoggerFactory.getLogger(ClientPrograms.class);
    private static final Path SOURCE = Repository.root().resolve("e2e/src/test/resources/chaos/client.py");
    private static final String POD = "chaos-client";
    private static final String STOP = "/told/stop";
    private static final List<String> PROGRAMS = List.of("python", "java");

    private final Space space;
    private final String pool;

    private ClientPrograms(Space space, String pool) {
        this.space = space;
        this.pool = pool;
    }

    /** Begins to create tasks in a pool that has workers. */
    static ClientPrograms begin(Space space, String pool, Path folder) {
        JavaProgram java = JavaProgram.packed(folder);
        space.kubectl()
                .run(
                        "create",
                        "configmap",
                        POD,
                        "--from-file=" + SOURCE,
                        "--from-file=client.jar=" + java.client(),
                        "--from-file=program.jar=" + java.program());
        space.kubectl()
                .apply("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s
                  labels: {quiver.dev/client: "true"}
                spec:
                  restartPolicy: Never
                  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
                  containers:
                    - name: python
                      securityContext: &restricted {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
                      image: quiver/columns:0.1.0
                      command: [python3, /program/client.py, %2$s, %3$s, %4$s]
                      env: &env
                        - name: REDIS
                          valueFrom: {secretKeyRef: {name: quiver-redis-client, key: uri}}
                      volumeMounts: &mounts
                        - {name: program, mountPath: /program}
                        - {name: told, mountPath: /told}
                    - name: java
                      securityContext: *restricted
                      image: %6$s
                      command:
                        - /quiver/runtime/bin/java
                        - -Xmx64m
                        - -cp
                        - /program/client.jar:/program/program.jar:/quiver/lib/*
                        - %5$s
                        - %2$s
                        - %3$s
                        - %4$s
                      env: *env
                      volumeMounts: *mounts
                  volumes:
                    - {name: program, configMap: {name: %1$s}}
                    - {name: told, emptyDir: {}}
                """.formatted(POD, space.name(), pool, STOP, JavaProgram.MAIN, Installation.workerImage()));
        return new ClientPrograms(space, pool);
    }

    /** Lets them create nothing more and collect their results. */
    void stop() {
        Awaitility.await("the clients are told to stop")
                .until(() -> space.kubectl()
                        .run("exec", POD, "-c", "python", "--", "touch", STOP)
                        .isEmpty());
    }

    /**
     * Waits for their end. Trees that they were told of as created must be there, be right, and have run once; nothing
     * else is.
     */
    void assertExact(Record record, Installation quiver, String seed) {
        String phase = Awaitility.await("the clients' end")
                .until(
                        () -> space.kubectl().run("get", "pod", POD, "-o", "jsonpath={.status.phase}"),
                        it -> it.equals("Succeeded") || it.equals("Failed"));
        List<Told> all = PROGRAMS.stream().map(this::told).toList();
        assertThat(phase).as("%s: %s", seed, all).isEqualTo("Succeeded");
        for (Told program : all) {
            LOG.info("chaos: {}", program);
            assertThat(program.report().path("wrong"))
                    .as("%s: %s", seed, program)
                    .isEmpty();
        }
        assertThat(treesWithoutAResource(quiver))
                .as("%s: trees in Redis", seed)
                .containsExactlyInAnyOrderElementsOf(all.stream()
                        .flatMap(program -> program.trees().stream())
                        .toList());
        Awaitility.await("the record has all tasks of the clients").untilAsserted(() -> {
            for (String outcome : List.of("succeeded", "failed")) {
                assertThat(recorded(record, outcome + "Count"))
                        .as(seed)
                        .isEqualTo(all.stream()
                                .mapToInt(program ->
                                        program.report().path(outcome).asInt())
                                .sum());
            }
        });
    }

    /** The last two lines of a program: its report, and the ids of the trees that it was told of as created. */
    private record Told(String name, JsonNode report, List<String> trees, String log) {
        @Override
        public String toString() {
            return "a client in " + name + " had " + trees.size() + " trees made, and met " + report.path("troubles")
                    + (report.isMissingNode() ? ": " + log : "");
        }
    }

    private Told told(String name) {
        String log = space.kubectl().run("logs", POD, "-c", name);
        List<String> lines = log.lines().toList();
        int report = lines.size() - 2;
        if (report < 0 || !lines.get(report).startsWith("{")) {
            return new Told(name, MissingNode.getInstance(), List.of(), log);
        }
        return new Told(
                name,
                Serialization.unmarshal(lines.get(report), JsonNode.class),
                List.of(lines.get(report + 1).split(" ")),
                log);
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
