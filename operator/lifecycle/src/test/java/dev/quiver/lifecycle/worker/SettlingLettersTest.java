package dev.quiver.lifecycle.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

/** Java and Lua have the same letters of settlements and of verdicts under the same names. */
class SettlingLettersTest {

    private static final Pattern CONSTANT = Pattern.compile("(?m)^settling\\.([A-Z_]+) = '(\\w)'");

    private static String lua() throws IOException {
        try (InputStream in =
                SettlementKind.class.getResourceAsStream("/dev/quiver/lifecycle/lua/include/worker/settling.lua")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void javaAndLuaHaveTheSame() throws IOException {
        Map<String, String> there = new HashMap<>();
        CONSTANT.matcher(lua()).results().forEach(found -> there.put(found.group(1), found.group(2)));
        Map<String, String> here = new HashMap<>();
        for (SettlementKind kind : SettlementKind.values()) {
            here.put(kind.name(), kind.letter());
        }
        for (StepCall.Verdict verdict : StepCall.Verdict.values()) {
            here.put(verdict.name(), String.valueOf(verdict.letter()));
        }
        assertThat(there).isEqualTo(here);
    }

    @Test
    void patternsOfTimesBeginWithTheirLetters() throws IOException {
        assertThat(lua())
                .contains("'^" + SettlementKind.FAILED_FOR_NOW.letter() + "(%d+)$'")
                .contains("'^" + SettlementKind.RETURNED_FOR_NOW.letter() + "(%d+)$'")
                .contains("'^" + SettlementKind.BLOCKED.letter() + "(%d+)$'")
                .contains("'^" + SettlementKind.DOUBTFUL.letter() + "(%d+)$'")
                .contains("'^[" + SettlementKind.RETURNED.letter() + SettlementKind.MOVED.letter()
                        + SettlementKind.RETURNED_FOR_NOW.letter() + SettlementKind.BLOCKED.letter()
                        + SettlementKind.BROKEN_OFF.letter() + "]'");
    }

    @Test
    void lettersOfVerdictsAreRead() {
        List<StepCall.Verdict> all = new ArrayList<>(List.of(StepCall.Verdict.values()));
        StringBuilder letters = new StringBuilder();
        all.forEach(verdict -> letters.append(verdict.letter()));
        assertThat(NumberedStep.verdicts(letters.toString())).isEqualTo(all);
    }
}
