package dev.quiver.bench.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import dev.quiver.bench.Figure;
import dev.quiver.bench.Samples;

class RatesTest {

    private final Rates rates = new Rates(
            "task-leaves",
            Map.of(8, Map.of("ours", new Samples(List.of(20.0, 40.0, 30.0)), "peer", new Samples(List.of(10.0)))),
            Map.of("ours", List.of("peer")));

    @Test
    void eachOfOursIsComparedWithEachPeer() {
        assertThat(rates.figures())
                .containsExactlyInAnyOrder(
                        Figure.of("task-leaves", "peer, slots=8", 10, "tasks/s"),
                        Figure.of(
                                "task-leaves", "ours, slots=8, beside peer", 30, "tasks/s", "peer, concurrency=8", 10));
    }

    @Test
    void ratiosAreThoseOfTheMedians() {
        assertThat(rates.text(List.of())).anySatisfy(text -> assertThat(text).containsPattern("ours / peer +3\\.0"));
    }
}
