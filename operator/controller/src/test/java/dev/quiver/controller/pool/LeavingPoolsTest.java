package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

class LeavingPoolsTest {

    private final LeavingPools leaving = new LeavingPools();

    @Test
    void twoThatLeaveTogetherDoNotWaitForEachOther() {
        leaving.leaves("n", "one");
        assertThat(leaving.isLast("n", List.of("one", "two"))).isFalse();
        leaving.leaves("n", "two");
        assertThat(leaving.isLast("n", List.of("one", "two"))).isTrue();
    }

    @Test
    void oneOfTheOthersIsEnoughToStay() {
        leaving.leaves("n", "one");
        leaving.leaves("n", "two");
        assertThat(leaving.isLast("n", List.of("one", "two", "drains"))).isFalse();
        leaving.leaves("n", "drains");
        assertThat(leaving.isLast("n", List.of("drains"))).isTrue();
    }

    @Test
    void theCacheMayBeAheadAndNamespacesDoNotMeet() {
        leaving.leaves("n", "one");
        leaving.leaves("m", "two");
        assertThat(leaving.isLast("n", List.of())).isTrue();
        assertThat(leaving.isLast("m", List.of("two", "stays"))).isFalse();
    }

    @Test
    void oneThatAsksAfterTheLastWentIsTold() {
        leaving.leaves("n", "one");
        leaving.leaves("n", "two");
        assertThat(leaving.isLast("n", List.of("one", "two"))).isTrue();
        assertThat(leaving.isLast("n", List.of("one", "two"))).isFalse();
    }
}
