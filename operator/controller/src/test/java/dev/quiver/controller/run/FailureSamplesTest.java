package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskFailure;

class FailureSamplesTest {

    @Test
    void samplesShareTheRoomEvenly() {
        List<TaskFailure> long8 = IntStream.range(0, 8)
                .mapToObj(i -> new TaskFailure("t" + i, 3, 1, null, "NonZeroExit", "x".repeat(511) + i))
                .toList();
        List<TaskFailure> shown = FailureSamples.beside(List.of(), 0, long8);
        assertThat(shown).extracting(TaskFailure::task).containsExactly("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7");
        assertThat(shown)
                .allSatisfy(f -> assertThat(f.message()).endsWith(f.task().substring(1)));
        assertThat(shown.getLast().message()).hasSizeGreaterThan(400);
        List<TaskFailure> one = FailureSamples.beside(List.of(), 0, long8.subList(0, 1));
        assertThat(one.getFirst().message()).hasSize(512);
    }

    /** While Redis is away or empty, the samples are those that the API server has kept; it drops empty fields. */
    @Test
    void aFailureWithoutWordsIsShownAgainFromTheApi() {
        TaskFailure silent = new TaskFailure("t", 1, 3, null, "NonZeroExit", "");
        TaskFailure kept = Serialization.unmarshal(Serialization.asJson(silent), TaskFailure.class);
        assertThat(FailureSamples.beside(List.of(), 0, List.of(kept))).containsExactly(silent);
        assertThat(kept).as("no change is seen in it").isEqualTo(silent);
    }

    @Test
    void aFailureOfWhichOnlyTheTaskIsKnownIsShown() {
        TaskFailure bare = Serialization.unmarshal("{\"task\": \"t\"}", TaskFailure.class);
        assertThat(FailureSamples.beside(List.of(), 0, List.of(bare)))
                .singleElement()
                .satisfies(f -> assertThat(f.task()).isEqualTo("t"));
    }
}
