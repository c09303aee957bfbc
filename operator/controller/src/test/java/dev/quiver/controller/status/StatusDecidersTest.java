package dev.quiver.controller.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.controller.status.WriteBudget.Decision;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.HistoryReason;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSetReason;

class StatusDecidersTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource({"0,1000", "10,1000", "50,1000", "100,2000", "1000,20000", "10000,200000"})
    void theIntervalGrowsWithWhatRuns(int running, long millis) {
        assertThat(new WriteBudget(50).interval(running)).isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void theFirstWriteIsAtOnceTheNextWaitsAndTheEndDoesNot() {
        WriteBudget budget = new WriteBudget(50);
        assertThat(budget.decide(Change.PROGRESS, Optional.empty(), 100, NOW)).isEqualTo(new Decision.Write());
        Optional<Instant> last = Optional.of(NOW.minusMillis(500));
        assertThat(budget.decide(Change.PROGRESS, last, 100, NOW))
                .isEqualTo(new Decision.Wait(Duration.ofMillis(1500)));
        assertThat(budget.decide(Change.AT_ONCE, last, 100, NOW)).isEqualTo(new Decision.Write());
        assertThat(budget.decide(Change.NONE, Optional.empty(), 0, NOW)).isEqualTo(new Decision.Nothing());
    }

    @Test
    void theEndOfARunIsWrittenAtOnceAndLaterChangesInTheirTurn() {
        List<Condition> going = new Conditions(List.of(), 1, NOW)
                .set(ConditionType.Finished, ConditionStatus.False, TaskSetReason.Running)
                .list();
        List<Condition> over = new Conditions(List.of(), 1, NOW)
                .set(ConditionType.Finished, ConditionStatus.True, TaskSetReason.Cancelled)
                .list();
        List<Condition> later = Conditions.kept(over, 2, NOW.plusSeconds(9));
        assertThat(later).isNotEqualTo(over);
        assertThat(change(Optional.empty(), going)).isEqualTo(Change.PROGRESS);
        assertThat(change(Optional.of(going), over)).isEqualTo(Change.AT_ONCE);
        assertThat(change(Optional.empty(), over)).isEqualTo(Change.AT_ONCE);
        assertThat(change(Optional.of(over), later)).isEqualTo(Change.PROGRESS);
        assertThat(change(Optional.of(over), over)).isEqualTo(Change.NONE);
        assertThat(Change.ofRun(Optional.of(over), later, _ -> List.of(), Function.identity()))
                .as("nothing that is worth a write")
                .isEqualTo(Change.NONE);
    }

    private static Change change(Optional<List<Condition>> written, List<Condition> fresh) {
        return Change.ofRun(written, fresh, UnaryOperator.identity(), Function.identity());
    }

    @Test
    void aConditionKeepsItsTimeUntilItsTruthChanges() {
        List<Condition> first = new Conditions(List.of(), 1, NOW)
                .set(ConditionType.Finished, ConditionStatus.False, TaskSetReason.Running)
                .list();
        List<Condition> second = new Conditions(first, 2, NOW.plusSeconds(60))
                .set(ConditionType.Finished, ConditionStatus.False, TaskSetReason.Suspended)
                .list();
        List<Condition> third = new Conditions(second, 2, NOW.plusSeconds(90))
                .set(ConditionType.Finished, ConditionStatus.True, TaskSetReason.Cancelled)
                .list();
        assertThat(second.getFirst().getLastTransitionTime()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(second.getFirst().getReason()).isEqualTo("Suspended");
        assertThat(second.getFirst().getObservedGeneration()).isEqualTo(2);
        assertThat(third.getFirst().getLastTransitionTime()).isEqualTo("2026-01-01T00:01:30Z");
    }

    @Test
    void aStoreThatWasNotAskedYetIsUnknownAndChangesNothingThatWasSaid() {
        Conditions first = new Conditions(List.of(), 1, NOW);
        StoreCondition.away(first, StoreReason.NotAsked, StoreReason.NotAsked.sentence());
        assertThat(first.list().getFirst().getStatus()).isEqualTo("Unknown");

        Conditions up = new Conditions(List.of(), 1, NOW);
        StoreCondition.up(up);
        Conditions restarted = new Conditions(up.list(), 1, NOW.plusSeconds(60));
        StoreCondition.away(restarted, StoreReason.NotAsked, StoreReason.NotAsked.sentence());
        assertThat(restarted.list()).isEqualTo(up.list());

        Conditions changed = new Conditions(up.list(), 2, NOW.plusSeconds(60)).keepAll();
        assertThat(changed.list())
                .as("it is true of the new spec as well")
                .allMatch(condition -> condition.getObservedGeneration() == 2);

        Conditions away = new Conditions(up.list(), 2, NOW.plusSeconds(60));
        StoreCondition.away(away, StoreReason.Unreachable, "Connection refused");
        assertThat(away.list().getFirst().getStatus()).isEqualTo("False");
    }

    @Test
    void aBacklogOfHistoryComesIsClearedAndStays() {
        Conditions never = new Conditions(List.of(), 1, NOW);
        HistoryCondition.unknown(never);
        HistoryCondition.set(never, HistoryReason.CaughtUp, "");
        assertThat(never.list()).as("nobody asked about history").isEmpty();

        Conditions behind = new Conditions(List.of(), 1, NOW);
        HistoryCondition.set(behind, HistoryReason.OutputLeftOut, "behind by 5 MiB");
        assertThat(behind.list().getFirst().getStatus()).isEqualTo("True");
        Conditions restarted = new Conditions(behind.list(), 1, NOW.plusSeconds(60));
        HistoryCondition.unknown(restarted);
        assertThat(restarted.list()).isEqualTo(behind.list());
        Conditions read = new Conditions(restarted.list(), 1, NOW.plusSeconds(90));
        HistoryCondition.set(read, HistoryReason.CaughtUp, "");
        assertThat(read.list().getFirst().getStatus()).isEqualTo("False");
        assertThat(read.list().getFirst().getMessage()).isEqualTo(HistoryReason.CaughtUp.sentence());
        assertThat(read.list().getFirst().getLastTransitionTime()).isEqualTo("2026-01-01T00:01:30Z");
    }

    @Test
    void aMessageWithoutEndIsCut() {
        List<Condition> conditions = new Conditions(List.of(), 1, NOW)
                .set(ConditionType.Finished, ConditionStatus.False, TaskSetReason.Running, "x".repeat(5000))
                .list();
        assertThat(conditions.getFirst().getMessage()).startsWith("xxx").endsWith("x…");
        assertThat(JsonText.bytes(conditions.getFirst().getMessage())).isEqualTo(Conditions.MAX_MESSAGE_BYTES);
    }

    @Test
    void aSentenceEndsOnce() {
        assertThat(Sentence.of("no node")).isEqualTo("no node.");
        assertThat(Sentence.of("no node. ")).isEqualTo("no node.");
        assertThat(Sentence.of("why?")).isEqualTo("why?");
        assertThat(Sentence.of("")).isEqualTo(".");
    }

    @Test
    void aTextIsCutToWhatItTakesAsJson() {
        assertThat(JsonText.bytes("aä\u30bf\uD83D\uDE00")).isEqualTo(1 + 2 + 3 + 4);
        assertThat(JsonText.bytes("\"\n\u0007<")).isEqualTo(2 + 2 + 6 + 6);
        assertThat(JsonText.first("abcdef", 6)).isEqualTo("abcdef");
        assertThat(JsonText.first("abcdefg", 6)).isEqualTo("abc…");
        assertThat(JsonText.first("\u30bf\u30bf\u30bf", 8)).isEqualTo("\u30bf…");
        assertThat(JsonText.last("abcdefg", 6)).isEqualTo("…efg");
        assertThat(JsonText.last("<<<", 12)).isEqualTo("…<");
        assertThat(JsonText.last("abc", 2)).isEmpty();
    }
}
