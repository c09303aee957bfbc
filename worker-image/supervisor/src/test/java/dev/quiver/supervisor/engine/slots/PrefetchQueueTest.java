package dev.quiver.supervisor.engine.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.NamedTask;
import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;

class PrefetchQueueTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private static ClaimedTask claimedAt(long now) {
        Claim claim = new Claim("set", "1", 1, Place.queued(1), new NamedTask("set/1", "one", 1));
        return new ClaimedTask(null, claim, new Permits().adopt(), now);
    }

    @Test
    void aTaskWaitsFromItsClaim() {
        PrefetchQueue queue = new PrefetchQueue();
        queue.add(claimedAt(0));
        assertThat(queue.nanosLeft(SECOND)).isZero();
    }

    private static ClaimedTask call(Optional<Recording> recording) {
        RunnableTask task = new RunnableTask() {
            @Override
            public String id() {
                return "set/1";
            }

            @Override
            public String name() {
                return "one";
            }

            @Override
            public int trial() {
                return 1;
            }

            @Override
            public int maxTrials() {
                return 1;
            }

            @Override
            public Optional<Duration> timeLimit() {
                return Optional.empty();
            }

            @Override
            public Optional<String> handler() {
                return Optional.of("upper");
            }

            @Override
            public Optional<RecordedTask> recorded() {
                return recording.map(how -> new RecordedTask("run", 1, how));
            }

            @Override
            public TaskInvocation render(SlotFacts slot) {
                throw new AssertionError();
            }
        };
        return new ClaimedTask(null, new Claim("set", "1", 1, Place.queued(1), task), new Permits().adopt(), 0);
    }

    private static int together(Optional<Recording> recording) {
        PrefetchQueue queue = new PrefetchQueue();
        queue.add(call(recording));
        queue.add(call(recording));
        return queue.oldest(2).size();
    }

    @Test
    void callsOfOneFunctionAreDispatchedTogetherUnlessAllTheirOutputIsKept() {
        assertThat(together(Optional.empty())).isEqualTo(2);
        assertThat(together(Optional.of(Recording.DEFAULT))).isEqualTo(2);
        assertThat(together(Optional.of(Recording.DEFAULT.keepingStreams(64)))).isEqualTo(1);
    }

    /** Else one whose input takes long to read would go back at once, and again at its next claim. */
    @Test
    void aTaskWhoseInputWasReadWaitsFromThenOn() {
        PrefetchQueue queue = new PrefetchQueue();
        ClaimedTask held = claimedAt(0);
        held.completed(new NamedTask("set/1", "complete", 1), SECOND);
        queue.add(held);
        assertThat(queue.nanosLeft(SECOND)).isEqualTo(PrefetchQueue.LONGEST_WAIT.toNanos());
        assertThat(held.claim().task().name()).isEqualTo("complete");
    }
}
