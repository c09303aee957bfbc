package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import dev.quiver.crds.v1alpha1.RunHistory;
import dev.quiver.crds.v1alpha1.RunHistoryBuilder;
import dev.quiver.crds.v1alpha1.RunHistoryRetention;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.RunOpening;

/** The words of a resource about its record, as the record gets it. */
class RunRecordsTest {

    private static RunOpening opening(RunHistory history) {
        Task task = new Task();
        task.setMetadata(new ObjectMetaBuilder()
                .withName("nightly")
                .withNamespace("team")
                .withCreationTimestamp("2026-01-01T00:00:00Z")
                .addToLabels("b", "2")
                .addToLabels("a", "1")
                .build());
        return RunRecords.opening(task, "ns-uid", history, "shared", Optional.of("class"), 7, Optional.of("hash"));
    }

    @ParameterizedTest
    @CsvSource({"3, 5", "3,", ", 5", ","})
    void retentionComesFromTheResource(Integer days, Integer runs) {
        RunOpening opening = opening(RunHistoryBuilder.builder()
                .retention(new RunHistoryRetention(days, runs))
                .build());
        assertThat(opening.keepDays()).isEqualTo(days == null ? 0 : days);
        assertThat(opening.keepRuns()).isEqualTo(runs == null ? 0 : runs);
    }

    @Test
    void recordWithoutARetentionOfItsOwnIsKeptAsTheInstallationSays() {
        RunOpening opening = opening(RunHistory.DEFAULT);
        assertThat(opening.keepDays()).isZero();
        assertThat(opening.keepRuns()).isZero();
        assertThat(opening.forgetOnDelete()).isFalse();
        assertThat(opening.labels()).containsExactly(java.util.Map.entry("a", "1"), java.util.Map.entry("b", "2"));
    }

    @ParameterizedTest
    @EnumSource
    void recordThatIsThereGoesWithItsResourceWhereThatSaysSo(RunHistory.Keep keep) {
        RunHistory history = RunHistoryBuilder.builder()
                .keep(keep)
                .onDelete(RunHistory.OnDelete.Forget)
                .build();
        assertThat(opening(history).forgetOnDelete()).isEqualTo(keep != RunHistory.Keep.None);
    }

    @Test
    void eachTrialIsRecordedAsTheResourceSays() {
        assertThat(RunRecords.recording(
                        RunHistoryBuilder.builder().keep(RunHistory.Keep.None).build()))
                .isEmpty();
        assertThat(RunRecords.recording(RunHistoryBuilder.builder()
                        .keep(RunHistory.Keep.Failures)
                        .results(RunHistory.Results.Json)
                        .resources(true)
                        .build()))
                .hasValueSatisfying(recording -> assertThat(recording)
                        .returns(Recording.Keep.FAILURES, Recording::keep)
                        .returns(Recording.Output.FAILED, Recording::output)
                        .returns(Recording.Results.JSON, Recording::results)
                        .returns(true, Recording::resources));
    }
}
