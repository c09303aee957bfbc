package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.worker.WorkerSession;

class PassedOverTest {

    private final PassedOver unserved = new PassedOver();

    /** Else a pool with more such sets than that would be asked without a pause, for ever. */
    @Test
    void saysThatAnotherWasForgottenForOneBeyondWhatAPickPassesOver() {
        for (int i = 0; i < WorkerSession.MAX_SKIPPED; i++) {
            assertThat(unserved.add("set-" + i)).isTrue();
        }
        assertThat(unserved.add("one more")).isFalse();
        assertThat(unserved.uids(Set.of()))
                .hasSize(WorkerSession.MAX_SKIPPED)
                .contains("one more")
                .doesNotContain("set-0");
        unserved.clear();
        assertThat(unserved.add("set-0")).isTrue();
    }
}
