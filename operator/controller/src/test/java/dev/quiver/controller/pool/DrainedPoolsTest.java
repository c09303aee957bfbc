package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

class DrainedPoolsTest {

    private final DrainedPools drained = new DrainedPools();

    @Test
    void twoThatLeaveTogetherDoNotWaitForEachOther() {
        drained.add("n", "one");
        assertThat(drained.isLast("n", List.of("one", "two"))).isFalse();
        drained.add("n", "two");
        assertThat(drained.isLast("n", List.of("one", "two"))).isTrue();
    }

    @Test
    void oneOfTheOthersIsEnoughToStay() {
        drained.add("n", "one");
        drained.add("n", "two");
        assertThat(drained.isLast("n", List.of("one", "two", "drains"))).isFalse();
        drained.add("n", "drains");
        assertThat(drained.isLast("n", List.of("drains"))).isTrue();
    }

    @Test
    void theCacheMayBeAheadAndNamespacesDoNotMeet() {
        drained.add("n", "one");
        drained.add("m", "two");
        assertThat(drained.isLast("n", List.of())).isTrue();
        assertThat(drained.isLast("m", List.of("two", "stays"))).isFalse();
    }

    @Test
    void oneThatAsksAfterTheLastWentIsTold() {
        drained.add("n", "one");
        drained.add("n", "two");
        assertThat(drained.isLast("n", List.of("one", "two"))).isTrue();
        assertThat(drained.isLast("n", List.of("one", "two"))).isFalse();
    }
}
