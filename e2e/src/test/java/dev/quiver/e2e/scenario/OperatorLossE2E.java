package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Gate;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.LogBook;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Tree;

/** The operator is not in the path of a task. */
@Disturbance
@Order(4)
class OperatorLossE2E {

    private static final Duration AWAY = Duration.ofSeconds(60);
    private static final long TASKS = 160;

    /** Tasks from this one on end only when they are told to: a late operator finds the run still going on. */
    private static final int HELD = 150;

    /** The time that the operator may take to start, and then until the status is right. */
    private static final Duration RIGHT = Duration.ofSeconds(3 + 2);

    @Test
    void tasksGoOnWhileOperatorIsDeadAndStatusIsRightSoonAfterItsReturn(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Run run = space.run(Tasks.shell("steady", """
                            sleep 2
                            [ $QUIVER_INDEX != 5 ] || exit 3
                            [ $QUIVER_INDEX -lt %d ] || %s
                            echo ends
                            """.formatted(HELD, Gate.WAIT))
                    .count((int) TASKS)
                    .workers(2, 2)
                    .trials(2));
            run.awaitSucceeded(4);
            Tree heartbeat = heartbeat(space);
            kill(quiver);
            long after;
            try {
                long before = ended(log);
                long beats = beats(log);
                long saidBefore = run.status().succeeded();
                Awaitility.await("60 s without an operator").pollDelay(AWAY).until(() -> true);
                after = ended(log);
                assertThat(after).as("tasks that ended in these 60 s").isGreaterThan(before + 30);
                Awaitility.await("the schedule of every minute fires three times without an operator")
                        .until(() -> beats(log) >= beats + 3);
                assertThat(run.status().succeeded())
                        .as("nobody wrote the status")
                        .isEqualTo(saidBefore);
            } finally {
                quiver.kubectl().run("scale", Installation.OPERATOR, "--replicas=1");
            }
            Promise.since(awaitStarted(quiver), "the status is right after the operator's start", RIGHT)
                    .await(() -> run.status().succeeded() >= after);
            heartbeat.await(
                    "with its runs",
                    status -> status.schedule() != null
                            && status.schedule().runs().size() >= 3
                            && status.schedule().missed() != null
                            && status.schedule().missed() == 0);
            TaskSetStatus back = run.status();
            assertThat(back.succeeded())
                    .as("the run goes on, else its end and not the operator's return was seen")
                    .isLessThan(TASKS - 1);
            assertThat(back.failed()).isEqualTo(1);
            assertThat(back.trials()).as("each passed once, one failed twice").isEqualTo(back.succeeded() + 2);
            assertThat(back.queued() + back.running() + back.succeeded() + back.failed())
                    .isEqualTo(TASKS);
            Awaitility.await("no task is said to have passed that has not ended")
                    .until(() -> ended(log) >= back.succeeded());

            assertThat(new Gate(space).letEnd(run))
                    .returns(TASKS - 1, TaskSetStatus::succeeded)
                    .returns(1L, TaskSetStatus::failed)
                    .returns(TASKS + 1, TaskSetStatus::trials);
            Awaitility.await("each task is in the log")
                    .untilAsserted(() -> assertThat(ended(log)).isGreaterThanOrEqualTo(TASKS - 1));
            assertThat(ended(log)).as("no task was run twice").isEqualTo(TASKS - 1);
        }
    }

    /** Not asked to stop: gone at once, and not started again. */
    private static void kill(Installation quiver) {
        List<Pod> pods = quiver.pods("operator");
        quiver.kubectl().run("scale", Installation.OPERATOR, "--replicas=0");
        quiver.kubectl()
                .run("delete", "pod", "--selector=app.kubernetes.io/component=operator", "--force", "--grace-period=0");
        // The object is gone; kubelet may take a while to end the process.
        pods.forEach(pod -> quiver.nodes().signalIfThere(pod, "operator", "KILL"));
    }

    /** Waits until the operator's process runs, not until it is ready, and says when it began, to the second. */
    private static Instant awaitStarted(Installation quiver) {
        return Awaitility.await("the operator runs")
                .pollInterval(Duration.ofMillis(100))
                .until(() -> started(quiver), Optional::isPresent)
                .orElseThrow();
    }

    private static Optional<Instant> started(Installation quiver) {
        return quiver.pods("operator").stream()
                .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
                .map(status -> status.getState().getRunning())
                .filter(Objects::nonNull)
                .map(running -> Instant.parse(running.getStartedAt()))
                .max(Instant::compareTo);
    }

    /** A Task that runs every minute, on a pool of its own. */
    private static Tree heartbeat(Space space) {
        space.readyPool("beats", 1, 1);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: heartbeat}
                spec:
                  workerPoolRef: {name: beats}
                  task: {command: [sh, -c, 'echo "run $QUIVER_RUN"; echo beats'], maxTrials: 1}
                  schedule: {cron: "* * * * *", concurrencyPolicy: Forbid}
                """);
        Tree heartbeat = space.tree("heartbeat");
        heartbeat.await(
                "scheduled",
                status -> status.schedule() != null && status.schedule().nextScheduleTime() != null);
        return heartbeat;
    }

    private static long beats(LogBook log) {
        return log.lines().stream().filter(line -> line.endsWith("] beats")).count();
    }

    private static long ended(LogBook log) {
        return log.lines().stream().filter(line -> line.endsWith("] ends")).count();
    }
}
