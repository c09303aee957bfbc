package dev.quiver.history.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PassSelectionTest {

    private static final int CAPACITY = 500;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 499, 500, 501, 1000, 1001, 20_000})
    void itHasTheLowestTasksEachWithTheLaterPass(int passes) {
        Random random = new Random(passes);
        PassSelection selection = new PassSelection(0, CAPACITY);
        for (int tasks : List.of(1, 10, CAPACITY, 1_000, 1_000_000)) {
            TreeMap<Long, Pass> expected = new TreeMap<>();
            selection.restart(7);
            for (int i = 0; i < passes; i++) {
                // Each has an end of its own, so that one of two is the later one.
                long end = random.nextInt(1_000) * 100_000L + i;
                Pass pass = new Pass(random.nextInt(tasks), random.nextLong(1L << 40), random.nextInt(64), end, i);
                add(selection, pass);
                if (pass.task() >= 7) {
                    expected.merge(pass.task(), pass, (a, b) -> a.finishedAt() > b.finishedAt() ? a : b);
                }
            }
            selection.sort();
            assertThat(all(selection))
                    .as("%d passes of %d tasks", passes, tasks)
                    .isEqualTo(expected.values().stream().limit(CAPACITY).toList());
            assertThat(selection.cutoff())
                    .isEqualTo(
                            expected.size() > CAPACITY
                                    ? selection.get(CAPACITY - 1).task()
                                    : Long.MAX_VALUE);
        }
    }

    @Test
    void ofTwoThatEndedAtOneTimeTheOneThatCameLaterStays() {
        PassSelection selection = new PassSelection(0, 2);
        add(selection, new Pass(1, 10, 0, 5, 1));
        add(selection, new Pass(0, 11, 1, 5, 2));
        add(selection, new Pass(1, 12, 2, 5, 3));
        selection.sort();
        assertThat(all(selection)).containsExactly(new Pass(0, 11, 1, 5, 2), new Pass(1, 12, 2, 5, 3));
    }

    private static void add(PassSelection selection, Pass pass) {
        selection.pass(pass.task(), pass.worker(), pass.slot(), pass.finishedAt(), pass.runMillis());
    }

    private static List<Pass> all(PassSelection selection) {
        List<Pass> all = new ArrayList<>();
        for (int i = 0; i < selection.size(); i++) {
            all.add(selection.get(i));
        }
        return all;
    }
}
