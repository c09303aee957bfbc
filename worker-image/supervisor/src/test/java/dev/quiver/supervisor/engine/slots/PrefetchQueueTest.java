package dev.quiver.supervisor.engine.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.NamedTask;
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
