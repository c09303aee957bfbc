package dev.quiver.lifecycle.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

class LeaseTimesTest {

    /** Guides and pages say ten seconds; a supervisor sends a heartbeat about every three. */
    @Test
    void aSilentWorkerKeepsItsTasksForTenSeconds() {
        assertThat(LeaseTimes.DEFAULT.lease()).isEqualTo(Duration.ofSeconds(10));
        assertThat(LeaseTimes.DEFAULT.silence()).isLessThan(LeaseTimes.DEFAULT.lease());
        assertThat(LeaseTimes.DEFAULT.pause()).isLessThan(Duration.ofSeconds(1));
    }
}
