package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.store.Packs;
import dev.quiver.history.store.ReceivedEntry;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.EntryFields;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Patience;
import dev.quiver.supervisor.packs.HistoryAddress;
import dev.quiver.supervisor.packs.HistoryDoor;
import dev.quiver.supervisor.packs.PackDoor;

/**
 * Large results from a real slot through the supervisor's process to the intake of history, over TLS. How history tells
 * tokens apart is tried beside it, against a real API server.
 */
class PacksIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final RunOpening RUN = RunOpening.of(RunKind.TASK_SET, "set", 1, 1);

    @TempDir
    private Path folder;

    private PoolFixture pool;
    private WorkerPod pod;
    private PackHistory history;

    @BeforeEach
    void open() throws Exception {
        AgentProcess.assumeBuilt();
        pool = new PoolFixture(REDIS.endpoint());
        pool.lifecycle().health(pool.keyspace(), 1).recording(1 << 26).beat();
        history = new PackHistory(folder, pool.keyspace());
        pod = history.knownTo(WorkerPod.of("a", pool, REDIS.endpoint(), 2, Patience.LIMIT.multipliedBy(2))
                .writing(1 << 20));
    }

    @AfterEach
    void close() throws Exception {
        if (pod != null) {
            pod.close();
        }
        if (history != null) {
            history.close();
            pool.close();
        }
    }

    /** As the persister does it when the run's opening is read. */
    private void persistOpening() throws Exception {
        List<ReceivedEntry> opened =
                List.of(ReceivedEntry.of("1-1", EntryFields.of(new HistoryEntry.Opened("set", 1, RUN))));
        history.persist(opened);
    }

    private TrialRow row(Recording.Results which, String script) {
        Recording how = new Recording(Recording.Keep.ALL, Recording.Output.NONE, which, false);
        ExecutionSpec spec = new ExecutionSpec(
                        "set",
                        List.of("/bin/sh", "-c", script),
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        new ExecutionSpec.TaskSource.Count(1))
                .recorded(Optional.of(how));
        pool.control()
                .open(TaskSetOpening.of("set", PoolFixture.POOL, spec, PoolFixture.trials(1))
                        .recorded(Optional.of(new RunRecord(RUN, false))));
        pod.start();
        await().until(() -> pool.snapshot("set").status().isFinal());
        return RecordedEntries.of(pool.store(), pool.keyspace())
                .rows()
                .getFirst()
                .trial();
    }

    private Optional<PackBody.Member> member(PackPlace place) throws Exception {
        return history.database().ask(connection -> {
            long run = Rows.first(connection, "SELECT id FROM runs WHERE uid = 'set'", found -> found.getLong(1))
                    .orElse(0L);
            return Packs.member(connection, run, place.pack(), place.offset());
        });
    }

    @Test
    void aLargeResultReachesHistoryAtThePlaceThatItsRowNames() throws Exception {
        persistOpening();
        TrialRow row =
                row(Recording.Results.JSON, "(printf '['; seq -s, 1 20000 | tr -d '\\n'; printf ']') > $QUIVER_OUTPUT");
        PackPlace place = row.pack().orElseThrow();
        assertThat(row.result()).isEmpty();
        assertThat(row.resultBytes()).isEqualTo(place.length()).isGreaterThan(100_000);
        await().atMost(Patience.LIMIT).until(() -> member(place).isPresent());
        PackBody.Member member = member(place).orElseThrow();
        assertThat(member.format()).isEqualTo(ResultFormat.JSON);
        assertThat(new String(member.bytes(), StandardCharsets.UTF_8))
                .startsWith("[1,2,3,")
                .endsWith(",20000]");
        assertThat(pod.get("/metrics")).contains("quiver_supervisor_packs_stored_total 1.0");
    }

    @Test
    void aPackWaitsForHistoryAndForItsRun() throws Exception {
        history.away();
        TrialRow row = row(Recording.Results.ALL, "head -c 200000 /dev/zero > $QUIVER_OUTPUT");
        PackPlace place = row.pack().orElseThrow();
        history.back();
        await().during(Duration.ofSeconds(1)).until(() -> member(place).isEmpty());
        persistOpening();
        await().atMost(Duration.ofMinutes(1)).until(() -> member(place).isPresent());
        assertThat(member(place).orElseThrow().bytes()).isEqualTo(new byte[200_000]);
    }

    @Test
    void theEndOfThePodSendsWhatIsOpen() throws Exception {
        persistOpening();
        PackPlace place = row(Recording.Results.ALL, "head -c 5000 /dev/zero > $QUIVER_OUTPUT")
                .pack()
                .orElseThrow();
        pod.supervisor().signal("TERM");
        await().atMost(Patience.LIMIT).until(() -> member(place).isPresent());
    }

    @Test
    void aRenewedCertificateIsTrustedAsSoonAsItsFileIsThere() throws Exception {
        persistOpening();
        Path trusted = Files.copy(folder.resolve("tls.crt"), folder.resolve("trusted.crt"));
        HistoryDoor door = new HistoryDoor(
                new HistoryAddress(history.address(), folder.resolve("token"), Optional.of(trusted)), pool.keyspace());
        PackBody pack = new PackBody();
        pack.add(ResultFormat.JSON, "[1]".getBytes(StandardCharsets.UTF_8));
        byte[] body = pack.encode();
        assertThat(door.put("session", 1, "set", body).answer()).isEqualTo(PackDoor.Answer.STORED);

        history.away();
        history.certificate();
        history.back();
        assertThat(door.put("session", 2, "set", body).answer()).isEqualTo(PackDoor.Answer.LATER);
        Files.writeString(trusted, "no certificate");
        assertThat(door.put("session", 2, "set", body).words()).contains("trusted.crt");
        Files.copy(folder.resolve("tls.crt"), trusted, StandardCopyOption.REPLACE_EXISTING);
        assertThat(door.put("session", 2, "set", body).answer()).isEqualTo(PackDoor.Answer.STORED);
        Files.delete(trusted);
        assertThat(door.put("session", 3, "set", body).answer())
                .as("no public authority knows it")
                .isEqualTo(PackDoor.Answer.LATER);
    }

    @Test
    void whatIsTooLargeForAPackOrNotWantedIsNotSent() throws Exception {
        persistOpening();
        TrialRow row = row(Recording.Results.ALL, "head -c 300000 /dev/zero > $QUIVER_OUTPUT");
        assertThat(row.pack()).isEmpty();
        assertThat(row.resultBytes()).isEqualTo(300_000);
    }
}
