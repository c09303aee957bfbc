package dev.quiver.history.store;

import static dev.quiver.history.rig.Record.T0;
import static dev.quiver.history.rig.Record.number;
import static dev.quiver.history.rig.Record.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import dev.quiver.history.rig.PostgresProcess;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/** The record in a real PostgreSQL. */
class PostgresRecordIT extends RecordPartsContract {

    private static final AtomicInteger NEXT = new AtomicInteger();
    private static PostgresProcess postgres;

    @BeforeAll
    static void start() {
        postgres = PostgresProcess.start();
    }

    @AfterAll
    static void stop() {
        if (postgres != null) {
            postgres.close();
        }
    }

    @Override
    Database open() {
        return postgres.database("record" + NEXT.incrementAndGet());
    }

    /** 10,000 passes in blocks or in steps, a task that failed once, and one whose worker is not known. */
    @Test
    void trialsForPeopleComeAsRowsSealedOrNot() throws SQLException {
        record.joined("s1", T0)
                .opened("u1", "specs", T0, 10_001)
                .passes("u1", "s1", 1, 0, 10_000)
                .step(
                        "u1",
                        "s1",
                        9_000,
                        T0 + 100_000,
                        new StepRows()
                                .trial(failed(10_000, 1, "no"))
                                .trial(TrialRow.of(10_000, 2, 3, TrialStatus.PASSED, 5, 70)),
                        "tc")
                .write();
        String one = "SELECT task || ' ' || trial || ' ' || status || ' ' || pod || ' ' || slot || ' ' || seconds FROM"
                + " quiver_trials('u1', %d, %d)";
        for (int round = 0; round < 2; round++) {
            assertThat(number(database, "SELECT COUNT(*) FROM quiver_trials('u1')"))
                    .isEqualTo(10_002);
            assertThat(number(database, "SELECT CAST(ROUND(SUM(seconds) * 1000) AS BIGINT) FROM quiver_trials('u1')"))
                    .isEqualTo(10_000 * 100 + 200 * 49 * 25 + 1200 + 70);
            assertThat(texts(database, one.formatted(4999, 5001)))
                    .containsExactly(
                            "4999 1 passed pod-s1 7 0.149",
                            "5000 1 passed pod-s1 0 0.1",
                            "5001 1 passed pod-s1 1 0.101");
            assertThat(texts(database, one.formatted(10_000, 10_000)))
                    .containsExactly("10000 1 failed pod-s1 3 1.2", "10000 2 passed pod-s1 3 0.07");
            assertThat(texts(database, "SELECT CAST(finished_at AS TEXT) FROM quiver_trials('u1', 64, 64)"))
                    .as("it ended 64 % 7 ms before its step")
                    .singleElement()
                    .asString()
                    .contains(Instant.ofEpochMilli(T0 + 1063).toString().substring(14, 23));
            assertThat(number(database, "SELECT COUNT(*) FROM quiver_trials('other')"))
                    .isZero();
            if (round == 0) {
                record.ended("u1", RunEnd.Status.SUCCEEDED, T0 + 200_000, 10_001, 0, 10_002)
                        .write();
                assertThat(new Sealing(database).seal(9)).isOne();
            }
        }
    }

    @Test
    void oneProcessAtATimeOwnsAKeyspace() throws SQLException {
        try (PostgresDatabase one = postgres.database("owned");
                PostgresDatabase other = postgres.open("owned");
                Connection first = one.writer();
                Connection second = other.writer()) {
            assertThat(one.owns(first, "quiver:{a}:")).isTrue();
            assertThat(other.owns(second, "quiver:{a}:")).isFalse();
            assertThat(other.owns(second, "quiver:{b}:")).isTrue();
            first.commit();
            assertThat(other.owns(second, "quiver:{a}:")).isTrue();
            second.rollback();
        }
    }
}
