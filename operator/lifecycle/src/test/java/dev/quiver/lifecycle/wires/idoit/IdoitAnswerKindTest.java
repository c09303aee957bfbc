package dev.quiver.lifecycle.wires.idoit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

class IdoitAnswerKindTest {

    @Test
    void javaAndLuaHaveTheSameLetters() throws IOException {
        String lua;
        try (InputStream in =
                IdoitAnswer.class.getResourceAsStream("/dev/quiver/lifecycle/lua/include/idoit/iterate.lua")) {
            lua = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        Map<String, String> there = Pattern.compile("(?m)^idoit_iteration\\.([A-Z_]+) = '(\\w)'")
                .matcher(lua)
                .results()
                .collect(Collectors.toMap(found -> found.group(1), found -> found.group(2)));
        assertThat(there)
                .isEqualTo(Arrays.stream(IdoitAnswer.Kind.values())
                        .collect(Collectors.toMap(Enum::name, IdoitAnswer.Kind::letter)));
    }
}
