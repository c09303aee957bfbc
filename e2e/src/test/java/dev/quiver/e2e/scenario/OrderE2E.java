package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskItem;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** The facts that a run takes from those of its class before it: the order of its tasks, and its ETA. */
@Scenario
class OrderE2E {

    /** Seconds of each task, by its number: a run of them is looked at twice, also on a busy machine. */
    private static final List<Integer> SECONDS = List.of(2, 2, 2, 8, 2, 2, 2, 16, 2, 2, 12, 2);

    static TaskItem item(String name, String argument) {
        return new TaskItem(name, List.of(argument), List.of(), null, null);
    }

    /** A run of the class on that pool: a task sleeps for its seconds. */
    static Tasks ofClass(String name, Pool pool) {
        return Tasks.shell(name, "sleep $0")
                .on(pool, 1)
                .with(spec -> spec.taskSetClass("specs")
                        .source(TaskSource.ofItems(IntStream.range(0, SECONDS.size())
                                .mapToObj(i -> item("spec-" + i, SECONDS.get(i).toString()))
                                .toList())));
    }

    /** The numbers of a run's tasks in the order in which they began. */
    private static List<Integer> begun(Record record, String run) {
        record.ended(run);
        record Begun(int task, Instant at) {}
        return Awaitility.await("all trials of " + run + " are on record")
                .ignoreExceptions()
                .until(
                        () -> IntStream.range(0, SECONDS.size())
                                .mapToObj(task -> new Begun(
                                        task,
                                        Instant.parse(record.items("/runs/" + run + "/tasks/" + task + "/trials")
                                                .getFirst()
                                                .path("startedAt")
                                                .asText())))
                                .sorted(Comparator.comparing(Begun::at))
                                .map(Begun::task)
                                .toList(),
                        all -> all.size() == SECONDS.size());
    }

    private static void awaitEstimates(Record record) {
        Awaitility.await("the class knows its tasks")
                .ignoreExceptions()
                .until(() -> !record.text("/classes/specs/estimates").isEmpty());
    }

    @Test
    void theLongestTasksOfAClassGoFirstAndTheRestIsEstimated(Space space, Installation quiver) {
        Pool pool = space.readyPool("shared", 1, 2);
        try (Record record = Record.of(space, quiver)) {
            assertThat(space.run(ofClass("first", pool)).awaitFinished()).returns(12L, TaskSetStatus::succeeded);
            assertThat(begun(record, "first").subList(0, 2)).containsExactlyInAnyOrder(0, 1);
            awaitEstimates(record);

            // The pod does not know its speed yet, so it begins with short tasks.
            assertThat(space.run(ofClass("second", pool)).awaitFinished()).returns(12L, TaskSetStatus::succeeded);
            List<Integer> second = begun(record, "second");
            assertThat(SECONDS.get(second.getFirst())).isEqualTo(2);
            assertThat(second.subList(0, 9)).as("%s", second).contains(7, 10, 3);

            Run third = space.run(ofClass("third", pool));
            third.await("has an ETA", status -> status.eta() != null && status.etaErrorPercent() != null);
            assertThat(space.kubectl().run("get", "tset", "third")).contains("ETA");
            assertThat(space.kubectl().run("describe", "tset", "third")).contains("Eta:", "Eta Error Percent:");
            assertThat(third.awaitFinished()).returns(12L, TaskSetStatus::succeeded);
            assertThat(begun(record, "third").subList(0, 3)).containsExactlyInAnyOrder(7, 10, 3);
            assertThat(space.events("TaskSet")).noneMatch(event -> event.startsWith("EstimatesMissing"));
        }
    }
}
