package dev.quiver.history;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Record;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Command backup, on a real file that somebody writes. */
class BackupIT {

    private static final int TASKS = 640;

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Path file() {
        return folder.resolve("record.db");
    }

    private Path target() {
        return folder.resolve("backup.db");
    }

    private int run(String database, String... words) {
        out.reset();
        err.reset();
        return new Commands(
                        Map.of("QUIVER_HISTORY_DATABASE", database),
                        new PrintStream(out, true),
                        new PrintStream(err, true))
                .run(words);
    }

    private int backup() {
        return run(file().toString(), "backup", target().toString());
    }

    private static SqliteDatabase open(Path file) throws Exception {
        return SqliteDatabase.open(SqliteSettings.of(file));
    }

    private static void write(SqliteDatabase database, String uid) throws Exception {
        new Record(database, Keyspace.ofNamespace("team-a"))
                .opened(uid, "specs", T0, TASKS)
                .passes(uid, "s1", 1, 0, TASKS)
                .ended(uid, RunEnd.Status.SUCCEEDED, T0, TASKS, 0, TASKS)
                .write();
    }

    private List<String> files() throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aBackupIsOfOneMomentWhileAWriterWrites() throws Exception {
        AtomicBoolean end = new AtomicBoolean();
        AtomicInteger written = new AtomicInteger();
        try (SqliteDatabase database = open(file())) {
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                try {
                    while (!end.get()) {
                        write(database, "u" + written.get());
                        written.incrementAndGet();
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            Awaitility.await().until(() -> written.get() > 20 || writer.isDone());
            assertThat(backup()).as(err.toString()).isZero();
            int during = written.get();
            long bytes = Files.size(target());
            assertThat(out.toString()).isEqualTo("backup: " + bytes + " bytes in " + target() + "\n");
            Awaitility.await().until(() -> written.get() > during || writer.isDone());
            end.set(true);
            writer.join();
            assertThat(Record.number(database, "SELECT COUNT(*) FROM runs")).isEqualTo(written.get());
            try (SqliteDatabase backup = open(target())) {
                assertThat(backup.setAside()).isEmpty();
                long runs = Record.number(backup, "SELECT COUNT(*) FROM runs");
                assertThat(runs).isBetween(20L, during + 1L);
                assertThat(Record.number(backup, "SELECT SUM(n) FROM passes")).isEqualTo(runs * TASKS);
                assertThat(Record.number(backup, "SELECT COUNT(*) FROM runs WHERE finished_at IS NOT NULL"))
                        .isEqualTo(runs);
                assertThat(Record.number(backup, "PRAGMA page_size")).isEqualTo(8192);
                assertThat(Record.number(backup, "PRAGMA auto_vacuum")).isEqualTo(2);
                write(backup, "later");
            }
        }
    }

    @Test
    void aBackupGoesToStandardOutput() throws Exception {
        try (SqliteDatabase database = open(file())) {
            write(database, "u1");
            List<String> before = files();
            assertThat(run(file().toString(), "backup", "-")).as(err.toString()).isZero();
            assertThat(files()).isEqualTo(before);
        }
        Files.write(target(), out.toByteArray());
        assertThat(err.toString()).isEqualTo("backup: " + Files.size(target()) + " bytes\n");
        try (SqliteDatabase backup = open(target())) {
            assertThat(Record.number(backup, "SELECT SUM(n) FROM passes")).isEqualTo(TASKS);
        }
    }

    @Test
    void aFileThatIsThereStaysAsItIs() throws Exception {
        open(file()).close();
        Files.writeString(target(), "precious");
        assertThat(backup()).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("backup failed: " + target() + " is there already\n");
        assertThat(target()).hasContent("precious");
        assertThat(run(file().toString(), "backup", file().toString())).isEqualTo(1);
    }

    @Test
    void aDamagedSourceLeavesNoHalfFile() throws Exception {
        try (SqliteDatabase database = open(file())) {
            for (int run = 0; run < 20; run++) {
                write(database, "u" + run);
            }
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file().toFile(), "rw")) {
            byte[] noise = new byte[8192];
            new java.util.Random(1).nextBytes(noise);
            for (long at = bytes.length() / 2; at < bytes.length(); at += noise.length) {
                bytes.seek(at);
                bytes.write(noise);
            }
        }
        assertThat(backup()).isEqualTo(1);
        assertThat(err.toString()).startsWith("backup failed: ").contains("malformed");
        assertThat(files()).doesNotContain("backup.db", "backup.db.part", "backup.db.part-journal");
    }

    /** The file has a hole and takes no disk: by its header and its size it has 16 TiB. */
    @Test
    void aVolumeWithoutRoomIsNamed() throws Exception {
        open(file()).close();
        long pages = Integer.MAX_VALUE - 1L;
        try (RandomAccessFile bytes = new RandomAccessFile(file().toFile(), "rw")) {
            bytes.seek(28);
            bytes.writeInt((int) pages);
            bytes.setLength(pages * 8192);
        }
        assertThat(backup()).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("backup failed: the volume of " + folder + " has no room: the copy takes")
                .contains("kept for the database");
        assertThat(files()).doesNotContain("backup.db", "backup.db.part");
    }

    @Test
    void aBackupStaysWithinItsEmptyDir() throws Exception {
        try (SqliteDatabase database = open(file())) {
            write(database, "u1");
        }
        for (String limit : List.of("", "2 GB", "-1", "2Xi")) {
            assertThat(inEmptyDir(limit, target())).isEqualTo(1);
            assertThat(err.toString())
                    .startsWith("backup failed: QUIVER_HISTORY_EMPTY_DIR_LIMIT is no size: '" + limit + "'");
        }
        assertThat(inEmptyDir("1.1Mi", target())).isEqualTo(1);
        assertThat(err.toString()).contains("has no room").contains("1 MiB are kept for the database");
        Path elsewhere = Files.createDirectory(folder.resolve("tmp")).resolve("backup.db");
        assertThat(inEmptyDir("2Gi", elsewhere)).isEqualTo(1);
        assertThat(err.toString()).contains("is not in the folder of the database, " + folder);
        assertThat(files()).doesNotContain("backup.db", "backup.db.part");
        assertThat(inEmptyDir("2Gi", target())).as(err.toString()).isZero();
        assertThat(inEmptyDir("2000000k", folder.resolve("second.db")))
                .as(err.toString())
                .isZero();
    }

    private int inEmptyDir(String limit, Path target) {
        err.reset();
        Map<String, String> environment = Map.of(
                "QUIVER_HISTORY_DATABASE",
                file().toString(),
                "QUIVER_HISTORY_EMPTY_DIR",
                "true",
                "QUIVER_HISTORY_EMPTY_DIR_LIMIT",
                limit);
        return new Commands(environment, new PrintStream(out, true), new PrintStream(err, true))
                .run("backup", target.toString());
    }

    @Test
    void whatAKilledBackupLeftIsRemovedAndWhatAnotherWritesIsNot() throws Exception {
        try (SqliteDatabase database = open(file())) {
            write(database, "u1");
        }
        Path part = Files.writeString(folder.resolve("backup.db.part"), "half");
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            assertThat(lock.isValid()).isTrue();
            assertThat(backup()).isEqualTo(1);
            assertThat(err.toString()).contains("is being written by another backup");
            assertThat(part).hasContent("half");
        }
        assertThat(backup()).as(err.toString()).isZero();
        assertThat(files()).contains("backup.db").doesNotContain("backup.db.part");
    }

    @Test
    void badWordsAndBadSettingsAreNamed() throws Exception {
        for (String[] words : new String[][] {
            {"backup"},
            {"backup", "a", "b"},
            {"backup", ""},
            {"backup", "--help"},
            {"copy", "jdbc:postgresql://h/d"},
            {"copy", "--from", "x"},
            {"restore", "x"},
            {""}
        }) {
            assertThat(run(file().toString(), words)).isEqualTo(2);
            assertThat(err.toString()).startsWith("usage: ");
            assertThat(out.size()).isZero();
        }
        String to = target().toString();
        assertThat(run("", "backup", to)).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("backup failed: QUIVER_HISTORY_DATABASE is not set\n");
        assertThat(run("jdbc:postgresql://h/d?password=secret", "backup", to)).isEqualTo(1);
        assertThat(err.toString()).contains("is a PostgreSQL database; pg_dump").doesNotContain("secret");
        assertThat(run(file().toString(), "backup", to)).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("backup failed: " + file() + " is no file\n");
        Files.createFile(file());
        assertThat(run(file().toString(), "backup", to)).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("backup failed: " + file() + " has no record of runs\n");
        Files.writeString(file(), "no database".repeat(1000));
        assertThat(run(file().toString(), "backup", to)).isEqualTo(1);
        assertThat(err.toString()).contains("not a database");
        Files.delete(file());
        open(file()).close();
        assertThat(run(file().toString(), "backup", folder.resolve("no/such").toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains(folder.resolve("no") + " is no folder");
    }

    @Test
    void theProgramExitsWithTheCodeOfItsCommand() throws Exception {
        try (SqliteDatabase database = open(file())) {
            write(database, "u1");
            assertThat(program("backup", target().toString())).isZero();
            assertThat(program("backup", target().toString())).isEqualTo(1);
            assertThat(program("--help")).isEqualTo(2);
            assertThat(program("backup", "-")).isZero();
        }
        assertThat(folder.resolve("out")).hasSize(Files.size(target()));
        assertThat(Files.readString(folder.resolve("err"), StandardCharsets.UTF_8))
                .startsWith("backup: ");
    }

    private int program(String... words) throws Exception {
        List<String> command = new java.util.ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().put("QUIVER_HISTORY_DATABASE", file().toString());
        return builder.start().waitFor();
    }
}
