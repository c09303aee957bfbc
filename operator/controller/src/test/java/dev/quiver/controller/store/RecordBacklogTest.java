package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.HistoryReason;
import dev.quiver.lifecycle.history.Shortage;
import dev.quiver.lifecycle.history.stream.HistoryBacklog;
import dev.quiver.lifecycle.history.stream.HistoryBacklog.Level;
import dev.quiver.lifecycle.keyspace.Keyspace;

class RecordBacklogTest {

    private static final long ROOM = 256L << 20;

    private static RecordBacklog seen(Level level, long bytes, Duration age) {
        return RecordBacklog.of(new HistoryBacklog(level, bytes, ROOM, age));
    }

    @Test
    void eachLevelIsNamedForWhatIsLeftOut() {
        assertThat(List.of(Level.values()))
                .extracting(
                        level -> seen(level, ROOM / 2, Duration.ofSeconds(9)).reason())
                .containsExactly(
                        HistoryReason.CaughtUp,
                        HistoryReason.OutputLeftOut,
                        HistoryReason.PassesLeftOut,
                        HistoryReason.TrialsLeftOut,
                        HistoryReason.CaughtUp);
    }

    @Test
    void theMessageHasTheBytesAndTheAgeInStepsThatChangeSeldom() {
        RecordBacklog some = seen(Level.TAILS, ROOM / 16 * 6 + 5, Duration.ofSeconds(59));
        assertThat(some.message(false))
                .isEqualTo(
                        "History is behind: output is left out of the record. At least 96 MiB of 256 MiB wait to be read,"
                                + " the oldest for less than a minute.");
        assertThat(seen(Level.TAILS, ROOM / 16 * 7 - 1, Duration.ofSeconds(1))).isEqualTo(some);
        assertThat(seen(Level.TRIALS, 3 * ROOM, Duration.ofMinutes(9)).message(false))
                .endsWith("At least 256 MiB of 256 MiB wait to be read, the oldest for at least 5 minutes.");
        assertThat(seen(Level.TRIALS, ROOM, Duration.ofHours(1)).message(false))
                .endsWith("the oldest for at least 1 hour.");
        assertThat(seen(Level.TRIALS, ROOM, Duration.ofDays(999)).message(false))
                .endsWith("the oldest for at least 168 hours.");
    }

    @Test
    void aVolumeWithTooLittleRoomIsNamedWithBothFiguresAndHoldsNothingBack() {
        RecordBacklog some = RecordBacklog.of(new HistoryBacklog(
                Level.NOTHING, 0, ROOM, Duration.ZERO, Optional.of(new Shortage(1L << 30, 300L << 20))));
        assertThat(some.reason(true)).isEqualTo(HistoryReason.VolumeShort);
        assertThat(some.behind()).isFalse();
        assertThat(some.message(false))
                .isEqualTo("The volume of the record has less room than the record may take."
                        + " It may take 1024 MiB, and its volume has room for about 256 MiB.");
        assertThat(RecordBacklog.of(new HistoryBacklog(
                                Level.NOTHING, 0, ROOM, Duration.ZERO, Optional.of(new Shortage(1L << 30, 1))))
                        .message(false))
                .endsWith("has room for less than 64 MiB.");
    }

    @Test
    void aRunThatWaitsIsToldSoWhileHistoryIsBehind() {
        RecordBacklog some = seen(Level.PASSES, ROOM, Duration.ZERO);
        assertThat(some.reason(true)).isEqualTo(HistoryReason.TasksWait);
        assertThat(some.message(true)).startsWith(HistoryReason.TasksWait.sentence());
        assertThat(RecordBacklog.NONE.reason(true)).isEqualTo(HistoryReason.CaughtUp);
        assertThat(RecordBacklog.NONE.message(true)).isEqualTo(HistoryReason.CaughtUp.sentence());
    }

    @Test
    void listenersHearOfAnotherBacklogAlone() {
        Keyspace team = Keyspace.ofNamespace("team");
        List<HistoryBacklog> next = new ArrayList<>(List.of(new HistoryBacklog(Level.NOTHING, 0, ROOM, Duration.ZERO)));
        RecordBacklogs backlogs = new RecordBacklogs(true, keyspace -> next.getLast());
        List<Keyspace> heard = new ArrayList<>();
        backlogs.onChange(heard::add);
        assertThat(backlogs.of(team)).isEmpty();
        backlogs.look(team);
        backlogs.look(team);
        assertThat(heard).as("the first look may clear an old condition").hasSize(1);
        next.add(new HistoryBacklog(Level.TAILS, ROOM / 2, ROOM, Duration.ZERO));
        backlogs.look(team);
        backlogs.look(team);
        assertThat(heard).hasSize(2);
        assertThat(backlogs.of(team).orElseThrow().behind()).isTrue();
        backlogs.forgetBut(Set.of());
        assertThat(backlogs.of(team)).isEmpty();
    }

    @Test
    void withoutARecordNobodyIsBehind() {
        RecordBacklogs backlogs = new RecordBacklogs(false, keyspace -> {
            throw new IllegalStateException("nobody asks");
        });
        Keyspace team = Keyspace.ofNamespace("team");
        backlogs.look(team);
        assertThat(backlogs.of(team)).contains(RecordBacklog.NONE);
    }
}
