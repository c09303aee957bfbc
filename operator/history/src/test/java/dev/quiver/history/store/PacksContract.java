package dev.quiver.history.store;

import static dev.quiver.history.rig.Record.T0;
import static dev.quiver.history.rig.Record.number;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.history.rig.Record;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The behaviour of every database with packs. */
abstract class PacksContract {

    private static final Keyspace TEAM = Keyspace.ofNamespace("team-a");

    private Database database;
    private Record record;
    private Packs packs;

    abstract Database open() throws Exception;

    @BeforeEach
    void begin() throws Exception {
        database = open();
        packs = new Packs(database, Long.MAX_VALUE, Clock.systemUTC());
        record = new Record(database, TEAM);
        record.opened("u1", "specs", T0, 10).opened("u2", "other", T0, 10).write();
    }

    @AfterEach
    void end() {
        if (database != null) {
            database.close();
        }
    }

    private static List<PackBody.Member> members(String... texts) throws Exception {
        PackBody body = new PackBody();
        for (String text : texts) {
            body.add(ResultFormat.JSON, text.getBytes(StandardCharsets.UTF_8));
        }
        return PackBody.read(body.encode());
    }

    private long run(String uid) throws Exception {
        return number(database, "SELECT id FROM runs WHERE uid = ? AND keyspace = ?", uid, TEAM.prefix());
    }

    private Optional<String> member(String uid, String pack, long at) throws Exception {
        Optional<PackBody.Member> found =
                database.ask(connection -> Packs.member(connection, run(connection, uid), pack, at));
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(new String(found.get().bytes(), StandardCharsets.UTF_8));
    }

    private static long run(java.sql.Connection connection, String uid) throws java.sql.SQLException {
        return Rows.first(connection, "SELECT id FROM runs WHERE uid = ?", row -> row.getLong(1), uid)
                .orElse(-1L);
    }

    @Test
    void aMemberIsFoundByThePlaceOfItsRow() throws Exception {
        assertThat(packs.store(TEAM, "u1", "s1", 7, members("[1]", "[2,2]", "[3]")))
                .isEqualTo(Packs.Outcome.STORED);
        assertThat(member("u1", "s1/7", 0)).contains("[1]");
        assertThat(member("u1", "s1/7", 3)).contains("[2,2]");
        assertThat(member("u1", "s1/7", 8)).contains("[3]");
        assertThat(member("u1", "s1/7", 4)).isEmpty();
        assertThat(member("u1", "s1/8", 0)).isEmpty();
        assertThat(member("u2", "s1/7", 0)).as("a row of another run names it").isEmpty();
    }

    @Test
    void aRepeatChangesNothing() throws Exception {
        packs.store(TEAM, "u1", "s1", 7, members("[1]"));
        long bytes = number(database, "SELECT bytes FROM runs WHERE uid = 'u1'");
        assertThat(bytes).isPositive();
        assertThat(packs.store(TEAM, "u1", "s1", 7, members("[9]"))).isEqualTo(Packs.Outcome.STORED);
        assertThat(member("u1", "s1/7", 0)).contains("[1]");
        assertThat(number(database, "SELECT bytes FROM runs WHERE uid = 'u1'")).isEqualTo(bytes);
        assertThat(packs.store(TEAM, "u2", "s1", 7, members("[9]"))).isEqualTo(Packs.Outcome.TAKEN);
    }

    @Test
    void aPackOfAnotherKeyspaceIsAnotherOne() throws Exception {
        Keyspace other = Keyspace.of("team-a", "nightly");
        assertThat(packs.store(other, "u1", "s1", 7, members("[1]"))).isEqualTo(Packs.Outcome.UNKNOWN_RUN);
        new Record(database, other).opened("u1", "specs", T0, 10).write();
        assertThat(packs.store(other, "u1", "s1", 7, members("[1]"))).isEqualTo(Packs.Outcome.STORED);
        assertThat(packs.store(TEAM, "u1", "s1", 7, members("[2]"))).isEqualTo(Packs.Outcome.STORED);
        assertThat(number(database, "SELECT COUNT(*) FROM packs")).isEqualTo(2);
    }

    @Test
    void aRunThatIsNotKnownYetIsWaitedForAndARemovedOneIsNot() throws Exception {
        assertThat(packs.store(TEAM, "u3", "s1", 1, members("[1]"))).isEqualTo(Packs.Outcome.UNKNOWN_RUN);
        new RunRemoval(database).removeOutput(run("u2"));
        assertThat(packs.store(TEAM, "u2", "s1", 2, members("[1]"))).isEqualTo(Packs.Outcome.GONE);
        new RunRemoval(database).forget(run("u1"), T0);
        assertThat(packs.store(TEAM, "u1", "s1", 3, members("[1]"))).isEqualTo(Packs.Outcome.GONE);
        assertThat(number(database, "SELECT COUNT(*) FROM packs")).isZero();
    }

    @Test
    void packsGoWithTheirRunAndWithItsOutput() throws Exception {
        for (int i = 0; i < 40; i++) {
            packs.store(TEAM, i % 2 == 0 ? "u1" : "u2", "s1", i, members("[1]", "[2]"));
        }
        new RunRemoval(database).forget(run("u1"), T0);
        assertThat(number(database, "SELECT COUNT(*) FROM packs")).isEqualTo(20);
        assertThat(number(database, "SELECT COUNT(*) FROM pack_members")).isEqualTo(40);
        new RunRemoval(database).removeOutput(run("u2"));
        assertThat(number(database, "SELECT COUNT(*) FROM packs")).isZero();
        assertThat(number(database, "SELECT COUNT(*) FROM pack_members")).isZero();
    }

    @Test
    void bytesOfPacksCountForRetentionBehindTheSeal() throws Exception {
        String noise = new java.util.Random(1)
                .ints(100_000, ' ', '~')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        packs.store(TEAM, "u1", "s1", 1, members(noise));
        record.passes("u1", "s1", 1, 0, 10)
                .ended("u1", RunEnd.Status.SUCCEEDED, T0 + 9, 10, 0, 10)
                .write();
        new Sealing(database).seal(1_000);
        assertThat(number(database, "SELECT sealed FROM runs WHERE uid = 'u1'")).isEqualTo(1);
        assertThat(number(database, "SELECT bytes FROM runs WHERE uid = 'u1'")).isGreaterThan(80_000);
    }

    @Test
    void packsStopAtFourFifthsOfTheRecordsBytes() throws Exception {
        Packs bounded = new Packs(database, 1_000, Clock.systemUTC());
        assertThat(bounded.store(TEAM, "u1", "s1", 1, members("[1]"))).isEqualTo(Packs.Outcome.STORED);
        database.change(connection -> Rows.change(connection, "UPDATE runs SET bytes = 800 WHERE uid = 'u2'"));
        assertThat(bounded.store(TEAM, "u1", "s1", 2, members("[1]"))).isEqualTo(Packs.Outcome.FULL);
        assertThat(Record.texts(database, "SELECT packs_refused FROM runs WHERE uid = 'u1'"))
                .containsExactly(bounded.fullness());
        assertThat(bounded.fullness()).startsWith("the record uses 0 MiB of 0 MiB that it may take");
        assertThat(bounded.store(TEAM, "u1", "s1", 1, members("[1]")))
                .as("a repeat")
                .isEqualTo(Packs.Outcome.STORED);
    }

    @Test
    void aNamespaceThatFillsTheRoomKeepsNobodyElseOut() throws Exception {
        Packs bounded = new Packs(database, 100_000, Clock.systemUTC());
        int first = fill(bounded, TEAM);
        Keyspace second = Keyspace.ofNamespace("team-b");
        Keyspace third = Keyspace.ofNamespace("team-c");
        for (Keyspace other : List.of(second, third)) {
            new Record(database, other).opened("u1", "specs", T0, 10).write();
        }
        assertThat(fill(bounded, second))
                .as("four fifths of what the first left")
                .isBetween(first / 8, first / 4);
        assertThat(fill(bounded, third)).as("and of what the second left").isBetween(first / 40, first / 12);
        assertThat(bounded.store(TEAM, "u2", "s1", 10_000, members("[1]")))
                .as("another run of the first")
                .isEqualTo(Packs.Outcome.FULL);
    }

    /** Stores packs of a namespace until it gets no more. */
    private static int fill(Packs packs, Keyspace keyspace) throws Exception {
        List<PackBody.Member> members = members("[1]");
        for (int i = 0; ; i++) {
            Packs.Outcome outcome = packs.store(keyspace, "u1", "s1", i, members);
            if (outcome != Packs.Outcome.STORED) {
                assertThat(outcome).isEqualTo(Packs.Outcome.FULL);
                return i;
            }
        }
    }

    @Test
    void aRunHasSoManyPacksAtMost() throws Exception {
        database.change(connection -> {
            for (long i = 0; i < Packs.MOST_OF_RUN; i++) {
                Rows.change(
                        connection,
                        "INSERT INTO packs (id, run_id, worker_id, bytes, stored_at) VALUES (?, ?, 1, 1, 1)",
                        "forged/" + i,
                        run(connection, "u1"));
            }
            return 0;
        });
        assertThat(packs.store(TEAM, "u1", "s1", 1, members("[1]"))).isEqualTo(Packs.Outcome.TOO_MANY);
        assertThat(packs.store(TEAM, "u2", "s1", 1, members("[1]"))).isEqualTo(Packs.Outcome.STORED);
    }
}
