package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.quiver.http.Answer;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSessions;
import dev.quiver.supervisor.engine.Engine;
import dev.quiver.supervisor.engine.EngineSettings;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.NoopExecutor;

class ReplacedPoolTest {

    @Test
    void aPodOfAnEarlierPoolDoesNotTellTheUidOfThePresentOne() {
        WorkerIdentity worker = new WorkerIdentity("specs", "earlier-uid", "pod", "pod-uid", "node", 1);
        try (Engine engine = new Engine(
                (_, _) -> new WorkerSessions.Outcome.PoolReplaced("present-uid"),
                () -> new Reaper.Reaped(0, 0, 0),
                new NoopExecutor(1),
                new EngineSettings(worker, Duration.ZERO),
                new StoreTrouble())) {
            engine.start();
            await().until(() -> engine.status().poolGone().isPresent());
            Answer answer = Probes.ready(engine.status());
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text())
                    .contains("pool specs belongs to another WorkerPool")
                    .doesNotContain("uid");
        }
    }
}
