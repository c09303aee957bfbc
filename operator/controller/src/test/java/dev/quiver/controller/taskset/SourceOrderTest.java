package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.AnsweringHistory;
import dev.quiver.controller.taskset.source.Source;
import dev.quiver.lifecycle.history.TestTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.taskset.ClaimOrder;

class SourceOrderTest {

    private static TestTimes knows(Map<String, Integer> millis) {
        return TestTimes.read(AnsweringHistory.estimates(millis), Optional.of(0.125));
    }

    private static Source lines(String... lines) {
        return new Source(new TaskSource.Lines(), List.of(lines));
    }

    private static List<Integer> sequence(ClaimOrder order) {
        return IntStream.range(0, order.tasks()).mapToObj(order::task).toList();
    }

    private static List<Integer> millis(ClaimOrder order) {
        return IntStream.range(0, order.tasks()).mapToObj(order::millisOf).toList();
    }

    @Test
    void unknownTasksGoFirstAndThenTheLongest() {
        ClaimOrder order = SourceOrder.of(
                        lines("short", "new", "long", "middle", "newer", "as long"),
                        knows(Map.of("short", 11, "long", 4001, "as long", 4000, "middle", 300)))
                .orElseThrow();
        assertThat(sequence(order)).containsExactly(1, 4, 2, 5, 3, 0);
        int mean = (10 + 4000 + 4000 + 300) / 4 / 2 * 2 + 1;
        assertThat(millis(order)).containsExactly(10, mean, 4000, 300, mean, 4000);
        assertThat(order.millis()).isEqualTo(10 + 4000 + 4000 + 300 + 2L * mean);
        assertThat(order.errorPercent()).isEqualTo(OptionalInt.of(13));
    }

    @Test
    void timesAreWithinBounds() {
        ClaimOrder order =
                SourceOrder.of(lines("a", "b"), knows(Map.of("a", 1, "b", -1))).orElseThrow();
        assertThat(millis(order)).as("four thousand million ms").containsExactly(2, ClaimOrder.MOST_MILLIS);
        assertThat(sequence(order)).containsExactly(1, 0);
    }

    @Test
    void nothingKnownIsNoOrder() {
        assertThat(SourceOrder.of(lines("a", "b"), knows(Map.of("c", 1)))).isEmpty();
        assertThat(SourceOrder.of(lines("a"), knows(Map.of()))).isEmpty();
    }

    @Test
    void tasksOfACountHaveNoNames() {
        Source count = new Source(new TaskSource.Count(5), List.of());
        assertThat(SourceOrder.named(count)).isZero();
        assertThat(SourceOrder.of(count, knows(Map.of("1", 7)))).isEmpty();
        assertThat(SourceOrder.named(count.pick(List.of(1, 3)))).isZero();
    }

    @Test
    void combinationsOfAMatrixHave() {
        Source matrix = new Source(new TaskSource.Matrix(Map.of("os", List.of("a", "b", "c"))), List.of());
        ClaimOrder order = SourceOrder.of(matrix, knows(Map.of("os=a", 2, "os=c", 4, "os=b", 6)))
                .orElseThrow();
        assertThat(sequence(order)).containsExactly(1, 2, 0);
    }

    @Test
    void pickedTasksHaveNumbersOfTheNewRun() {
        Source picked = lines("a", "b", "c", "d").pick(List.of(1, 3));
        ClaimOrder order =
                SourceOrder.of(picked, knows(Map.of("a", 100, "b", 2, "d", 50))).orElseThrow();
        assertThat(sequence(order)).containsExactly(1, 0);
        assertThat(millis(order)).containsExactly(2, 50);
    }

    @Test
    void furtherTasksFollowInTheOrderOfTheSource() {
        List<String> many =
                IntStream.range(0, ClaimOrder.MOST + 10).mapToObj(i -> "t" + i).toList();
        Source source = new Source(new TaskSource.Lines(), many);
        ClaimOrder order = SourceOrder.of(source, knows(Map.of("t7", 8))).orElseThrow();
        assertThat(order.tasks()).isEqualTo(ClaimOrder.MOST);
        assertThat(order.task(ClaimOrder.MOST - 1))
                .as("the only one that is known")
                .isEqualTo(7);
        assertThat(order.task(7)).as("unknown ones as the source has them").isEqualTo(8);
    }
}
