package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.LogBook;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** The operator is not in the path of a task. */
@Disturbance
class OperatorLossE2E {

    private static final Duration AWAY = Duration.ofSeconds(60);

    @Test
    void tasksGoOnWhileOperatorIsDeadAndStatusIsRightSoonAfterItsReturn(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Run run = space.run(Tasks.shell("steady", "sleep 2; [ $QUIVER_INDEX != 5 ] || exit 3; echo ends")
                    .count(180)
                    .workers(2, 2)
                    .trials(2));
            run.awaitSucceeded(4);
            kill(quiver);
            long before = ended(log);
            long saidBefore = run.status().succeeded();
            Awaitility.await("60 s without an operator")
                    .pollDelay(AWAY)
                    .atMost(AWAY.plusSeconds(10))
                    .until(() -> true);
            long after = ended(log);
            assertThat(after).as("tasks that ended in these 60 s").isGreaterThan(before + 60);
            assertThat(run.status().succeeded()).as("nobody wrote the status").isEqualTo(saidBefore);

            quiver.scale(Installation.OPERATOR, 1);
            TaskSetStatus back = run.await(
                    "right within 2 s of its return", Promise.ofSeconds(2), status -> status.succeeded() >= after);
            assertThat(back.succeeded()).isLessThan(180);

            assertThat(run.awaitFinished(Duration.ofMinutes(2)))
                    .returns(179L, TaskSetStatus::succeeded)
                    .returns(1L, TaskSetStatus::failed)
                    .returns(181L, TaskSetStatus::trials);
            assertThat(ended(log)).as("no task was run twice").isEqualTo(179);
        }
    }

    /** Not asked to stop: gone at once, and not started again. */
    private static void kill(Installation quiver) {
        quiver.kubectl().run("scale", Installation.OPERATOR, "--replicas=0");
        quiver.kubectl()
                .run("delete", "pod", "--selector=app.kubernetes.io/component=operator", "--force", "--grace-period=0");
    }

    private static long ended(LogBook log) {
        return log.lines().stream().filter(line -> line.endsWith("] ends")).count();
    }
}
