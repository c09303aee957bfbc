package dev.quiver.lifecycle.task.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.QueueTaskNumber;
import dev.quiver.lifecycle.task.keys.TreeIds;

class QueueRunTest {

    @Test
    void theNumberOfATaskFollowsFromItsIdAndIsHardlyEverThatOfAnother() {
        assertThat(QueueTaskNumber.number("AbCdEfGhIjKlMn")).isEqualTo(QueueTaskNumber.number("AbCdEfGhIjKlMn"));
        assertThat(QueueTaskNumber.number("AbCdEfGhIjKlMn")).isNotEqualTo(QueueTaskNumber.number("AbCdEfGhIjKlMn.1"));
        Set<Long> numbers = Stream.generate(TreeIds::fresh)
                .limit(20_000)
                .map(QueueTaskNumber::number)
                .collect(Collectors.toSet());
        assertThat(numbers)
                .hasSizeGreaterThan(19_998)
                .allMatch(number -> number >= 0 && number <= HistoryBounds.TASK)
                .anyMatch(number -> number > HistoryBounds.TASK / 2)
                .anyMatch(number -> number < HistoryBounds.TASK / 2);
    }

    @Test
    void isKnownByItsName() {
        assertThat(QueueRun.is("queue:shared:491234")).isTrue();
        assertThat(Stream.of("queue:shared", "queue::9", "queue:sh ared:9", "queue:shared:x", "tree", "queue:a:b:9"))
                .noneMatch(QueueRun::is);
    }
}
