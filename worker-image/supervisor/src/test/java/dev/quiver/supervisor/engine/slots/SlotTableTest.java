package dev.quiver.supervisor.engine.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.NamedTask;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.supervisor.execution.ExecutorEvent;
import dev.quiver.supervisor.execution.TaskExecutor;

/** The fate of a slot whose task needs it no more: the next one follows, or it is acknowledged. */
class SlotTableTest {

    private static final Place QUEUED = Place.queued(0);

    private final Script executor = new Script();
    private final SlotTable slots = new SlotTable(executor);

    /** An executor of two slots that does what it is told, and notes what it is asked for. */
    private static final class Script implements TaskExecutor {
        @Override
        public long inputBytes() {
            return 1 << 20;
        }

        private final List<String> asked = new ArrayList<>();
        private final Set<Integer> takers = new HashSet<>();
        private Optional<Start> answer = Optional.empty();
        private long token;

        @Override
        public int slots() {
            return 2;
        }

        @Override
        public void start(Consumer<ExecutorEvent> events) {}

        @Override
        public void poll() {}

        @Override
        public void sleep(long nanos, java.util.function.BooleanSupplier stay) {}

        @Override
        public void wake() {}

        @Override
        public boolean takesNext(int slot, long ofToken) {
            return takers.contains(slot);
        }

        @Override
        public Start run(int slot, RunnableTask task) {
            Start start = answer.orElseGet(() -> new Start.Running(++token));
            asked.add("run " + slot);
            return start;
        }

        @Override
        public void cancel(int slot, long ofToken) {}

        @Override
        public void acknowledge(int slot, long ofToken) {
            asked.add("acknowledge " + slot + ":" + ofToken);
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void start() {
        slots.here();
        slots.becameFree(0);
        executor.takers.add(0);
    }

    private ClaimedTask task() {
        Claim claim = new Claim("set", "1", 1, QUEUED, new NamedTask("uid/1", "1", 1, false));
        return new ClaimedTask(null, claim, new Permits().adopt(), 0);
    }

    private ClaimedTask ended() {
        ClaimedTask held = task();
        assertThat(slots.start(List.of(held), 0)).containsInstanceOf(TaskExecutor.Start.Running.class);
        assertThat(slots.vacate(held.slot(), held.token())).isPresent();
        executor.asked.clear();
        return held;
    }

    @Test
    void theNextTaskAcknowledgesTheOneBefore() {
        slots.leave(ended());
        assertThat(slots.free()).isOne();
        assertThat(slots.start(List.of(task()), 0)).isPresent();
        slots.acknowledgeLeft();
        assertThat(executor.asked).containsExactly("run 0");
        assertThat(slots.free()).isZero();
    }

    @Test
    void aSlotThatNoTaskFollowedInIsAcknowledgedAndFreeWhenItSaysSo() {
        slots.leave(ended());
        slots.acknowledgeLeft();
        slots.acknowledgeLeft();
        assertThat(executor.asked).containsExactly("acknowledge 0:1");
        assertThat(slots.free()).isZero();
        slots.becameFree(0);
        assertThat(slots.free()).isOne();
    }

    @Test
    void aSlotThatTakesNoNextTaskIsAcknowledgedAtOnce() {
        executor.takers.clear();
        slots.leave(ended());
        assertThat(executor.asked).containsExactly("acknowledge 0:1");
        assertThat(slots.free()).isZero();
    }

    @Test
    void aSlotThatRefusesTheNextTaskIsAcknowledged() {
        slots.leave(ended());
        executor.answer = Optional.of(new TaskExecutor.Start.Unavailable());
        assertThat(slots.start(List.of(task()), 0)).contains(new TaskExecutor.Start.Unavailable());
        slots.acknowledgeLeft();
        assertThat(executor.asked).containsExactly("run 0", "acknowledge 0:1");
    }

    @Test
    void aTaskThatCannotBeStartedLeavesTheSlotToTheOneAfterIt() {
        slots.leave(ended());
        executor.answer = Optional.of(new TaskExecutor.Start.Impossible("InvalidTask", "no"));
        slots.start(List.of(task()), 0);
        executor.answer = Optional.empty();
        slots.start(List.of(task()), 0);
        slots.acknowledgeLeft();
        assertThat(executor.asked).containsExactly("run 0", "run 0");
    }

    @Test
    void nothingFollowsWhenTheAgentHasGone() {
        ClaimedTask first = ended();
        slots.leave(first);
        slots.away("killed");
        assertThat(executor.asked).containsExactly("acknowledge 0:1");
        assertThat(slots.free()).isZero();
        slots.here();
        slots.becameFree(0);
        ClaimedTask second = ended();
        slots.away("killed");
        slots.leave(second);
        assertThat(executor.asked).containsExactly("acknowledge 0:2");
    }

    @Test
    void nothingFollowsInASlotThatBrokeTheRules() {
        slots.leave(ended());
        assertThat(slots.broke(0)).isEmpty();
        slots.acknowledgeLeft();
        assertThat(slots.start(List.of(task()), 0)).isEmpty();
        assertThat(executor.asked).isEmpty();
    }
}
