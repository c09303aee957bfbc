package dev.quiver.lifecycle.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.redis.ScriptLibrary;

class WorkerRecordJsonTest {

    private static final ScriptLibrary LIBRARY = ScriptLibrary.of(WorkerScripts.ALL);
    private static final WorkerState IDLE = new WorkerState(0, false, List.of(), Optional.empty());
    private static final Instant NOW = Instant.ofEpochMilli(3_000);

    @Test
    void readsWhatItWrites() {
        WorkerIdentity worker = new WorkerIdentity("p", "pool-uid", "pod", "pod-uid", "node", 4);
        WorkerState state = new WorkerState(2, true, List.of("echo"), Optional.of("slot 1 broke"), 250);
        assertThat(WorkerRecordJson.read(
                        "s", "2000 1000 " + WorkerRecordJson.write(worker, state, Optional.of(LIBRARY)), NOW))
                .contains(new WorkerRecord(
                        "s",
                        worker,
                        2,
                        true,
                        List.of("echo"),
                        Optional.of("slot 1 broke"),
                        Optional.of(LIBRARY.name()),
                        250,
                        Instant.ofEpochMilli(1_000),
                        Instant.ofEpochMilli(2_000),
                        NOW));
    }

    @Test
    void aWorkerOfTheUsualSpeedSaysNothingOfIt() {
        WorkerIdentity worker = new WorkerIdentity("p", "pool-uid", "pod", "pod-uid", "node", 4);
        String document = WorkerRecordJson.write(worker, IDLE, Optional.empty());
        assertThat(document).doesNotContain("speed");
        assertThat(WorkerRecordJson.read("s", "2000 1000 " + document, NOW)
                        .orElseThrow()
                        .speedMilli())
                .isEqualTo(1000);
        String forged = document.replace("\"busy\"", "\"speed\": -7, \"busy\"");
        assertThat(WorkerRecordJson.read("s", "2000 1000 " + forged, NOW)
                        .orElseThrow()
                        .speedMilli())
                .isEqualTo(1);
    }

    @Test
    void passesOverANullAmongTheHandlers() {
        WorkerIdentity worker = new WorkerIdentity("p", "pool-uid", "pod", "pod-uid", "node", 4);
        WorkerState state = new WorkerState(0, false, List.of("echo", "root"), Optional.empty());
        String entry = "2000 1000 "
                + WorkerRecordJson.write(worker, state, Optional.empty()).replace("\"echo\"", "null");
        assertThat(WorkerRecordJson.read("s", entry, NOW).orElseThrow().handlers())
                .containsExactly("root");
    }

    @Test
    void passesOverNamesThatNoWorkerHas() {
        String large = "x".repeat(254);
        WorkerIdentity worker = new WorkerIdentity("p", "pool-uid", "pod", "pod-uid", large, 4);
        assertThat(WorkerRecordJson.read(
                        "s", "2000 1000 " + WorkerRecordJson.write(worker, IDLE, Optional.empty()), NOW))
                .isEmpty();
        String entry = "2000 1000 "
                + WorkerRecordJson.write(
                                new WorkerIdentity("p", "pool-uid", "pod", "pod-uid", "node", 4),
                                IDLE,
                                Optional.of(LIBRARY))
                        .replace(LIBRARY.name(), large);
        assertThat(WorkerRecordJson.read("s", entry, NOW).orElseThrow().library())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "2000",
                "2000 1000",
                "2000 1000 null",
                "2000 1000 {}",
                "2000 1000 {",
                "late early {\"worker\": null}",
                "2000 1000 {\"worker\": 7}",
                "2000 1000 {\"worker\": {}}",
                "2000 1000 {\"worker\": {\"pool\": \"p\", \"slots\": 1}}",
            })
    void passesOverWhatItDidNotWrite(String entry) {
        assertThat(WorkerRecordJson.read("s", entry, NOW)).isEmpty();
    }
}
