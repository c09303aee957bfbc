package dev.quiver.history.store;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Record;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The file itself: its settings, damage, and a newer program's schema. */
class SqliteFileIT {

    @TempDir
    private Path folder;

    private SqliteDatabase open() throws Exception {
        return SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
    }

    private void fill() throws Exception {
        try (SqliteDatabase database = open()) {
            new Record(database, Keyspace.ofNamespace("team-a"))
                    .opened("u1", "specs", T0, 64_000)
                    .passes("u1", "s1", 1, 0, 64_000)
                    .ended("u1", RunEnd.Status.SUCCEEDED, T0, 64_000, 0, 64_000)
                    .write();
        }
    }

    @Test
    void hasTheSettingsOfTheContract() throws Exception {
        try (SqliteDatabase database = open()) {
            assertThat(Record.number(database, "PRAGMA page_size")).isEqualTo(8192);
            assertThat(Record.number(database, "PRAGMA auto_vacuum")).isEqualTo(2);
            assertThat(Record.texts(database, "PRAGMA journal_mode")).containsExactly("wal");
            try (Connection writer = database.writer()) {
                assertThat(Rows.first(writer, "PRAGMA secure_delete", row -> row.getInt(1)))
                        .contains(1);
                assertThat(Rows.first(writer, "PRAGMA synchronous", row -> row.getInt(1)))
                        .contains(1);
                writer.rollback();
            }
        }
    }

    @Test
    void leavesAMarginOfItsVolumeFree() throws Exception {
        long usable = Files.getFileStore(folder).getUsableSpace();
        long most = SqliteSettings.of(folder.resolve("record.db")).bound();
        // Others write to the volume meanwhile, and remove what they wrote.
        assertThat(most)
                .isBetween(
                        SqliteDatabase.PAGE_BYTES * 64L,
                        Math.max(usable + (4L << 30), SqliteDatabase.PAGE_BYTES * 64L));
        assertThat(SqliteSettings.of(folder.resolve("record.db"))
                        .atMost(1 << 20)
                        .bound())
                .isEqualTo(1 << 20);
    }

    @Test
    void aFileThatIsNoDatabaseIsSetAside() throws Exception {
        Files.writeString(folder.resolve("record.db"), "this is no database, and never was one".repeat(500));
        try (SqliteDatabase database = open()) {
            assertThat(database.setAside()).isPresent();
            assertThat(folder.resolve(database.setAside().orElseThrow())).exists();
            assertThat(Record.number(database, "SELECT COUNT(*) FROM runs")).isZero();
        }
    }

    @Test
    void aFileWithDamagedPagesIsSetAside() throws Exception {
        fill();
        try (RandomAccessFile file =
                new RandomAccessFile(folder.resolve("record.db").toFile(), "rw")) {
            byte[] noise = new byte[8192 * 4];
            new java.util.Random(1).nextBytes(noise);
            for (long at = 8192 * 4; at + noise.length < file.length(); at += noise.length * 2L) {
                file.seek(at);
                file.write(noise);
            }
        }
        try (SqliteDatabase database = open()) {
            assertThat(database.setAside()).isPresent();
            assertThat(Record.number(database, "SELECT COUNT(*) FROM runs")).isZero();
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.filter(file -> file.toString().contains(".damaged-")))
                    .isNotEmpty();
        }
    }

    @Test
    void aTruncatedFileIsSetAside() throws Exception {
        fill();
        try (RandomAccessFile file =
                new RandomAccessFile(folder.resolve("record.db").toFile(), "rw")) {
            file.setLength(file.length() / 2);
        }
        try (SqliteDatabase database = open()) {
            assertThat(database.setAside()).isPresent();
        }
    }

    private static void open(SqliteDatabase database, String uid) throws Exception {
        new Record(database, Keyspace.ofNamespace("team-a"))
                .opened(uid, "specs", T0, 1)
                .write();
    }

    private static List<String> uids(SqliteDatabase database) throws Exception {
        return Record.texts(database, "SELECT uid FROM runs ORDER BY uid");
    }

    @Test
    void aFileThatIsRemovedWhileItIsOpenIsNoticedAndMadeAnew() throws Exception {
        try (SqliteDatabase database = open()) {
            open(database, "before");
            assertThat(database.replaced()).isEmpty();
            Files.delete(folder.resolve("record.db"));
            open(database, "behind");
            assertThat(uids(database)).containsExactly("behind");
            assertThat(database.replaced().orElseThrow()).contains("removed");
            assertThat(Record.number(database, "PRAGMA page_size")).isEqualTo(8192);
        }
        try (SqliteDatabase again = open()) {
            assertThat(again.setAside()).isEmpty();
            assertThat(uids(again)).containsExactly("behind");
        }
    }

    @Test
    void aReaderNoticesItToo() throws Exception {
        try (SqliteDatabase database = open()) {
            open(database, "before");
            for (String part : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(folder.resolve("record.db" + part));
            }
            assertThat(uids(database)).isEmpty();
            assertThat(database.replaced()).isPresent();
        }
    }

    @Test
    void aFileThatIsReplacedWhileItIsOpenIsTheRecordFromThen() throws Exception {
        fill();
        Files.copy(folder.resolve("record.db"), folder.resolve("backup"));
        Files.delete(folder.resolve("record.db"));
        List<Boolean> damaged = new ArrayList<>();
        try (SqliteDatabase database = open()) {
            database.onReplaced(() -> damaged.add(database.setAside().isPresent()));
            open(database, "u2");
            assertThat(damaged).isEmpty();
            Files.move(folder.resolve("backup"), folder.resolve("record.db"), StandardCopyOption.REPLACE_EXISTING);
            open(database, "u3");
            assertThat(uids(database)).containsExactly("u1", "u3");
            assertThat(database.replaced().orElseThrow()).contains("replaced", "what the new file has");
            assertThat(database.setAside()).isEmpty();
            Files.writeString(folder.resolve("noise"), "this is no database".repeat(500));
            Files.move(folder.resolve("noise"), folder.resolve("record.db"), StandardCopyOption.REPLACE_EXISTING);
            open(database, "u4");
            assertThat(uids(database)).containsExactly("u4");
            assertThat(database.setAside()).isPresent();
            assertThat(database.replaced().orElseThrow()).contains("begins anew");
            assertThat(damaged).containsExactly(false, true);
        }
    }

    @Test
    void aFolderThatIsGoneIsAFailureAndNoEnd() throws Exception {
        Path mounted = Files.createDirectory(folder.resolve("mounted"));
        try (SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(mounted.resolve("record.db")))) {
            open(database, "before");
            Files.move(mounted, folder.resolve("away"));
            assertThatThrownBy(() -> open(database, "lost"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(database.fault(e)).isEqualTo(Fault.AWAY));
            Files.move(folder.resolve("away"), mounted);
            open(database, "behind");
            assertThat(uids(database)).containsExactly("before", "behind");
        }
    }

    @Test
    void aHealthyFileStays() throws Exception {
        fill();
        try (SqliteDatabase database = open()) {
            assertThat(database.setAside()).isEmpty();
            assertThat(Record.number(database, "SELECT SUM(n) FROM passes")).isEqualTo(64_000);
        }
    }

    @Test
    void anOlderProgramRunsOnANewerSchema() throws Exception {
        fill();
        try (Connection newer = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("record.db"));
                Statement statement = newer.createStatement()) {
            statement.execute("ALTER TABLE runs ADD COLUMN of_the_future TEXT");
            statement.execute("INSERT INTO flyway_schema_history (installed_rank, version, description, type, script,"
                    + " checksum, installed_by, execution_time, success) VALUES (1000, '99', 'future', 'SQL',"
                    + " 'V99__future.sql', 1, '', 1, 1)");
        }
        try (SqliteDatabase database = open()) {
            new Record(database, Keyspace.ofNamespace("team-a"))
                    .opened("u2", "specs", T0, 1)
                    .write();
            assertThat(Record.number(database, "SELECT COUNT(*) FROM runs")).isEqualTo(2);
        }
    }
}
