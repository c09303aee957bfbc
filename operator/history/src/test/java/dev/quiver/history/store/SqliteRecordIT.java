package dev.quiver.history.store;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConnection;

import dev.quiver.history.rig.Record;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The record in a SQLite file. */
class SqliteRecordIT extends RecordPartsContract {

    @TempDir
    private Path folder;

    @Override
    Database open() throws Exception {
        return SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
    }

    @Test
    void aFullFileGivesTheOldestRunOfTheLargestNamespace() throws Exception {
        SqliteSettings small = SqliteSettings.of(folder.resolve("small.db")).atMost(2_000_000);
        try (SqliteDatabase database = SqliteDatabase.open(small)) {
            Record record = new Record(database, Keyspace.ofNamespace("team-a"));
            record.passes("first", "s1", 1, 0, 64_000)
                    .ended("first", RunEnd.Status.SUCCEEDED, T0, 1, 0, 1)
                    .write();
            assertThatThrownBy(() -> {
                        for (int run = 0; run < 50; run++) {
                            record.passes("u" + run, "s1", 1, 0, 64_000)
                                    .ended("u" + run, RunEnd.Status.SUCCEEDED, T0 + run + 1, 1, 0, 1)
                                    .write();
                        }
                    })
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(database.fault(e)).isEqualTo(Fault.FULL));
            Retention retention =
                    new Retention(database, namespace -> RetentionPolicy.DEFAULT, Long.MAX_VALUE, Clock.systemUTC());
            assertThat(retention.makeRoom()).isTrue();
            assertThat(retention.makeRoom()).isTrue();
            record.write();
            assertThat(Record.texts(database, "SELECT uid FROM runs"))
                    .doesNotContain("first")
                    .isNotEmpty();
        }
    }

    /** Thousands of steps of SQLite's machine, each about a row that it looks at. */
    private static final class Steps extends ProgressHandler {

        private int thousands;

        @Override
        protected int progress() {
            thousands++;
            return 0;
        }
    }

    @Test
    void aRemovalLooksAtNoOtherRunForEachWorker() throws Exception {
        try (Database database = open()) {
            Record record = new Record(database, Keyspace.ofNamespace("team-a"));
            for (int i = 0; i < 2_000; i++) {
                record.passes("u" + i, "s" + i / 4, 1, 0, 1);
            }
            for (int i = 0; i < 500; i++) {
                record.left("s" + i, T0, "closed");
            }
            record.write();
            Steps steps = new Steps();
            database.change(connection -> {
                ProgressHandler.setHandler(connection.unwrap(SQLiteConnection.class), 1_000, steps);
                return 0;
            });
            new RunRemoval(database).remove(Record.number(database, "SELECT id FROM runs WHERE uid = 'u0'"));
            assertThat(steps.thousands).isLessThan(100);
        }
    }
}
