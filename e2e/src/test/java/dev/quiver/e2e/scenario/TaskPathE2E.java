package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;

import com.fasterxml.jackson.databind.JsonNode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Kubectl;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tree;
import dev.quiver.e2e.quiver.Unrestricted;
import dev.quiver.e2e.quiver.Watching;

/** The path of a person with a Task, from apply to delete, with the examples of the Python SDK. */
@Scenario
class TaskPathE2E {

    private static final Path EXAMPLES = Repository.root().resolve("worker-image/sdk/python/examples/columns");

    private static void apply(Space space, String example) {
        space.kubectl().run("apply", "-f", EXAMPLES.resolve(example).toString());
    }

    @Test
    void reportsWalksTakesTasksOfAProgramAndLeavesNothing(
            @Unrestricted("the files that people are given ask for no security context") Space space,
            Installation quiver) {
        quiver.load(Images.archives("columns"));
        Kubectl kubectl = space.kubectl();
        Tree report = space.tree("report");
        try (Watching table = kubectl.watch("get", "qtask", "-w")) {
            apply(space, "task-report.yaml");
            kubectl.run("wait", "--for=condition=Finished", "qtask/report", "--timeout=4m");
            assertThat(table.lines().getFirst().split(" +"))
                    .containsExactly("NAME", "STATE", "PROGRESS", "%", "SUCCEEDED", "AGE");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(table.lines().getLast().split(" +"))
                            .contains("report", "finished", "50/50", "100", "True"));
        }
        JsonNode sums = report.status().result();
        assertThat(sums).as("%s", report.status()).hasSize(5);
        long trips = 0;
        for (JsonNode vendor : sums) {
            trips += vendor.get("trips").asLong();
        }
        assertThat(trips).isEqualTo(48 * 50_000);
        assertThat(kubectl.run("describe", "qtask", "report")).contains("RootSucceeded", "clean", "50/50");
        assertThat(space.log()).anyMatch(line -> line.endsWith("the report is finished"));

        apply(space, "task-totals.yaml");
        Tree totals = space.tree("totals");
        TaskStatus summed = totals.awaitFinished();
        assertThat(summed.result()).as("%s", summed).isNotNull();
        assertThat(summed.result().get("trips").asLong()).isEqualTo(48 * 50_000);
        assertThat(summed.tree())
                .anySatisfy(node -> assertThat(node)
                        .returns("totals.chunks", row -> row.name())
                        .returns("48/48", row -> row.progress()));

        apply(space, "task-walk.yaml");
        TaskStatus walked = space.tree("walk").awaitFinished();
        long files = walked.result().get("files").asLong();
        assertThat(files).isGreaterThan(1000);
        assertThat(walked.progress()).isEqualTo(files + "/" + files);

        apply(space, "job-submit.yaml");
        kubectl.run("wait", "--for=condition=Complete", "job/submit", "--timeout=4m");
        assertThat(kubectl.run("logs", "job/submit")).contains("10000 squares make 333283335000");

        String uid = report.uid();
        kubectl.run("delete", "qtask", "--all", "--timeout=4m");
        assertThat(quiver.redis().keysWith(uid)).allMatch(key -> key.contains(":tombstone:"));
    }

    @Test
    void describesTheFailureAndStopsRunningLeavesWhenItIsCancelled(Space space) {
        Pool pool = space.readyPool("shared", 1, 2);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: broken}
                spec:
                  workerPoolRef: {name: shared}
                  nodes:
                    - {name: all, chain: [build, check, never]}
                    - {name: build, command: ['true']}
                    - name: check
                      command: [sh, -c, 'echo looking for a widget >&2; exit 7']
                      maxTrials: 2
                      backoff: {initialSeconds: 1}
                    - {name: never, command: ['true']}
                ---
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: long}
                spec:
                  workerPoolRef: {name: shared}
                  task: {command: [sleep, '600'], maxTrials: 1}
                """);
        Tree broken = space.tree("broken");
        assertThat(broken.awaitFinished().error())
                .returns("check", error -> error.node())
                .returns(2, error -> error.trial())
                .returns("NonZeroExit", error -> error.reason());
        assertThat(broken.reason(ConditionType.Succeeded)).isEqualTo("NodeFailed");
        assertThat(space.kubectl().run("describe", "qtask", "broken"))
                .contains("looking for a widget", "NodeFailed", "never");

        Tree sleeper = space.tree("long");
        pool.await("running it", status -> Integer.valueOf(1).equals(status.busySlots()));
        sleeper.patch("\"cancel\":true");
        Promise.of("the running leaf is stopped", Duration.ofSeconds(1))
                .await(() -> pool.exec("/quiver/agent/quiver-agent", "slots")
                        .lines()
                        .noneMatch(line -> line.matches("[01] +running .*")));
        sleeper.awaitFinished();
        assertThat(sleeper.reason(ConditionType.Succeeded)).isEqualTo("Cancelled");
    }

    @Test
    void scheduleFiresWhileItsPoolHasNoWorker(Space space) {
        space.readyPool("idle", 0, 1);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: minutely}
                spec:
                  workerPoolRef: {name: idle}
                  task: {command: ['true']}
                  schedule: {cron: "* * * * *", concurrencyPolicy: Forbid}
                """);
        Tree minutely = space.tree("minutely");
        minutely.await(
                "a run that waits for a worker",
                status -> status.schedule() != null
                        && !status.schedule().runs().isEmpty()
                        && status.schedule().lastSuccessfulTime() == null);
        space.kubectl().run("scale", "workerpool/idle", "--replicas=1");
        minutely.await("its end", status -> status.schedule().lastSuccessfulTime() != null);
    }
}
