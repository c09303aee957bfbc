package dev.quiver.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.history.persist.PersisterStatus;

/** The words of the probes. */
class ProbesTest {

    private static PersisterStatus status(Optional<String> trouble) {
        return new PersisterStatus(trouble, Map.of("p", "away"), 7, 1, 3, 20, 2, 1_000);
    }

    @Test
    void readyHasTheReasonAndTheVolume() {
        assertThat(Probes.ready(status(Optional.empty()), Optional.empty(), false)
                        .status())
                .isEqualTo(200);
        assertThat(Probes.ready(status(Optional.empty()), Optional.empty(), true)
                        .text())
                .contains("ends with this pod");
        assertThat(Probes.ready(status(Optional.of("SQLite (full)")), Optional.empty(), false))
                .satisfies(answer -> assertThat(answer.status()).isEqualTo(503))
                .satisfies(answer -> assertThat(answer.text()).contains("SQLite (full)"));
    }

    @Test
    void readyNamesTheShortageOfRoomAndStaysReady() {
        assertThat(Probes.ready(
                        status(Optional.empty()), Optional.of("the record may take 2048 MiB, of 100 MiB"), false))
                .satisfies(answer -> assertThat(answer.status()).isEqualTo(200))
                .satisfies(answer -> assertThat(answer.text())
                        .isEqualTo("the database takes what comes; the record may take 2048 MiB, of 100 MiB\n"));
    }

    @Test
    void metricsHaveTheirHelpAndTheAgeOfTheLastCommit() {
        assertThat(Probes.metrics(status(Optional.empty()), 3_500))
                .contains("# TYPE quiver_history_entries_total counter\nquiver_history_entries_total 7\n")
                .contains("quiver_history_not_recorded_total 3\n")
                .contains("quiver_history_rows_total 20\n")
                .contains("quiver_history_keyspaces_behind 2\n")
                .contains("quiver_history_last_commit_age_seconds 2.5\n");
    }
}
