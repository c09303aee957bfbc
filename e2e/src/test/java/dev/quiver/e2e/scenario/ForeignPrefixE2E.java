package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Example;
import dev.quiver.e2e.quiver.Granted;
import dev.quiver.e2e.quiver.IdoitProgram;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Kubectl;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tree;
import dev.quiver.e2e.quiver.Unrestricted;
import dev.quiver.e2e.quiver.Watching;

/** A namespace that shares a prefix of Redis with a program of npm's idoit, which runs beside the cluster. */
@Scenario
class ForeignPrefixE2E {

    /** Types of the program's side with functions of ours. */
    private static final String POOL = """
            apiVersion: quiver.dev/v1alpha1
            kind: WorkerPool
            metadata: {name: ours}
            spec:
              replicas: %d
              drainSeconds: 1
              slots: {count: 2}
              grantedPrefix:
                prefix: "%s"
                types: [{name: last, handler: double}, {name: hold, handler: endless, timeoutSeconds: 600}]
              handler:
                command:
                  - python3
                  - -c
                  - |
                    import time
                    import quiver

                    @quiver.handler("double")
                    def double(*args, task):
                        return 2 * args[-1]

                    @quiver.handler("endless")
                    def endless(*args, task):
                        time.sleep(600)

                    quiver.serve()
              template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/columns:0.1.0}]}}
            """;

    /** Twice (1 + 2 + 3), and twice (that and 8). */
    private static final String ALTERNATING = """
            {"type": "chain", "pool": "%s", "children": [
              {"type": "sum", "pool": "theirs", "args": [1, 2, 3]},
              {"type": "last", "pool": "ours", "args": []},
              {"type": "sum", "pool": "theirs", "args": [8]},
              {"type": "last", "pool": "ours", "args": []}]}
            """;

    private static final String MIXED = """
            apiVersion: quiver.dev/v1alpha1
            kind: Task
            metadata: {name: both}
            spec:
              workerPoolRef: {name: ours}
              wire: Idoit
              nodes:
                - {name: all, chain: [fetch, resize]}
                - {name: fetch, handler: sum, args: [20, 1], foreignPool: theirs}
                - {name: resize, handler: last}
            ---
            apiVersion: quiver.dev/v1alpha1
            kind: Task
            metadata: {name: long}
            spec:
              workerPoolRef: {name: ours}
              wire: Idoit
              nodes:
                - {name: all, chain: [wait, never]}
                - {name: wait, handler: hold}
                - {name: never, handler: echo, foreignPool: theirs}
            """;

    @Test
    void playsTreesTogetherWithAProgramOfNpm(
            @Granted(Installation.IDOIT_PREFIX)
                    @Unrestricted("the files that people are given ask for no security context")
                    Space space,
            Installation quiver)
            throws IOException {
        quiver.load(Images.archives("columns"));
        space.kubectl().apply(POOL.formatted(1, Installation.IDOIT_PREFIX));
        try (Space stranger = space.beside("stranger")) {
            stranger.kubectl().apply(POOL.formatted(0, Installation.IDOIT_PREFIX));
            stranger.pool("ours").awaitMessage(ConditionType.PrefixGranted, "False", "operator.grantedPrefixes");
        }
        String user = npmUser(quiver);
        try (Watching forward = quiver.kubectl().watch("port-forward", "service/quiver-redis", ":6379");
                IdoitProgram npm =
                        IdoitProgram.start(url(user, forward), Installation.IDOIT_PREFIX, "theirs", "default")) {
            Pool pool = space.pool("ours");
            pool.awaitReady();
            for (String owner : new String[] {"theirs", "ours"}) {
                String id = npm.run(ALTERNATING.formatted(owner));
                assertThat(npm.awaitFinished(id).get("result").asInt())
                        .as(owner)
                        .isEqualTo(40);
            }
            takesTasks(space);
            new Example("task-idoit.yaml").keepsItsPromises(space);
            stopsALeafThatRuns(space, pool);
        } finally {
            quiver.redis().run("ACL", "DELUSER", user.split(":")[0]);
        }
    }

    private static void takesTasks(Space space) {
        Kubectl kubectl = space.kubectl();
        try (Watching table = kubectl.watch("get", "qtask", "-w")) {
            kubectl.apply(MIXED);
            kubectl.run("wait", "--for=condition=Finished", "qtask/both", "--timeout=4m");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(table.lines())
                            .anyMatch(line -> line.matches("both +finished +2/2 +100 +True .*")));
        }
        assertThat(kubectl.run("get", "qtask", "both", "-o", "jsonpath={.status.result}"))
                .isEqualTo("42");
        assertThat(kubectl.run("describe", "qtask", "both")).contains("fetch", "resize", "RootSucceeded");
    }

    private static void stopsALeafThatRuns(Space space, Pool pool) {
        Tree sleeper = space.tree("long");
        pool.await("running it", status -> Integer.valueOf(1).equals(status.busySlots()));
        assertThat(slots(pool)).anyMatch(line -> line.matches("[01] +running .*"));
        sleeper.patch("\"cancel\":true");
        Promise.of("the running leaf is stopped", Duration.ofSeconds(1))
                .await(() -> slots(pool).noneMatch(line -> line.matches("[01] +running .*")));
        sleeper.awaitFinished();
        assertThat(sleeper.reason(ConditionType.Succeeded)).isEqualTo("Cancelled");
    }

    private static Stream<String> slots(Pool pool) {
        return pool.exec("/quiver/agent/quiver-agent", "slots").lines();
    }

    /** Makes the Redis user of the program just as the guide tells an administrator; gives NAME:PASSWORD. */
    private static String npmUser(Installation quiver) throws IOException {
        String guide = Files.readString(Repository.root().resolve("crds/guide/workerpool.md"));
        Matcher rule = Pattern.compile("redis-cli (ACL SETUSER (\\S+) [^;]*?[^\\\\])\\n")
                .matcher(guide);
        assertThat(rule.find()).isTrue();
        String password = UUID.randomUUID().toString();
        String[] words = rule.group(1)
                .replace("\\\n", " ")
                .replace("'", "")
                .replace("PASSWORD", password)
                .split("\\s+");
        assertThat(quiver.redis().run(words)).isEqualTo("OK");
        assertThat(quiver.redis().run("ACL", "SAVE")).isEqualTo("OK");
        return rule.group(2) + ":" + password;
    }

    private static String url(String user, Watching forward) {
        Pattern line = Pattern.compile("Forwarding from 127.0.0.1:(\\d+) .*");
        String port = Awaitility.await("Redis is reached")
                .until(
                        () -> forward.lines().stream()
                                .map(line::matcher)
                                .filter(Matcher::matches)
                                .map(found -> found.group(1))
                                .findFirst(),
                        found -> found.isPresent())
                .orElseThrow();
        return "redis://" + user + "@127.0.0.1:" + port + "?allowUsernameInURI=true";
    }
}
