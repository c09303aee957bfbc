package dev.quiver.history;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.PostgresProcess;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.PostgresDatabase;
import dev.quiver.history.store.ReceivedEntry;
import dev.quiver.history.store.RecordCopy;
import dev.quiver.history.store.RecordWriter;
import dev.quiver.history.store.Rows;
import dev.quiver.history.store.RunRemoval;
import dev.quiver.history.store.Sealing;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.history.web.About;
import dev.quiver.history.web.ApiServer;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Command copy, from a real file into a real PostgreSQL. */
class RecordCopyIT {

    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final Keyspace TEAM = Keyspace.ofNamespace("team-a");
    private static final String HOSTILE = "<b>\t\\x41\\N\r\n\"'; DROP TABLE runs; -- \u202e 😀";
    private static final String RUNS = "/v1/namespaces/team-a/runs";

    private static PostgresProcess postgres;

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

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

    private Path file() {
        return folder.resolve("record.db");
    }

    private int copy(Path file, String url) {
        out.reset();
        err.reset();
        Map<String, String> environment =
                Map.of("QUIVER_HISTORY_DATABASE", file.toString(), "QUIVER_HISTORY_TO_USER", "quiver");
        return new Commands(environment, new PrintStream(out, true), new PrintStream(err, true))
                .run("copy", "--to", url);
    }

    private static String name() {
        return "copy" + NEXT.incrementAndGet();
    }

    private static SqliteDatabase open(Path file) throws Exception {
        return SqliteDatabase.open(SqliteSettings.of(file));
    }

    private static byte[] tail(String text) {
        return Tails.pack(text.getBytes(StandardCharsets.UTF_8), 4096);
    }

    private static TrialRow failed(long task, int trial) {
        return TrialRow.of(task, trial, 3, TrialStatus.FAILED, 5, 1200)
                .because(Optional.of(1), Optional.empty(), "NonZeroExit", HOSTILE)
                .printed(tail("printed by " + task), tail("\\x00\n\t" + trial), 4096);
    }

    /** Three runs of a class, one of them sealed after the others; one that goes on, a tree, a removed one. */
    private static void fill(SqliteDatabase database) throws Exception {
        Record record = new Record(database, TEAM);
        List<String> names =
                IntStream.range(0, 1000).mapToObj(i -> "spec " + i + HOSTILE).toList();
        for (String uid : List.of("gone", "sealed", "again", "ended", "live")) {
            record.opened(
                            uid,
                            T0,
                            RunOpening.of(RunKind.TASK_SET, "of-" + uid, T0, 1000)
                                    .in("nightly", "hash"))
                    .named(uid, "hash", names)
                    .joined("s1", T0)
                    .joined("s2", T0)
                    .prepared(uid, "s1", T0, tail("rsync\nsetup done\n"))
                    .passes(uid, "s1", 1, 0, 500)
                    .passes(uid, "s2", 1, 500, 400);
            for (int from = 900; from < 1000; from += 20) {
                StepRows first = new StepRows();
                StepRows second = new StepRows();
                for (int task = from; task < from + 20; task++) {
                    first.trial(failed(task, 1));
                    second.trial(task % 2 == 0 ? failed(task, 2) : TrialRow.of(task, 2, 0, TrialStatus.PASSED, 5, 70));
                }
                record.step(uid, "s1", from, T0 + from, first, "t".repeat(20));
                record.step(uid, "s2", from, T0 + from * 2L, second);
            }
            record.add(new HistoryEntry.Reaped(uid, T0 + 1, "s2", List.of(new HistoryEntry.Loss(5, 1, false))));
            if (uid.equals("again") || uid.equals("sealed") || uid.equals("gone")) {
                record.ended(uid, RunEnd.Status.FAILED, T0 + 9_000, 1000, 50, 1100);
            }
        }
        record.opened("tree", T0, RunOpening.of(RunKind.TASK, "deploy", T0, 3))
                .add(new HistoryEntry.Named(
                        "tree",
                        T0,
                        new RunNames(
                                "",
                                0,
                                List.of(),
                                List.of(
                                        new RunNames.Node(0, -1, "chain", "deploy", "", 0, 0),
                                        new RunNames.Node(1, 0, "leaf", HOSTILE, "succeeded", 0, 0)))));
        record.write();
        assertThat(new Sealing(database).seal(10)).isEqualTo(3);
        record.ended("ended", RunEnd.Status.FAILED, T0 + 9_500, 1000, 50, 1100).write();
        database.change(connection -> {
            new RecordWriter(database, java.time.Clock.systemUTC())
                    .write(connection, TEAM, List.of(ReceivedEntry.of("1-0", List.of(new byte[] {'k'}, new byte[] {
                        0, '\\', -1
                    }))));
            return 0;
        });
        long gone = Record.number(database, "SELECT id FROM runs WHERE uid = 'gone'");
        new RunRemoval(database).forget(gone, T0);
        new RunRemoval(database).remove(gone);
    }

    /** Every table but Flyway's, row by row. */
    private static Map<String, List<String>> content(Database database) throws Exception {
        Map<String, List<String>> content = new TreeMap<>();
        database.ask(connection -> {
            for (String table : List.of(
                    "classes",
                    "runs",
                    "nodes",
                    "workers",
                    "run_workers",
                    "worker_logs",
                    "passes",
                    "trials",
                    "tasks",
                    "cases",
                    "packs",
                    "names",
                    "tests",
                    "unread",
                    "removed_runs")) {
                content.put(
                        table,
                        Rows.all(connection, "SELECT * FROM " + table, RecordCopyIT::row).stream()
                                .sorted()
                                .toList());
            }
            return 0;
        });
        return content;
    }

    private static String row(ResultSet row) throws SQLException {
        Map<String, String> columns = new TreeMap<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
            columns.put(
                    row.getMetaData().getColumnName(i),
                    switch (row.getObject(i)) {
                        case null -> "null";
                        case byte[] bytes -> HexFormat.of().formatHex(bytes);
                        case Object value -> value.toString();
                    });
        }
        return columns.toString();
    }

    /** The answers of the API about every run. */
    private static List<String> answers(Database database) throws Exception {
        List<String> answers = new ArrayList<>();
        try (ApiServer server = ApiServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        database,
                        new Trusting(),
                        Trusting.NO_LIVE,
                        () -> new About("a database", Optional.empty(), Optional.empty(), Optional.empty(), true));
                Client client = new Client(server.address())) {
            JsonNode runs = client.json(200, "/v1/namespaces/{namespace}/runs", RUNS);
            assertThat(runs.get("items")).hasSize(5);
            for (JsonNode run : runs.get("items")) {
                answers.add(run.toString());
                String at = RUNS + "/" + run.get("uid").asText();
                for (String part :
                        List.of("/trials.ndjson", "/junit.xml", "/workers", "/failures", "/nodes", "/slaves")) {
                    answers.add(client.text(at + part));
                }
            }
            answers.add(client.text(RUNS + "/again/tasks/901/trials/1/stdout"));
            answers.add(client.text("/v1/namespaces/team-a/classes/nightly/tests"));
        }
        return answers;
    }

    @Test
    void aCopyAnswersAsItsSourceAndGoesOn() throws Exception {
        String name = name();
        String url = postgres.create(name);
        try (SqliteDatabase source = open(file())) {
            fill(source);
            assertThat(copy(file(), url)).as(err.toString()).isZero();
            try (PostgresDatabase target = postgres.open(name)) {
                Map<String, List<String>> content = content(source);
                assertThat(content.get("unread")).hasSize(1);
                assertThat(content.get("removed_runs")).hasSize(1);
                assertThat(content.get("tests")).isNotEmpty();
                assertThat(content(target)).isEqualTo(content);
                assertThat(answers(target)).isEqualTo(answers(source));
                content.forEach((table, rows) ->
                        assertThat(out.toString()).contains("copy: " + table + " " + rows.size() + "\n"));

                // What comes later has ids of its own, and is sealed like all else.
                long last = Record.number(source, "SELECT MAX(id) FROM runs");
                new Record(target, TEAM)
                        .opened("gone", "removed", T0, 1)
                        .opened(
                                "later",
                                T0,
                                RunOpening.of(RunKind.TASK_SET, "later", T0, 10).in("other", "hash-2"))
                        .joined("s9", T0)
                        .passes("later", "s9", 1, 0, 10)
                        .ended("later", RunEnd.Status.SUCCEEDED, T0 + 1, 10, 0, 10)
                        .write();
                assertThat(Record.number(target, "SELECT id FROM runs WHERE uid = 'later'"))
                        .isGreaterThan(last);
                assertThat(Record.texts(target, "SELECT uid FROM runs")).doesNotContain("gone");
                assertThat(new Sealing(target).seal(10)).isEqualTo(2);
            }
        }
    }

    @Test
    void aBackupIsCopiedAndNotWritten() throws Exception {
        Path backup = folder.resolve("backup.db");
        try (SqliteDatabase source = open(file())) {
            fill(source);
            assertThat(new Commands(
                                    Map.of("QUIVER_HISTORY_DATABASE", file().toString()),
                                    new PrintStream(out, true),
                                    new PrintStream(err, true))
                            .run("backup", backup.toString()))
                    .isZero();
        }
        byte[] before = Files.readAllBytes(backup);
        String name = name();
        assertThat(copy(backup, postgres.create(name))).as(err.toString()).isZero();
        assertThat(Files.readAllBytes(backup)).isEqualTo(before);
        try (PostgresDatabase target = postgres.open(name);
                SqliteDatabase source = open(file())) {
            assertThat(content(target)).isEqualTo(content(source));
        }
    }

    @Test
    void aSecondCopyAndADatabaseWithOtherRowsAreRefused() throws Exception {
        try (SqliteDatabase source = open(file())) {
            fill(source);
        }
        String name = name();
        String url = postgres.create(name);
        assertThat(copy(file(), url)).as(err.toString()).isZero();
        assertThat(copy(file(), url)).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("copy failed: the database is not empty: its table classes has rows\n");
        String other = name();
        try (PostgresDatabase target = postgres.database(other)) {
            new Record(target, TEAM).opened("mine", "mine", T0, 1).write();
            assertThat(copy(file(), url.replace(name, other))).isEqualTo(1);
            assertThat(err.toString()).contains("its table runs has rows");
            assertThat(Record.texts(target, "SELECT uid FROM runs")).containsExactly("mine");
        }
        String foreign = name();
        String foreignUrl = postgres.create(foreign);
        try (var connection = DriverManager.getConnection(foreignUrl, "quiver", "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE customers (id BIGINT)");
        }
        assertThat(copy(file(), foreignUrl)).isEqualTo(1);
        assertThat(err.toString()).contains("non-empty schema");
    }

    /** A row that PostgreSQL refuses, behind tables that it took. */
    @Test
    void aCopyThatWasCutOffLeavesNothingAndIsBegunAnew() throws Exception {
        try (SqliteDatabase source = open(file())) {
            fill(source);
            source.change(
                    connection -> Rows.change(connection, "UPDATE trials SET exit_code = 70000 WHERE task = 900"));
        }
        String name = name();
        String url = postgres.create(name);
        assertThat(copy(file(), url)).isEqualTo(1);
        assertThat(err.toString()).contains("70000").contains("trials");
        try (PostgresDatabase target = postgres.open(name);
                SqliteDatabase source = open(file())) {
            assertThat(content(target).values())
                    .allSatisfy(rows -> assertThat(rows).isEmpty());
            source.change(connection -> Rows.change(connection, "UPDATE trials SET exit_code = 7 WHERE task = 900"));
            assertThat(copy(file(), url)).as(err.toString()).isZero();
            assertThat(content(target)).isEqualTo(content(source));
        }
    }

    @Test
    void aPostgresThatEndsMeanwhileKeepsNothing() throws Exception {
        try (SqliteDatabase source = open(file())) {
            fill(source);
        }
        String name = name();
        String url = postgres.create(name);
        List<String> tables = new ArrayList<>();
        RecordCopy copy = new RecordCopy(file(), (table, rows) -> {
            tables.add(table);
            if (table.equals("passes")) {
                postgres.stop();
            }
        });
        try {
            assertThatThrownBy(() -> copy.to(url, "quiver", "")).isInstanceOf(SQLException.class);
        } finally {
            postgres.startAgain();
        }
        assertThat(tables).endsWith("passes");
        try (PostgresDatabase target = postgres.open(name)) {
            assertThat(content(target).values())
                    .allSatisfy(rows -> assertThat(rows).isEmpty());
        }
        assertThat(copy(file(), url)).as(err.toString()).isZero();
    }

    @Test
    void aFileWithDamagedPagesKeepsNothing() throws Exception {
        try (SqliteDatabase source = open(file())) {
            fill(source);
        }
        // That of a late table: what precedes it is copied, and the schema can be read, wherever it lies.
        long page;
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file())) {
            page = Rows.first(
                            connection,
                            "SELECT rootpage FROM sqlite_master WHERE name = 'trials'",
                            row -> row.getLong(1))
                    .orElseThrow();
        }
        try (RandomAccessFile bytes = new RandomAccessFile(file().toFile(), "rw")) {
            byte[] noise = new byte[8192];
            new java.util.Random(1).nextBytes(noise);
            bytes.seek((page - 1) * noise.length);
            bytes.write(noise);
        }
        String name = name();
        assertThat(copy(file(), postgres.create(name))).isEqualTo(1);
        assertThat(out.toString()).startsWith("copy: ");
        assertThat(err.toString()).contains("malformed");
        try (PostgresDatabase target = postgres.open(name)) {
            assertThat(content(target).values())
                    .allSatisfy(rows -> assertThat(rows).isEmpty());
        }
    }

    @Test
    void nulBecomesAReplacementAndANewerFileIsRefused() throws Exception {
        try (SqliteDatabase source = open(file())) {
            fill(source);
            source.change(connection ->
                    Rows.change(connection, "UPDATE runs SET message = 'a' || char(0) || 'b' WHERE uid = 'live'"));
        }
        String name = name();
        assertThat(copy(file(), postgres.create(name))).as(err.toString()).isZero();
        try (PostgresDatabase target = postgres.open(name)) {
            assertThat(Record.texts(target, "SELECT message FROM runs WHERE uid = 'live'"))
                    .containsExactly("a\ufffdb");
        }
        try (SqliteDatabase source = open(file())) {
            source.change(connection -> Rows.change(connection, "ALTER TABLE runs ADD COLUMN of_the_future TEXT"));
        }
        assertThat(copy(file(), postgres.create(name()))).isEqualTo(1);
        assertThat(err.toString()).contains("of a newer program: column of_the_future of table runs");
    }

    @Test
    void anEmptyRecordIsCopied() throws Exception {
        open(file()).close();
        String name = name();
        assertThat(copy(file(), postgres.create(name))).as(err.toString()).isZero();
        assertThat(out.toString()).endsWith("copy: 0 rows are in PostgreSQL, and were counted there\n");
        try (PostgresDatabase target = postgres.open(name)) {
            new Record(target, TEAM).opened("u1", "specs", T0, 1).write();
            assertThat(Record.number(target, "SELECT id FROM runs")).isEqualTo(1);
        }
    }

    @Test
    void aBadAddressIsNamedWithoutItsPassword() throws Exception {
        open(file()).close();
        for (String url : List.of("jdbc:sqlite:x?password=secret", "jdbc:postgresql://h:port/d?password=secret", "")) {
            assertThat(copy(file(), url)).isEqualTo(1);
            assertThat(err.toString())
                    .startsWith("copy failed: no address of a PostgreSQL database: " + url.replaceFirst("\\?.*", ""))
                    .doesNotContain("secret");
        }
        String nobody = "jdbc:postgresql://127.0.0.1:" + dev.quiver.lifecycle.redis.FreePort.next() + "/d";
        assertThat(copy(file(), nobody)).isEqualTo(1);
        assertThat(err.toString()).startsWith("copy failed: ").contains("refused");
        String url = postgres.create(name());
        assertThat(copy(file(), url + "none")).isEqualTo(1);
        assertThat(err.toString()).contains("does not exist");
        assertThat(copy(folder.resolve("none.db"), url)).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("copy failed: " + folder.resolve("none.db") + " is no file\n");
    }
}
