package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** Runs that ask history, while it is there and while it is away. */
@Disturbance
@Order(7)
class HistoryLossE2E {

    private static final String HISTORY = "statefulset/quiver-history";

    @Test
    void aRunThatIsGoneIsRepeatedByItsRecordAndNothingWaitsForEstimates(Space space, Installation quiver) {
        Pool pool = space.readyPool("shared", 1, 2);
        assertThat(space.run(failing("nightly", pool)).awaitFinished()).returns(2L, TaskSetStatus::failed);
        try (Record record = Record.of(space, quiver)) {
            record.ended("nightly");
        }
        space.kubectl().run("delete", "tset", "nightly", "--timeout=2m");
        Run again = space.run(failing("again", pool).with(spec -> spec.onlyFailedOf("nightly")));
        assertThat(again.awaitFinished()).returns(2L, TaskSetStatus::total).returns(2L, TaskSetStatus::failed);

        quiver.scale(HISTORY, 0);
        Run later;
        try {
            quiver.kubectl().run("wait", "pod/quiver-history-0", "--for=delete", "--timeout=2m");
            Run unordered = space.run(OrderE2E.ofClass("unordered", pool));
            unordered.awaitRunning(1);
            space.awaitEvent("TaskSet", "EstimatesMissing: ");
            assertThat(unordered.status().etaErrorPercent()).isNull();
            later = space.run(failing("later", pool).with(spec -> spec.onlyFailedOf("nightly")));
            later.awaitReason(ConditionType.Finished, "RecordNotRead");
            assertThat(unordered.awaitFinished()).returns(12L, TaskSetStatus::succeeded);
            assertThat(later.status().total()).isNull();
        } finally {
            quiver.scale(HISTORY, 1);
        }
        // Where its volume went with the pod, history knows the run no more, and the repetition says so and waits.
        TaskSetStatus now = later.await(
                "history was asked again",
                status -> status.completionTime() != null
                        || status.conditions().stream()
                                .anyMatch(it -> it.getMessage().contains("nor on record")));
        assertThat(now.total()).as("never all tasks by accident").isIn(null, 2L);
    }

    private static Tasks failing(String name, Pool pool) {
        return Tasks.shell(name, "exit $0")
                .on(pool, 1)
                .with(spec -> spec.source(TaskSource.ofItems(Stream.of("a=0", "b=3", "c=0", "d=4", "e=0", "f=0")
                        .map(text -> OrderE2E.item(text.substring(0, 1), text.substring(2)))
                        .toList())));
    }
}
