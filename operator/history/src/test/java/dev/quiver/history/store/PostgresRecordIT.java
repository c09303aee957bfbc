package dev.quiver.history.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import dev.quiver.history.rig.PostgresProcess;

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
