package dev.quiver.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.persist.PersisterStatus;
import dev.quiver.history.rig.PostgresProcess;
import dev.quiver.history.rig.Record;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.PostgresDatabase;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;

/** A database that is away when the program starts. */
class DatabaseStartIT {

    private static CompletableFuture<Database> opened(DatabaseStart start, DatabaseStart.Opening opening) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return start.open(opening, pause -> pause, 50);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void unready(DatabaseStart start, String words) {
        Awaitility.await().until(() -> start.status().database().orElse("").contains(words));
        assertThat(Probes.ready(start.status(), Optional.empty(), false).status())
                .isEqualTo(503);
        assertThat(Probes.ready(start.status(), Optional.empty(), false).text()).contains("cannot be opened");
    }

    @Test
    void postgresThatIsAwayIsAwaitedWithTheReason() throws Exception {
        try (PostgresProcess postgres = PostgresProcess.start()) {
            String url = postgres.create("late");
            postgres.stop();
            DatabaseStart start = new DatabaseStart();
            assertThat(start.status().ready()).isFalse();
            CompletableFuture<Database> opening = opened(start, () -> PostgresDatabase.open(url, "quiver", ""));
            unready(start, "refused");
            postgres.startAgain();
            try (Database database = opening.join()) {
                assertThat(Record.number(database, "SELECT COUNT(*) FROM runs")).isZero();
            }
            PersisterStatus loop = new PersisterStatus(Optional.empty(), java.util.Map.of(), 0, 0, 0, 0, 0, 0);
            start.began(() -> loop, Optional::empty);
            assertThat(start.status().ready()).isTrue();
        }
    }

    @Test
    void aFolderThatIsNotThereYetIsAwaited(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("mounted/record.db");
        DatabaseStart start = new DatabaseStart();
        CompletableFuture<Database> opening = opened(start, () -> {
            if (!Files.isDirectory(file.getParent())) {
                throw new SQLException("no such folder: " + file.getParent().getFileName());
            }
            return SqliteDatabase.open(SqliteSettings.of(file));
        });
        unready(start, "no such folder");
        Files.createDirectory(file.getParent());
        try (Database database = opening.join()) {
            assertThat(database.product()).isEqualTo("SQLite");
        }
    }
}
