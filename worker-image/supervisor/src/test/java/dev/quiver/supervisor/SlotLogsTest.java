package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.history.HistoryBounds;

class SlotLogsTest {

    private static String log(String own, String... slots) {
        byte[] log = SlotLogs.behind(bytes(own), slots.length, slot -> bytes(slots[slot]));
        assertThat(log).hasSizeLessThanOrEqualTo(HistoryBounds.LOG_BYTES);
        return new String(log, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void linesOfSlotsFollowTheOwnOnesUnderTheirNumbers() {
        assertThat(log("own\n", "a\nb\n", "", "c")).isEqualTo("own\nslot 0: a\nslot 0: b\nslot 2: c\n");
        assertThat(log("", "")).isEmpty();
    }

    @Test
    void textOfATaskIsEscapedAndCannotPassForAnotherLine() {
        assertThat(log("", "\u001b[2J\u202e\r2026-11-27T00:00:00Z INFO forged\n"))
                .isEqualTo("slot 0: \\u001b[2J\\u202e\nslot 0: 2026-11-27T00:00:00Z INFO forged\n");
    }

    @Test
    void theEndsOfAllAreKeptWithinTheBound() {
        String[] slots = new String[64];
        Arrays.setAll(slots, slot -> "x".repeat(99).concat("\n").repeat(40) + "last of " + slot + "\n");
        String log = log("own\n".repeat(4096), slots);
        assertThat(log.lines().filter("own"::equals)).hasSize(HistoryBounds.TAIL_BYTES / 4);
        for (int slot = 0; slot < 64; slot++) {
            assertThat(log).contains("slot " + slot + ": last of " + slot + "\n");
        }
    }

    @Test
    void whatOneSlotLeavesAnotherOneTakes() {
        String many = "y".repeat(99).concat("\n").repeat(200);
        assertThat(log("", "short\n", many).length()).isGreaterThan(HistoryBounds.LOG_BYTES - 200);
    }

    @Test
    void aLastLineWithoutRoomLosesItsEnd() {
        assertThat(log("own\n", "\u0001".repeat(4096)))
                .startsWith("own\nslot 0: \\u0001\\u0001")
                .endsWith("\n")
                .hasSize(HistoryBounds.LOG_BYTES);
        String[] slots = new String[64];
        Arrays.setAll(slots, _ -> "first\n" + "é".repeat(150));
        assertThat(log("own\n".repeat(4096), slots).lines().filter(line -> line.matches("slot \\d+: é{80,}")))
                .hasSize(64);
    }
}
