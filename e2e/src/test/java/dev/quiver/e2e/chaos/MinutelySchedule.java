package dev.quiver.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.LongStream;

import com.fasterxml.jackson.databind.JsonNode;
import org.awaitility.Awaitility;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.TaskRun;
import dev.quiver.crds.v1alpha1.TaskScheduleStatus;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.e2e.quiver.Record;

/** A schedule that fires each minute. Each minute is a run or counted as missed, and no minute is two runs. */
final class MinutelySchedule {

    private static final Logger LOG = LoggerFactory.getLogger(MinutelySchedule.class);

    private final String name;
    private final Supplier<TaskScheduleStatus> status;
    private final Consumer<String> patch;
    private final Instant first;

    /**
     * One that was applied and has not fired yet.
     *
     * @param patch changes fields of its specification, as JSON
     */
    MinutelySchedule(String name, Supplier<TaskScheduleStatus> status, Consumer<String> patch) {
        this.name = name;
        this.status = status;
        this.patch = patch;
        TaskScheduleStatus begun = awaitAhead();
        this.first = next(begun).minus(Duration.ofMinutes(counted(begun)));
    }

    /** Lets no further run begin. Every minute up to now must be counted. */
    void stop(int mostMissed, String seed) {
        TaskScheduleStatus now = awaitAhead();
        assertThat(counted(now))
                .as("%s: runs and missed ones of %s since %s: %s", seed, name, first, now)
                .isEqualTo(Duration.between(first, next(now)).toMinutes());
        assertThat(missed(now)).as("%s: missed of %s: %s", seed, name, now).isLessThanOrEqualTo(mostMissed);
        assertThat(last(now)).as("%s: runs of %s", seed, name).isPositive();
        LOG.info(
                "chaos: {} began {} runs and missed {}, as {} may be missed", name, last(now), missed(now), mostMissed);
        patch.accept("\"schedule\":{\"suspend\":true}");
    }

    /**
     * Waits for all of its runs, and asserts that each of them has ended well and is on record once.
     *
     * @param succeeded tasks of a run that pass
     * @param failed tasks of a run that fail
     */
    void assertExact(Record record, int succeeded, int failed, String seed) {
        TaskScheduleStatus end = Awaitility.await("the runs of " + name + " have ended")
                .until(
                        status::get,
                        now -> now.nextScheduleTime() == null
                                && now.runs().stream().allMatch(run -> run.completionTime() != null));
        long last = last(end);
        assertThat(end.runs())
                .as("%s: %s", seed, end)
                .extracting(TaskRun::run)
                .containsExactlyElementsOf(LongStream.iterate(last, run -> run > 0, run -> run - 1)
                        .limit(TaskScheduleStatus.MAX_RUNS)
                        .boxed()
                        .toList());
        assertThat(end.runs()).as("%s: %s", seed, end).allMatch(run -> run.state() == TaskState.FINISHED);
        List<JsonNode> recorded = Awaitility.await("all runs of " + name + " have an end on record")
                .until(
                        () -> record.all("/runs?class=" + name),
                        runs -> runs.size() >= last
                                && runs.stream()
                                        .allMatch(run -> run.path("finishedAt").isTextual()));
        assertThat(recorded).as("%s: runs of %s", seed, name).hasSize((int) last);
        assertThat(recorded)
                .as("%s: runs of %s", seed, name)
                .allMatch(run -> run.path("succeededCount").asInt() == succeeded)
                .allMatch(run -> run.path("failedCount").asInt() == failed)
                .allMatch(run -> run.path("notRecorded").asInt() == 0);
        assertThat(recorded)
                .as("%s: runs of %s", seed, name)
                .extracting(run -> Instant.parse(run.path("firedAt").asText()))
                .doesNotHaveDuplicates()
                .allMatch(due -> !due.isBefore(first) && due.getEpochSecond() % 60 == 0);
    }

    /** Its status, once its next run is due in the future: all fires up to now have happened. */
    private TaskScheduleStatus awaitAhead() {
        return Awaitility.await(name + " knows when it fires next")
                .until(
                        status::get,
                        now -> now != null
                                && now.nextScheduleTime() != null
                                && next(now).isAfter(Instant.now()));
    }

    private static Instant next(TaskScheduleStatus status) {
        return Instant.parse(status.nextScheduleTime());
    }

    private static long counted(TaskScheduleStatus status) {
        return last(status) + missed(status);
    }

    private static long missed(TaskScheduleStatus status) {
        return status.missed() == null ? 0 : status.missed();
    }

    private static long last(TaskScheduleStatus status) {
        return status.runs().stream()
                .map(TaskRun::run)
                .max(Comparator.naturalOrder())
                .orElse(0L);
    }
}
