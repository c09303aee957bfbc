package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks that an answer brings are checked as in Python: both read the same samples. */
class BroughtTest {
    private static final Path SAMPLES = Path.of("../python/tests/brought.json");
    private static final String TASK = "{\"handler\":\"f\"}";

    private static List<Map<String, String>> samples(String kind) throws IOException {
        return JsonText.elements(JsonText.members(Files.readString(SAMPLES)).get(kind)).stream()
                .map(JsonValues::members)
                .toList();
    }

    static List<Map<String, String>> refused() throws IOException {
        return samples("refused");
    }

    static List<Map<String, String>> taken() throws IOException {
        return samples("taken");
    }

    static List<Map<String, String>> tooMany() throws IOException {
        return samples("tooMany");
    }

    private static String says(Map<String, String> sample) {
        return JsonValues.text(sample.get("says")).orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aTaskThatTheWorkerWouldRefuseIsRefusedWithFieldAndValue(Map<String, String> sample) {
        List<String> tasks = List.of(TASK, sample.get("task"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Done.of(null, tasks))
                .withMessageStartingWith("Done: tasks[1]")
                .withMessageContaining(says(sample));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Plan.builder().before(tasks))
                .withMessageStartingWith("Plan: before[1]")
                .withMessageContaining(says(sample));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Plan.builder().undo(tasks))
                .withMessageStartingWith("Plan: undo[1]")
                .withMessageContaining(says(sample));
    }

    @ParameterizedTest
    @MethodSource("taken")
    void aTaskThatTheWorkerTakesIsTakenAndItsNodesAreCounted(Map<String, String> sample) throws Exception {
        assertThat(Nodes.count("here", sample.get("task"))).hasToString(sample.get("nodes"));
        assertThat(Done.of(null, List.of(sample.get("task"))).tasks()).containsExactly(sample.get("task"));
    }

    @ParameterizedTest
    @MethodSource("tooMany")
    void tooManyAreRefusedWithBothNumbers(Map<String, String> sample) {
        List<String> tasks = Collections.nCopies(Integer.parseInt(sample.get("tasks")), sample.get("task"));
        assertThatThrownBy(() -> Done.of(null, tasks))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessage("Done: " + says(sample));
    }
}
