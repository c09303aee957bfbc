package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskFailure;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Unrestricted;

/** Functions in processes that stay alive, written in Python with the SDK, as a user would. */
@Scenario
class HandlersE2E {

    @Test
    void exampleForNewcomersRuns(
            @Unrestricted("the files that people are given ask for no security context") Space space,
            Installation quiver) {
        quiver.load(Images.archives("columns"));
        space.applyExample("taskset-handler.yaml");
        assertThat(space.run("sums").awaitFinished()).returns(3L, TaskSetStatus::succeeded);
    }

    @Test
    void saysInTheStatusWhatAFunctionRaised(Space space, Installation quiver) {
        Pool pool = Functions.pool(space, quiver, 2);
        Run quarrel = Functions.call(space, pool, "quarrel", "count: 1", "json: {number: 8}");
        Run last = Functions.call(space, pool, "final", "count: 1", "json: {}");
        Run crash = Functions.call(space, pool, "crash", "count: 2", "json: {}");
        Run later = Functions.call(space, pool, "later", "count: 2", "json: {}");

        TaskFailure raised = failure(quarrel);
        assertThat(raised.reason()).isEqualTo("Exception");
        assertThat(raised.trial()).isEqualTo(2);
        assertThat(raised.message()).contains("ValueError: seven is not 8", "in quarrel");
        assertThat(failure(last)).returns("DoNotRetry", TaskFailure::reason).returns(1, TaskFailure::trial);
        assertThat(crash.awaitFinished()).returns(2L, TaskSetStatus::succeeded).returns(4L, TaskSetStatus::trials);
        assertThat(later.awaitFinished()).returns(2L, TaskSetStatus::succeeded).returns(4L, TaskSetStatus::trials);
        try (Record record = Record.of(space, quiver)) {
            record.ended("crash");
            JsonNode worker = record.items("/runs/crash/workers").getFirst();
            assertThat(record.text("/runs/crash/workers/" + worker.path("id").asLong() + "/log"))
                    .as("how the processes began and ended")
                    .contains("is open\n")
                    .containsPattern("slot [01]: \\S+Z AGENT its handler starts\n")
                    .containsPattern("slot [01]: \\S+Z AGENT its handler ended with exit code \\d+\n");
        }
    }

    @Test
    void stopsAFunctionThatNeverReturnsAndLetsItsNeighboursBe(Space space, Installation quiver) {
        Pool pool = Functions.pool(space, quiver, 3);
        Run stubborn = Functions.call(space, pool, "stubborn", "count: 1", "json: {}");
        stubborn.awaitRunning(1);
        Run echo = Functions.call(space, pool, "echo", "count: 400", "json: {a: 1}");
        stubborn.patch("\"cancel\":true");
        stubborn.awaitFinished();
        assertThat(stubborn.reason(ConditionType.Succeeded)).isEqualTo("Cancelled");
        assertThat(echo.awaitFinished()).returns(400L, TaskSetStatus::succeeded).returns(400L, TaskSetStatus::trials);
        // All three slots serve again, the replaced process too.
        Run all = Functions.call(space, pool, "endless", "count: 3", "json: {}");
        all.awaitRunning(3);
        all.patch("\"cancel\":true");
        all.awaitFinished();
    }

    @Test
    void runsCommandsBesideFunctionsOnOnePool(Space space, Installation quiver) {
        Pool pool = Functions.pool(space, quiver, 2);
        Run echo = Functions.call(space, pool, "echo", "count: 100", "json: {a: 1}");
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: plain}
                spec:
                  replicas: 1
                  workerPoolRef: {name: %s}
                  source: {count: 40}
                  task: {command: [sh, -c, 'test -n "$QUIVER_INDEX"']}
                """.formatted(pool.name()));
        assertThat(space.run("plain").awaitFinished()).returns(40L, TaskSetStatus::succeeded);
        assertThat(echo.awaitFinished()).returns(100L, TaskSetStatus::succeeded);
    }

    @Test
    void inspectorShowsWhatEachSlotDoes(Space space, Installation quiver) {
        Pool pool = Functions.pool(space, quiver, 2);
        Run endless = Functions.call(space, pool, "endless", "count: 1", "json: {}");
        endless.awaitRunning(1);
        List<String> table = Awaitility.await("the other slot has its process")
                .until(
                        () -> pool.exec("/quiver/agent/quiver-agent", "slots")
                                .lines()
                                .toList(),
                        lines -> lines.stream().anyMatch(line -> line.matches("[01] +waiting .*")));
        assertThat(table.getFirst().split(" +")).startsWith("SLOT", "STATE");
        assertThat(table)
                .as("the busy slot: task, function, trial, time, process")
                .anyMatch(line -> line.matches("[01] +running +[0-9]+ +0 +endless +1/2 +[0-9.]+s .* [0-9]+ +\\S+"))
                .as("the free slot")
                .anyMatch(line -> line.matches("[01] +waiting .*"));
        endless.patch("\"cancel\":true");
        endless.awaitFinished();
    }

    @Test
    void saysWhatNobodyServes(Space space, Installation quiver) {
        Pool pool = Functions.pool(space, quiver, 2);
        Run run = Functions.call(space, pool, "unheard", "count: 1", "json: {}");
        run.awaitReason(ConditionType.HandlerAvailable, "NotServed");
        assertThat(run.message(ConditionType.HandlerAvailable)).contains("unheard", "echo");
        assertThat(run.status()).returns(1L, TaskSetStatus::queued).returns(0L, TaskSetStatus::trials);
    }

    @Test
    void saysThatAHandlerCommandDoesNotComeUp(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: typo}
                spec:
                  replicas: 1
                  source: {count: 5}
                  task: {handler: total, input: {json: {}}}
                  workerTemplate:
                    slots: {count: 1}
                    handler: {command: [python3, -m, no_such_module]}
                    template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/demo:0.1.0}]}}
                """);
        Run run = space.run("typo");
        run.awaitReason(ConditionType.HandlerAvailable, "HandlerNotStarted");
        assertThat(run.reason(ConditionType.Finished)).isEqualTo("WaitingForWorkers");
        assertThat(run.message(ConditionType.Finished)).contains("handler.command has announced no function");
        space.awaitEvent("TaskSet", "HandlerNotStarted: ");
    }

    @Test
    void everyItemBringsItsOwnInput(Space space, Installation quiver) {
        Pool pool = Functions.pool(space, quiver, 2);
        Run run = Functions.call(space, pool, "quarrel", """
                items:
                      - {name: nine, input: {json: {number: 9}}}
                      - {name: ten, input: {json: {number: 10}}}""", "json: {number: 1}");
        assertThat(run.awaitFinished()).returns(2L, TaskSetStatus::failed);
        assertThat(run.status().failures())
                .extracting(TaskFailure::message)
                .anySatisfy(words -> assertThat(words).contains("seven is not 9"))
                .anySatisfy(words -> assertThat(words).contains("seven is not 10"));
    }

    private static TaskFailure failure(Run run) {
        assertThat(run.awaitFinished()).as(run.name()).returns(1L, TaskSetStatus::failed);
        List<TaskFailure> failures = run.status().failures();
        return failures.getFirst();
    }
}
