package dev.quiver.history.persist;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Record;
import dev.quiver.history.store.Sealing;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Runs that Redis forgot, with a clock that is set. */
class LostRunsIT {

    @TempDir
    private Path folder;

    private final Map<String, Optional<Boolean>> redis = new ConcurrentHashMap<>();
    private Instant now = Instant.ofEpochMilli(T0);
    private SqliteDatabase database;
    private Record record;
    private LostRuns lost;

    @BeforeEach
    void begin() throws Exception {
        database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
        record = new Record(database, Keyspace.ofNamespace("team-a"));
        lost = new LostRuns(database, (keyspace, uid, kind) -> redis.getOrDefault(uid, Optional.of(false)), () -> now);
    }

    @AfterEach
    void end() {
        lost.close();
        database.close();
    }

    private int after(Duration time) throws Exception {
        now = now.plus(time);
        return lost.look();
    }

    private List<String> lostRuns() throws Exception {
        return Record.texts(database, "SELECT uid FROM runs WHERE status = 'lost' ORDER BY uid");
    }

    @Test
    void aRunIsClosedOnceRedisHasHadNothingOfItForAnHour() throws Exception {
        record.opened("gone", "a", T0, 3)
                .opened("there", "b", T0, 3)
                .opened("away", "c", T0, 3)
                .opened("hour", T0, RunOpening.of(RunKind.QUEUE, "d", T0, 3))
                .opened("over", "e", T0, 3)
                .ended("over", RunEnd.Status.SUCCEEDED, T0 + 1, 3, 0, 3)
                .write();
        redis.put("there", Optional.of(true));
        redis.put("away", Optional.empty());
        assertThat(after(Duration.ZERO)).isZero();
        assertThat(after(Duration.ofMinutes(59))).isZero();
        assertThat(lostRuns()).isEmpty();
        assertThat(after(Duration.ofMinutes(1))).isEqualTo(1);
        assertThat(lostRuns()).containsExactly("gone");
        assertThat(Record.texts(database, "SELECT reason FROM runs WHERE uid = 'gone'"))
                .containsExactly("RunGone");
        assertThat(after(Duration.ofHours(2))).isZero();
        assertThat(lostRuns()).containsExactly("gone");
    }

    @Test
    void aRunThatIsThereAgainOrUnknownMeanwhileHasItsHourAnew() throws Exception {
        record.opened("u1", "a", T0, 3).opened("u2", "a", T0, 3).write();
        after(Duration.ZERO);
        redis.put("u1", Optional.of(true));
        redis.put("u2", Optional.empty());
        after(Duration.ofMinutes(30));
        redis.clear();
        assertThat(after(Duration.ofMinutes(31))).isZero();
        assertThat(after(Duration.ofMinutes(60))).isEqualTo(2);
    }

    @Test
    void anEndThatComesLaterCountsAndALostRunIsSealedAsAny() throws Exception {
        record.opened("u1", "a", T0, 64).passes("u1", "s1", 1, 0, 64).write();
        after(Duration.ZERO);
        after(Duration.ofHours(1));
        assertThat(new Sealing(database).seal(4)).isEqualTo(1);
        record.ended("u1", RunEnd.Status.SUCCEEDED, T0 + 9, 64, 0, 64).write();
        assertThat(Record.texts(database, "SELECT status FROM runs")).containsExactly("succeeded");
    }
}
