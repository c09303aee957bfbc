package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reasons of failures are numbered alike in C and in the SDKs. */
class ReasonsTest {
    private static final Path ROOT = Path.of("../..");

    private static List<MatchResult> found(String file, String pattern) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(ROOT.resolve(file)))
                .results()
                .toList();
    }

    @Test
    void agentCountsThemInTheSameOrder() throws IOException {
        String words = found("worker-image/agent/include/quiver/layout.h", "enum qv_reason \\{([^}]*)}")
                .getFirst()
                .group(1);
        List<String> names = Pattern.compile("QV_(?:REASON_)?(\\w+),")
                .matcher(words)
                .results()
                .map(name -> name.group(1))
                .toList();
        assertThat(names)
                .containsExactlyElementsOf(
                        List.of(Reason.values()).stream().map(Reason::name).toList());
        assertThat(Reason.values())
                .allSatisfy(reason -> assertThat(reason.code()).isEqualTo(reason.ordinal()));
    }

    @ParameterizedTest
    @CsvSource({
        "worker-image/sdk/python/src/quiver/library.py, '\\n    ([A-Z_]+) = (\\d+)(?=\\n)'",
        "worker-image/sdk/java/src/main/java/dev/quiver/sdk/Failure.java, 'private static final int ([A-Z_]+) = (\\d+);'"
    })
    void sdkHasTheSameNumbers(String file, String pattern) throws IOException {
        Map<String, Integer> known =
                List.of(Reason.values()).stream().collect(Collectors.toMap(Reason::name, Reason::code));
        Map<String, Integer> there = found(file, pattern).stream()
                .filter(number -> known.containsKey(number.group(1)))
                .collect(Collectors.toMap(number -> number.group(1), number -> Integer.valueOf(number.group(2))));
        assertThat(there)
                .containsKeys("OUTPUT_TOO_LARGE", "EXCEPTION", "DO_NOT_RETRY", "HANDLER_NOT_FOUND", "INPUT_INVALID");
        assertThat(known).containsAllEntriesOf(there);
    }
}
