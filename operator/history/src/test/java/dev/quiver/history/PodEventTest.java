package dev.quiver.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

/** The words of an Event at the pod. */
class PodEventTest {

    private static ObjectNode event(String message) {
        return new PodEvent(null, "quiver", "history-0", "u")
                .event("RecordShortOfRoom", message, Instant.parse("2026-01-02T03:04:05.678Z"));
    }

    @Test
    void namesThePodTheReasonAndTheWords() {
        ObjectNode event = event("the record may take 2048 MiB, and its volume has room for 100 MiB");
        assertThat(event.at("/involvedObject/name").asText()).isEqualTo("history-0");
        assertThat(event.at("/involvedObject/uid").asText()).isEqualTo("u");
        assertThat(event.at("/reason").asText()).isEqualTo("RecordShortOfRoom");
        assertThat(event.at("/message").asText())
                .isEqualTo("the record may take 2048 MiB, and its volume has room for 100 MiB");
        assertThat(event.at("/firstTimestamp").asText()).isEqualTo("2026-01-02T03:04:05Z");
    }

    /** The API server refuses an Event with a control character. */
    @Test
    void escapesWhatCannotBeSeenAndFitsTheBound() {
        assertThat(event("a\u007fb\u202e\u0085c").at("/message").asText()).isEqualTo("a\\u007fb\\u202e\\u0085c");
        assertThat(event("\u0085".repeat(2_000)).at("/message").asText())
                .hasSizeLessThanOrEqualTo(1_024)
                .endsWith("\\u0085…");
    }
}
