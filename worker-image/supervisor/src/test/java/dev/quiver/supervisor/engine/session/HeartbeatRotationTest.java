package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

class HeartbeatRotationTest {

    private final HeartbeatRotation round = new HeartbeatRotation();

    private static List<String> sets(int number) {
        return IntStream.range(0, number).mapToObj(i -> "set-" + i).toList();
    }

    @Test
    void asksAboutAllWhenOneHeartbeatMay() {
        assertThat(round.next(sets(64))).isEqualTo(sets(64));
        assertThat(round.next(sets(64))).isEqualTo(sets(64));
        assertThat(round.next(List.of())).isEmpty();
    }

    @Test
    void asksAboutEachInItsTurnWhenThereAreMore() {
        List<String> sets = sets(65);
        assertThat(round.next(sets)).isEqualTo(sets.subList(0, 64));
        assertThat(round.next(sets)).hasSize(64).startsWith("set-64", "set-0").doesNotContain("set-63");
        assertThat(round.next(sets)).startsWith("set-63", "set-64").doesNotContain("set-62");
    }

    @Test
    void beginsAnewWhenTheLastOneIsGone() {
        List<String> sets = new ArrayList<>(sets(130));
        round.next(sets);
        sets.remove("set-63");
        assertThat(round.next(sets)).isEqualTo(sets.subList(0, 64));
        assertThat(round.next(sets)).isEqualTo(sets.subList(64, 128));
    }
}
