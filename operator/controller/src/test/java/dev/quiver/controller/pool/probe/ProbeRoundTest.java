package dev.quiver.controller.pool.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.pool.probe.ProbeRound.Verdict;
import dev.quiver.crds.v1alpha1.ResourceProbe;

/** Failures and successes in a row make a verdict. */
class ProbeRoundTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private final ProbeRound round = new ProbeRound(new ResourceProbe(null, null, null, 10, 1, 3, 2));

    private Optional<Verdict> after(String failure) {
        round.ended(Optional.ofNullable(failure));
        return round.verdict();
    }

    @Test
    void saysNothingBeforeEnoughInARow() {
        assertThat(after("a")).isEmpty();
        assertThat(after("b")).isEmpty();
        assertThat(after(null)).isEmpty();
        assertThat(after("c")).isEmpty();
        assertThat(after("d")).isEmpty();
        assertThat(after("e")).contains(new Verdict(false, "e"));
    }

    @Test
    void keepsItsWordUntilEnoughSpeakAgainstIt() {
        for (int i = 0; i < 3; i++) {
            after("down");
        }
        assertThat(after("another")).as("its first reason").contains(new Verdict(false, "down"));
        assertThat(after(null)).contains(new Verdict(false, "down"));
        assertThat(after("again")).contains(new Verdict(false, "down"));
        after(null);
        assertThat(after(null)).contains(Verdict.THERE);
        after("late");
        assertThat(after("late")).contains(Verdict.THERE);
        assertThat(after("late")).contains(new Verdict(false, "late"));
    }

    @Test
    void oneThatIsLostSaysNothing() {
        assertThat(round.begin(NOW)).isTrue();
        round.lost();
        assertThat(round.begin(NOW.plusSeconds(9))).isFalse();
        assertThat(round.begin(NOW.plusSeconds(10))).isTrue();
        assertThat(round.verdict()).isEmpty();
    }

    @Test
    void oneRequestIsUnderWayAndTheNextComesAPeriodAfterItBegan() {
        assertThat(round.begin(NOW)).isTrue();
        assertThat(round.begin(NOW.plusSeconds(60)))
                .as("while one is under way")
                .isFalse();
        round.ended(Optional.empty());
        assertThat(round.begin(NOW.plusSeconds(9))).isFalse();
        assertThat(round.begin(NOW.plusSeconds(10))).isTrue();
    }
}
