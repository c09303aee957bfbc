package dev.quiver.history.persist;

import static dev.quiver.history.rig.Record.T0;
import static dev.quiver.history.rig.Record.number;
import static dev.quiver.history.rig.Record.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.PostgresProcess;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Streams;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.PostgresDatabase;
import dev.quiver.history.store.RecordWriter;
import dev.quiver.history.store.Retention;
import dev.quiver.history.store.RetentionPolicy;
import dev.quiver.history.store.Sealing;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.history.EntryFields;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RandomEntries;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.Shortage;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.history.stream.HistoryBacklog;
import dev.quiver.lifecycle.history.stream.HistoryStream;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;

/** The loop between a real Redis and real databases, and what becomes of it when something fails. */
class PersisterIT {

    private static final Keyspace TEAM = Keyspace.ofNamespace("team-a");
    private static final Keyspace OTHER = Keyspace.ofNamespace("team-b");
    private static final String PASSED = "SELECT COALESCE(SUM(n), 0) FROM passes";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @TempDir
    private Path folder;

    @BeforeEach
    void empty() {
        REDIS.store().ask(redis -> redis.flushall());
    }

    private Path file() {
        return folder.resolve("record.db");
    }

    private SqliteDatabase sqlite() throws Exception {
        return SqliteDatabase.open(SqliteSettings.of(file()).waiting(200));
    }

    private static Persister persister(Database database, Keyspace... keyspaces) {
        Collection<Keyspace> all = List.of(keyspaces);
        Retention retention = new Retention(
                database,
                namespace -> RetentionPolicy.DEFAULT,
                Long.MAX_VALUE,
                Clock.fixed(java.time.Instant.ofEpochMilli(T0), java.time.ZoneOffset.UTC));
        return new Persister(
                () -> all,
                keyspace -> new HistoryStream(REDIS.store(), keyspace),
                database,
                new Sealing(database),
                retention,
                Clock.systemUTC());
    }

    private static void append(Keyspace keyspace, Record record) {
        record.entries().forEach(entry -> Streams.append(REDIS.store(), keyspace, entry));
    }

    private static Record run(String uid, long tasks) {
        return new Record(null, TEAM)
                .opened(uid, "specs", T0, tasks)
                .joined("s1", T0)
                .passes(uid, "s1", 1, 0, tasks);
    }

    private static long waiting(Keyspace keyspace) {
        return Streams.length(REDIS.store(), keyspace);
    }

    private static StepRows failing(long task, String message) {
        return new StepRows()
                .trial(TrialRow.of(task, 1, 0, TrialStatus.FAILED, 0, 10)
                        .because(Optional.of(1), Optional.empty(), "NonZeroExit", message));
    }

    @Test
    void entriesOfAllKeyspacesBecomeTheRecordAndAreTrimmed() throws Exception {
        append(TEAM, run("u1", 64_000).ended("u1", RunEnd.Status.SUCCEEDED, T0, 64_000, 0, 64_000));
        append(OTHER, run("u1", 640));
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM, OTHER)) {
            assertThat(persister.round()).isFalse();
            assertThat(waiting(TEAM) + waiting(OTHER)).isZero();
            assertThat(number(database, PASSED)).isEqualTo(64_640);
            assertThat(number(database, "SELECT COUNT(*) FROM runs WHERE sealed = 1"))
                    .isEqualTo(1);
            assertThat(persister.status().entries()).isEqualTo(1003 + 12);
            assertThat(persister.status().ready()).isTrue();
        }
    }

    @Test
    void aShortageOfRoomIsNotedInEachKeyspaceAndToldOnce() throws Exception {
        try (Database database = sqlite();
                Persister persister = persister(database, TEAM, OTHER)) {
            List<String> told = new ArrayList<>();
            Shortage few = new Shortage(8L << 30, 5L << 20);
            persister.watchRoom(() -> Optional.of(few), told::add);
            persister.round();
            persister.round();
            assertThat(told).containsExactly("the record may take 8192 MiB, and its volume has room for 5 MiB");
            for (Keyspace keyspace : List.of(TEAM, OTHER)) {
                assertThat(HistoryBacklog.of(REDIS.store(), keyspace).shortage())
                        .contains(few);
            }
        }
        try (Database database = sqlite();
                Persister persister = persister(database, TEAM)) {
            persister.round();
            assertThat(HistoryBacklog.of(REDIS.store(), TEAM).shortage()).isEmpty();
        }
    }

    @Test
    void aDeletedResourcesRecordIsGoneWithTheRoundThatHearsOfIt() throws Exception {
        Record run = new Record(null, TEAM)
                .opened("u1", T0, Record.forgetting("gone", Optional.empty(), "h1"))
                .named("u1", "h1", List.of("a"))
                .passes("u1", "s1", 1, 0, 64)
                .ended("u1", RunEnd.Status.SUCCEEDED, T0, 64, 0, 64);
        append(TEAM, run);
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM)) {
            persister.round();
            assertThat(number(database, "SELECT COUNT(*) FROM names")).isEqualTo(1);
            append(TEAM, new Record(null, TEAM).deleted("u1", T0));
            persister.round();
            for (String table : List.of("runs", "passes", "names", "run_workers")) {
                assertThat(number(database, "SELECT COUNT(*) FROM " + table))
                        .as(table)
                        .isZero();
            }
        }
    }

    @Test
    void manySmallRunsAreSealedAsSoonAsTheyEnd() throws Exception {
        for (int run = 0; run < 50; run++) {
            append(TEAM, run("u" + run, 1).ended("u" + run, RunEnd.Status.SUCCEEDED, T0, 1, 0, 1));
        }
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM)) {
            while (persister.round()) {
                // The loop goes round at once: there is more to seal.
            }
            assertThat(number(database, "SELECT COUNT(*) FROM runs WHERE sealed = 1"))
                    .isEqualTo(50);
        }
    }

    @Test
    void aTenantThatFloodsItsStreamKeepsNoOtherOneWaiting() throws Exception {
        append(TEAM, run("u1", 64 * 2500));
        append(OTHER, run("u1", 640));
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM, OTHER)) {
            assertThat(persister.round()).isTrue();
            assertThat(waiting(OTHER)).isZero();
            assertThat(waiting(TEAM)).isPositive();
            assertThat(persister.round()).isFalse();
            assertThat(waiting(TEAM)).isZero();
        }
    }

    @Test
    void whatWasCommittedAndNotTrimmedCountsOnce() throws Exception {
        append(TEAM, run("u1", 6_400).step("u1", "s1", 999, T0, failing(7000, "x")));
        HistoryStream stream = new HistoryStream(REDIS.store(), TEAM);
        try (SqliteDatabase database = sqlite()) {
            HistoryStream.Page page = stream.read(Persister.PAGE);
            new EntryBatch(database, new RecordWriter(database, Clock.systemUTC()))
                    .write(TEAM, EntryBatch.received(page));
            // Here it is killed.
        }
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM)) {
            persister.round();
            assertThat(waiting(TEAM)).isZero();
            assertThat(number(database, PASSED)).isEqualTo(6_400);
            assertThat(number(database, "SELECT COUNT(*) FROM trials")).isEqualTo(1);
        }
    }

    /** A process of its own, to be killed: redis URI, file. */
    static final class Alone {

        private Alone() {}

        public static void main(String[] args) throws Exception {
            try (RedisStore store = RedisStore.open(RedisEndpoint.standalone(args[0]), "persister");
                    SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(Path.of(args[1])))) {
                Retention retention = new Retention(
                        database, namespace -> RetentionPolicy.DEFAULT, Long.MAX_VALUE, Clock.systemUTC());
                new Persister(
                                () -> List.of(TEAM),
                                keyspace -> new HistoryStream(store, keyspace),
                                database,
                                new Sealing(database),
                                retention,
                                Clock.systemUTC())
                        .run();
            }
        }
    }

    @Test
    void killedAnywhereInItsLoopItLosesAndDoublesNothing() throws Exception {
        Record all = run("u1", 64 * 6_000);
        append(TEAM, all);
        Random random = new Random(14);
        int kills = 0;
        while (waiting(TEAM) > 1_500) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            Alone.class.getName(),
                            REDIS.process().uri(),
                            file().toString())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
            try {
                long before = waiting(TEAM);
                long until = Math.max(0, before - 1 - random.nextInt(1_500));
                Awaitility.await()
                        .pollInterval(java.time.Duration.ofMillis(1))
                        .until(() -> waiting(TEAM) <= until || !process.isAlive());
                assertThat(process.isAlive()).as("it lives until it is killed").isTrue();
            } finally {
                process.destroyForcibly().waitFor();
            }
            kills++;
        }
        assertThat(kills).isGreaterThan(1);
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM)) {
            while (persister.round()) {
                assertThat(persister.status().ready()).isTrue();
            }
            assertThat(number(database, PASSED)).isEqualTo(64 * 6_000);
            assertThat(number(database, "SELECT COUNT(*) FROM passes")).isEqualTo(6_000);
        }
    }

    @Test
    void nothingIsTrimmedWhileTheDatabaseIsLocked() throws Exception {
        append(TEAM, run("u1", 6_400));
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM);
                Connection holder = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement lock = holder.createStatement()) {
            lock.execute("BEGIN IMMEDIATE");
            persister.round();
            assertThat(waiting(TEAM)).isEqualTo(102);
            assertThat(persister.status().database().orElseThrow()).contains("SQLite (away)");
            lock.execute("ROLLBACK");
            Awaitility.await().until(() -> {
                persister.round();
                return waiting(TEAM) == 0;
            });
            assertThat(number(database, PASSED)).isEqualTo(6_400);
            assertThat(persister.status().ready()).isTrue();
        }
    }

    @Test
    void goesOnWhenPostgresqlIsBack() throws Exception {
        try (PostgresProcess postgres = PostgresProcess.start();
                PostgresDatabase database = postgres.database("restarted");
                Persister persister = persister(database, TEAM)) {
            append(TEAM, run("u1", 640));
            persister.round();
            assertThat(waiting(TEAM)).isZero();
            postgres.stop();
            append(TEAM, run("u2", 640));
            persister.round();
            assertThat(waiting(TEAM)).isEqualTo(12);
            assertThat(persister.status().ready()).isFalse();
            postgres.startAgain();
            Awaitility.await().until(() -> {
                persister.round();
                return waiting(TEAM) == 0;
            });
            assertThat(number(database, PASSED)).isEqualTo(1_280);
        }
    }

    private static void execute(Database database, String... statements) throws Exception {
        database.change(connection -> {
            try (Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            }
            return 0;
        });
    }

    private static void emptied(Persister persister) {
        Awaitility.await().atMost(java.time.Duration.ofMinutes(1)).until(() -> {
            persister.round();
            return waiting(TEAM) == 0;
        });
    }

    /** The reason of a full disk comes from a trigger, while a table has a row. */
    @Test
    void aFullPostgresqlGivesOldRunsAndTrimsNothingBefore() throws Exception {
        try (PostgresProcess postgres = PostgresProcess.start();
                PostgresDatabase database = postgres.database("disk");
                Persister persister = persister(database, TEAM)) {
            append(TEAM, run("old", 640).ended("old", RunEnd.Status.SUCCEEDED, T0, 640, 0, 640));
            emptied(persister);
            execute(
                    database,
                    "CREATE TABLE no_room AS SELECT 1 AS n",
                    "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                            + " IF (SELECT COUNT(*) FROM no_room) > 0 THEN"
                            + " RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END IF;"
                            + " RETURN NEW; END $$",
                    "INSERT INTO runs (keyspace, uid, kind, namespace, name, created_at) VALUES"
                            + " ('k', 'hostage', 'TaskSet', 'team-b', 'open', 1)",
                    "CREATE TRIGGER full_disk BEFORE INSERT ON passes FOR EACH ROW EXECUTE FUNCTION full_disk()");
            append(TEAM, run("new", 640));
            persister.round();
            assertThat(texts(database, "SELECT uid FROM runs"))
                    .as("ended ones go first")
                    .containsExactly("hostage");
            // The output of an open one, the open one, and then there is nothing left to give.
            for (int round = 0; round < 3; round++) {
                persister.round();
            }
            assertThat(texts(database, "SELECT uid FROM runs")).isEmpty();
            assertThat(persister.status().database().orElseThrow()).contains("PostgreSQL (full)", "no space left");
            assertThat(waiting(TEAM)).isEqualTo(12);
            execute(database, "DELETE FROM no_room");
            emptied(persister);
            assertThat(number(database, PASSED)).isEqualTo(640);
            assertThat(persister.status().ready()).isTrue();
        }
    }

    @Test
    void aSlowPostgresqlIsAwaitedAndTrimsNothingBefore() throws Exception {
        try (PostgresProcess postgres = PostgresProcess.start();
                PostgresDatabase database = postgres.database("locked");
                Persister persister = persister(database, TEAM);
                Connection holder = database.writer();
                Statement lock = holder.createStatement()) {
            append(TEAM, run("u1", 640));
            lock.execute("LOCK TABLE passes IN ACCESS EXCLUSIVE MODE");
            Thread round = Thread.ofPlatform().start(persister::round);
            Awaitility.await().until(() -> number(database, "SELECT COUNT(*) FROM pg_locks WHERE NOT granted") > 0);
            assertThat(round.join(java.time.Duration.ofSeconds(2))).isFalse();
            assertThat(waiting(TEAM)).isEqualTo(12);
            assertThat(number(database, "SELECT COUNT(*) FROM runs")).isZero();
            holder.rollback();
            assertThat(round.join(java.time.Duration.ofMinutes(1))).isTrue();
            emptied(persister);
            assertThat(number(database, PASSED)).isEqualTo(640);
        }
    }

    @Test
    void aTransactionThatPostgresqlsEndCutsOffComesAgainAndCountsOnce() throws Exception {
        try (PostgresProcess postgres = PostgresProcess.start();
                PostgresDatabase database = postgres.database("cut");
                Persister persister = persister(database, TEAM)) {
            append(TEAM, run("u1", 640));
            Connection holder = database.writer();
            holder.createStatement().execute("LOCK TABLE passes IN ACCESS EXCLUSIVE MODE");
            Thread round = Thread.ofPlatform().start(persister::round);
            Awaitility.await().until(() -> number(database, "SELECT COUNT(*) FROM pg_locks WHERE NOT granted") > 0);
            postgres.stop();
            database.discard(holder);
            assertThat(round.join(java.time.Duration.ofMinutes(1))).isTrue();
            assertThat(waiting(TEAM)).isEqualTo(12);
            assertThat(persister.status().database().orElseThrow()).contains("PostgreSQL (away)");
            postgres.startAgain();
            emptied(persister);
            assertThat(number(database, PASSED)).isEqualTo(640);
            assertThat(number(database, "SELECT COUNT(*) FROM runs")).isEqualTo(1);
        }
    }

    @Test
    void forgedEntriesGoToTheUnreadOnesAndTheStreamGoesOn() throws Exception {
        RandomEntries random = new RandomEntries(5);
        for (int i = 0; i < 300; i++) {
            List<byte[]> fields = new ArrayList<>(EntryFields.of(random.entry()));
            fields.set(5, random.bytes(200));
            Streams.append(REDIS.store(), TEAM, fields);
        }
        REDIS.store().ask(redis -> redis.xadd(TEAM.history(), "k", "t", "r", "x".repeat(400_000)));
        REDIS.store().ask(redis -> redis.xadd(TEAM.history(), "k", "y", "u", "u1", "t", "5"));
        append(TEAM, run("u1", 640));
        Streams.append(
                REDIS.store(),
                TEAM,
                new HistoryEntry.Step(
                        "u1",
                        T0,
                        HistoryEntry.Source.SET,
                        "s1",
                        77,
                        "cccc",
                        new StepRows().pass(1, 1, 1, 1).encode()));
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM)) {
            persister.round();
            assertThat(waiting(TEAM)).isZero();
            assertThat(number(database, "SELECT COUNT(*) FROM unread"))
                    .isEqualTo(persister.status().unread())
                    .isGreaterThan(50);
            assertThat(texts(database, "SELECT error FROM unread"))
                    .contains(
                            "newer: no entry is of kind y",
                            "malformed: an entry of 400003 bytes",
                            "malformed: 1 rows and 4 verdicts");
            assertThat(number(
                            database,
                            "SELECT SUM(n) FROM passes JOIN runs ON runs.id = run_id WHERE uid = 'u1'"
                                    + " AND worker_id = (SELECT id FROM workers WHERE session = 's1')"))
                    .isEqualTo(640);
        }
    }

    @Test
    void trialsWithoutARecordAreCountedAndNoTenantsNumberIsBelieved() throws Exception {
        for (long lost : new long[] {3, -9, 5_000_000_000L, Long.MAX_VALUE}) {
            Streams.append(REDIS.store(), TEAM, ended("u" + lost, lost));
        }
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM)) {
            persister.round();
            assertThat(persister.status().notRecorded()).isEqualTo(1_000_000_003L);
        }
    }

    private static HistoryEntry.Ended ended(String uid, long notRecorded) {
        return new HistoryEntry.Ended(
                uid,
                T0,
                new RunEnd(
                        RunEnd.Status.SUCCEEDED,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        5,
                        5,
                        0,
                        0,
                        5,
                        0,
                        1,
                        notRecorded));
    }

    @Test
    void anEntryThatTheDatabaseRefusesIsFoundByHalving() throws Exception {
        Record record = run("u1", 6_400);
        for (int i = 0; i < 100; i++) {
            record.step("u1", "s1", 1000 + i, T0, failing(7000 + i, i % 40 == 7 ? "refuse me" : "fine"));
        }
        append(TEAM, record);
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM)) {
            database.change(connection -> {
                try (Statement statement = connection.createStatement()) {
                    return statement.executeUpdate("CREATE TRIGGER refuse BEFORE INSERT ON trials WHEN NEW.message ="
                            + " 'refuse me' BEGIN SELECT RAISE(ABORT, 'refused by the test'); END");
                }
            });
            persister.round();
            assertThat(waiting(TEAM)).isZero();
            assertThat(number(database, PASSED)).isEqualTo(6_400);
            assertThat(number(database, "SELECT COUNT(*) FROM trials")).isEqualTo(97);
            assertThat(texts(database, "SELECT error FROM unread"))
                    .hasSize(3)
                    .allSatisfy(
                            error -> assertThat(error).startsWith("refused: ").contains("refused by the test"));
        }
    }

    @Test
    void aKeyspaceThatCannotBeReadKeepsNoOtherOneBack() throws Exception {
        REDIS.store().ask(redis -> redis.set(TEAM.history(), "a tenant's joke"));
        append(OTHER, run("u1", 640));
        try (SqliteDatabase database = sqlite();
                Persister persister = persister(database, TEAM, OTHER)) {
            persister.round();
            assertThat(number(database, PASSED)).isEqualTo(640);
            assertThat(persister.status().keyspaces()).containsOnlyKeys(TEAM.prefix());
            assertThat(persister.status().ready()).isTrue();
        }
    }

    @Test
    void aFullFileTakesNewRunsInsteadOfOldOnes() throws Exception {
        try (SqliteDatabase database =
                        SqliteDatabase.open(SqliteSettings.of(file()).atMost(2_000_000));
                Persister persister = persister(database, TEAM)) {
            for (int i = 0; i < 12; i++) {
                append(TEAM, run("u" + i, 64_000).ended("u" + i, RunEnd.Status.SUCCEEDED, T0 + i, 64_000, 0, 64_000));
                Awaitility.await().until(() -> {
                    persister.round();
                    return waiting(TEAM) == 0;
                });
            }
            assertThat(texts(database, "SELECT uid FROM runs")).contains("u11").doesNotContain("u0");
        }
    }
}
