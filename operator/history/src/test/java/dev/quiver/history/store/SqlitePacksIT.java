package dev.quiver.history.store;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Record;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Packs in a SQLite file. */
class SqlitePacksIT extends PacksContract {

    @TempDir
    private Path folder;

    @Override
    Database open() throws Exception {
        return SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
    }

    @Test
    void packsStopAtFourFifthsOfTheFileAndLeaveTheRestToRows() throws Exception {
        SqliteSettings small = SqliteSettings.of(folder.resolve("small.db")).atMost(4_000_000);
        Keyspace team = Keyspace.ofNamespace("team-a");
        byte[] noise = new byte[100_000];
        new Random(14).nextBytes(noise);
        List<PackBody.Member> members =
                PackBody.read(new PackBody().add(ResultFormat.BYTES, noise).encode());
        try (SqliteDatabase database = SqliteDatabase.open(small)) {
            Record record =
                    new Record(database, team).opened("u1", "specs", T0, 10).write();
            Packs packs = new Packs(database, Long.MAX_VALUE, Clock.systemUTC());
            List<Packs.Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                outcomes.add(packs.store(team, "u1", "s1", i, members));
            }
            assertThat(outcomes).startsWith(Packs.Outcome.STORED).endsWith(Packs.Outcome.FULL);
            record.passes("u1", "s1", 1, 0, 6_400).write();
        }
    }
}
