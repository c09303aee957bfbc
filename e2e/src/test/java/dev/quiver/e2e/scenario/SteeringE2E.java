package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Gate;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.LogBook;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** A run is steered while it goes on, and no running task pays for it unless it was asked to. */
@Scenario
class SteeringE2E {

    @Test
    void suspendStopsWhatRunsWithoutATrialAndResumeGoesOn(Space space) {
        Run run = space.run(
                Tasks.shell("nap", "[ $QUIVER_INDEX -lt 2 ] || " + Gate.WAIT).count(8));
        run.await("half-way", status -> status.succeeded() >= 2 && status.running() == 2);
        run.patch("\"suspend\":true");

        run.awaitReason(ConditionType.Suspended, "Suspended");
        TaskSetStatus resting = run.await("at rest", status -> status.running() == 0);
        assertThat(resting.trials()).isEqualTo(resting.succeeded());
        assertThat(resting.queued()).isEqualTo(8 - resting.succeeded()).isPositive();
        Awaitility.await("workers gone").until(() -> run.pods().isEmpty());
        assertThat(run.resource().orElseThrow().getSpec().replicas())
                .as("suspending does not touch replicas")
                .isEqualTo(1);
        assertThat(run.status().succeeded()).as("nothing was run meanwhile").isEqualTo(resting.succeeded());

        run.patch("\"suspend\":false");
        assertThat(new Gate(space).letEnd(run))
                .returns(8L, TaskSetStatus::succeeded)
                .returns(8L, TaskSetStatus::trials);
        space.awaitEvent("TaskSet", "Suspended: ");
        space.awaitEvent("TaskSet", "Resumed: ");
    }

    @Test
    void cancelStopsWhatRuns(Space space) {
        Pool pool = space.readyPool("shared", 1, 2);
        Run run = space.run(Tasks.shell("long", "echo up; sleep 300").count(4).on(pool, 1));
        run.awaitRunning(2);
        run.patch("\"cancel\":true");

        TaskSetStatus end = run.awaitFinished();
        assertThat(end).returns(0L, TaskSetStatus::succeeded).returns(0L, TaskSetStatus::failed);
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("Cancelled");
        awaitIdle(space, pool);
    }

    @Test
    void deadlineStopsWhatRuns(Space space) {
        Pool pool = space.readyPool("shared", 1, 2);
        Run run = space.run(Tasks.shell("late", "[ $QUIVER_INDEX = 0 ] || sleep 300")
                .count(4)
                .on(pool, 1)
                .with(spec -> spec.activeDeadlineSeconds(12L)));

        TaskSetStatus end = run.awaitFinished();
        assertThat(end).returns(1L, TaskSetStatus::succeeded);
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("DeadlineExceeded");
        assertThat(run.message(ConditionType.Succeeded)).contains("spec.activeDeadlineSeconds: 12", "1 passed");
        assertThat(Duration.between(Instant.parse(end.startTime()), Instant.parse(end.completionTime())))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(11));
        awaitIdle(space, pool);
    }

    @Test
    void stopsEarlyWhenMoreTasksFailThanAllowed(Space space) {
        Run run =
                space.run(Tasks.shell("doomed", "sleep 0.2; exit 1").count(500).with(spec -> spec.maxFailedTasks(3)));
        TaskSetStatus end = run.awaitFinished();
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("MaxFailedTasksExceeded");
        assertThat(run.message(ConditionType.Succeeded)).contains("spec.maxFailedTasks: 3");
        assertThat(end.failed()).isBetween(4L, 20L);
        assertThat(end.failures()).hasSizeLessThanOrEqualTo(8);
    }

    @Test
    void finishedRunGoesAfterItsTimeToLive(Space space, Installation quiver) {
        Run run = space.run(Tasks.shell("brief", "true").count(3).with(spec -> spec.ttlSecondsAfterFinished(2L)));
        Awaitility.await().until(() -> run.resource().isPresent());
        String uid = run.uid();
        space.kubectl().run("wait", "--for=delete", "tset/brief", "--timeout=4m");
        assertThat(quiver.redis().keysWith(uid)).allMatch(key -> key.endsWith(":tombstone"));
    }

    @Test
    void scalesOutAndInWithoutLosingARunningTask(Space space) {
        try (LogBook log = new LogBook(space)) {
            Gate gate = new Gate(space);
            Run run = space.run(Tasks.shell("work", "echo begins; " + Gate.WAIT + "; echo ends")
                    .count(8)
                    .workers(1, 1)
                    .drainSeconds(300));
            run.awaitRunning(1);
            space.kubectl().run("scale", "tset/work", "--replicas=4");
            run.awaitRunning(4);
            assertThat(run.pods()).hasSize(4);
            space.kubectl().run("scale", "tset/work", "--replicas=1");
            List<Pod> leaving = Awaitility.await("three workers are told to go")
                    .until(() -> leaving(space), pods -> pods.size() == 3);
            assertThat(run.status().running()).as("tasks that run on").isEqualTo(4);
            leaving.forEach(gate::open);
            Awaitility.await("they go").until(() -> space.pods().size() == 1);

            gate.letEnd(run);
            assertRanOnce(run, log, 8);
        }
    }

    @Test
    void changeOfPoolTemplateRollsThroughWithoutLosingARunningTask(Space space) {
        try (LogBook log = new LogBook(space)) {
            Pool pool = space.readyPool("shared", 2, 2);
            Run run = space.run(Tasks.shell("work", "echo begins; sleep 3; echo ends")
                    .count(44)
                    .on(pool, 2));
            run.awaitRunning(4);
            space.kubectl().run("patch", "wpool", "shared", "--type=json", "--patch", """
                            [{"op": "add", "path": "/spec/template/spec/containers/0/env",
                              "value": [{"name": "FLAVOUR", "value": "new"}]}]
                            """);
            pool.await(
                    "rolled",
                    status -> Long.valueOf(2).equals(status.observedGeneration())
                            && Integer.valueOf(2).equals(status.updatedReplicas())
                            && Integer.valueOf(2).equals(status.readyReplicas()));

            assertRanOnce(run, log, 44);
            space.run(Tasks.shell("after", "echo has $FLAVOUR").on(pool, 1)).awaitFinished();
            Awaitility.await("the new workers have it")
                    .until(() -> log.lines().stream().anyMatch(line -> line.endsWith("] has new")));
        }
    }

    @Test
    void aSmallRunDoesNotWaitForTheEndOfALargeOne(Space space) {
        Pool pool = space.readyPool("shared", 1, 2);
        Run large = space.run(Tasks.shell("large", "sleep 0.5").count(10_000).on(pool, 1));
        large.awaitSucceeded(2);
        Run small = space.run(Tasks.shell("small", "true").count(4).on(pool, 1));
        assertThat(small.awaitFinished()).returns(4L, TaskSetStatus::succeeded);
        large.awaitSucceeded(large.status().succeeded() + 4);
        assertThat(large.reason(ConditionType.Finished)).isEqualTo("Running");
    }

    /** No worker is told to stop: what is left waits for a pool of that name, and says so. */
    @Test
    void waitsForItsSharedPoolWhenThatIsDeletedAndGoesOnWithTheNext(Space space) {
        try (LogBook log = new LogBook(space)) {
            Pool pool = space.readyPool("shared", 1, 2);
            Run run = space.run(Tasks.shell("work", "echo begins; sleep 2; echo ends")
                    .count(30)
                    .on(pool, 1));
            run.awaitSucceeded(2);
            space.kubectl().run("delete", "wpool", "shared", "--timeout=4m");
            run.awaitMessage(ConditionType.Finished, "there is no WorkerPool shared any more");
            TaskSetStatus waiting = run.await("at rest", status -> status.running() == 0 && status.queued() > 0);
            assertThat(waiting.queued() + waiting.succeeded()).isEqualTo(30);
            space.readyPool("shared", 1, 2);

            assertRanOnce(run, log, 30);
        }
    }

    private static List<Pod> leaving(Space space) {
        return space.pods().stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() != null)
                .toList();
    }

    private static void assertRanOnce(Run run, LogBook log, int tasks) {
        assertThat(run.awaitFinished())
                .returns((long) tasks, TaskSetStatus::succeeded)
                .returns((long) tasks, TaskSetStatus::trials);
        Awaitility.await()
                .untilAsserted(() -> assertThat(IntStream.range(0, tasks))
                        .allMatch(task -> log.count("[" + task + "] begins") == 1));
    }

    /** No task of the run is left on the workers, which are ready for the next. */
    private static void awaitIdle(Space space, Pool pool) {
        pool.await("idle", status -> Integer.valueOf(0).equals(status.busySlots()));
        Awaitility.await()
                .untilAsserted(() -> assertThat(pool.exec("sh", "-c", "cat /proc/[0-9]*/comm 2> /dev/null || true"))
                        .doesNotContain("sleep"));
        assertThat(space.run(Tasks.shell("next", "true").count(2).on(pool, 1)).awaitFinished())
                .returns(2L, TaskSetStatus::succeeded);
    }
}
