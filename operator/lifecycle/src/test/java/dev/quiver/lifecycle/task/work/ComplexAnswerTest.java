package dev.quiver.lifecycle.task.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.execution.Effects;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.task.model.Complex;

class ComplexAnswerTest {

    private static final Optional<Complex> OF = Optional.of(Complex.request("h", "k"));

    private static ObjectNode answer(String members) {
        return ComplexAnswer.of(
                        Effects.of(new ExecutionInput.Payload(
                                ("{" + members + "}").getBytes(StandardCharsets.UTF_8),
                                ExecutionInput.Format.EFFECTS,
                                false)),
                        OF,
                        "p")
                .orElseThrow();
    }

    @Test
    void equalValuesHaveEqualWords() {
        assertThat(answer(
                                "\"state\":[{\"set\":\"a\",\"value\":{\"z\":[1.50, \"\\u00e9\"],\"b\":null},\"expect\":{ \"b\" : -0 }},"
                                        + "{\"delete\":\"b\"},{\"add\":\"c\",\"value\":-2}]")
                        .path("operations"))
                .hasToString("[[\"s\",\"a\",\"{\\\"b\\\":null,\\\"z\\\":[1.50,\\\"é\\\"]}\",\"{\\\"b\\\":0}\"],"
                        + "[\"d\",\"b\",\"\"],[\"a\",\"c\",\"-2\"]]");
    }

    @Test
    void aMarkerHasALeafForEachOfItsCountWithTheResourceByWhichItTakesTurns() {
        ObjectNode part =
                answer("\"markers\":{\"m\":{\"count\":2,\"resources\":[\"online\"],\"args\":[1.0]},\"n\":null,"
                        + "\"o\":{\"parallel\":true}}");
        assertThat(part.path("of").asText()).isEqualTo("p/h\0k");
        assertThat(part.path("markers").path(0)).hasSize(4);
        assertThat(part.path("markers").path(1)).hasToString("[\"n\",false]");
        assertThat(part.path("trees").toString())
                .contains("online\\u001Ecomplex!h!k", "\\\"args\\\":[1.0]", "\\\"marker\\\":\\\"m\\\"");
        assertThat(part.path("trees").toString().split("complex!h!k", -1)).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"state\":{}|state are no JSON array",
                "\"state\":[{\"set\":\"a\"}]|state[0] has [set], set or add with a value, or delete without one, is needed",
                "\"state\":[{\"delete\":\"a\",\"value\":1}]|state[0] has [delete, value]",
                "\"state\":[{\"set\":\"a\",\"add\":\"a\",\"value\":1}]|state[0] has [set, add, value]",
                "\"state\":[{\"set\":\"a\",\"value\":1,\"if\":2}]|state[0].if is no field of an operation",
                "\"state\":[{\"set\":\"a b\",\"value\":1}]|state[0] has \"a b\", 1 to 128 printable",
                "\"state\":[{\"set\":7,\"value\":1}]|state[0] has \"\", 1 to 128 printable",
                "\"state\":[{\"add\":\"a\",\"value\":\"1\"}]|state[0].value is \"1\", a number is needed",
                "\"markers\":[]|markers is [], an object is needed",
                "\"markers\":{\"m\":1}|markers.m is 1, an object or null is needed",
                "\"markers\":{\"\":{}}|markers has \"\", 1 to 128 printable",
                "\"markers\":{\"m\":{\"count\":0}}|markers.m.count is 0, 1 to 64 is allowed",
                "\"markers\":{\"m\":{\"count\":65}}|markers.m.count is 65, 1 to 64 is allowed",
                "\"markers\":{\"m\":{\"handler\":\"g\"}}|markers.m.handler is no field of a marker",
                "\"markers\":{\"m\":{\"parallel\":1}}|markers.m.parallel is 1, true or false is needed",
                "\"markers\":{\"m\":{\"maxTrials\":0}}|maxTrials",
                "\"markers\":{\"m\":{\"resources\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\"]}}|the number of resources",
                "\"markers\":{\"m\":{\"count\":64},\"n\":{}}|markers has 2 names and 65 tasks of them, at most 64"
            })
    void whatMakesNoSenseIsRefusedByItsField(String members, String message) {
        assertThatThrownBy(() -> answer(members))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void oneAnswerHasABound() {
        String many = IntStream.range(0, 1025)
                .mapToObj(i -> "{\"delete\":\"f" + i + "\"}")
                .collect(Collectors.joining(",", "\"state\":[", "]"));
        assertThatThrownBy(() -> answer(many)).hasMessage("state has 1025 operations, at most 1024 are allowed");
        assertThatThrownBy(() -> answer("\"state\":[{\"set\":\"a\",\"value\":\"" + "x".repeat(65_536) + "\"}]"))
                .hasMessageContaining("state and markers have 655")
                .hasMessageContaining("at most 65536 are allowed");
    }
}
