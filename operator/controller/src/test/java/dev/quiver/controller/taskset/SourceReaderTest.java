package dev.quiver.controller.taskset;

import static dev.quiver.crds.v1alpha1.TaskSetReason.InputTooLarge;
import static dev.quiver.crds.v1alpha1.TaskSetReason.SourceInvalid;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.crds.v1alpha1.TaskInput;
import dev.quiver.crds.v1alpha1.TaskItem;
import dev.quiver.crds.v1alpha1.TaskSetReason;

class SourceReaderTest {

    private static final TaskCheck COMMANDS = new TaskCheck(Optional.empty(), 1 << 20);
    private static final TaskCheck HANDLER = new TaskCheck(Optional.of("resize"), 1000);

    @Test
    void linesAreTasksButForBlankOnesAndComments() {
        assertThat(SourceReader.lines(COMMANDS, "ConfigMap x, key y", "one\r\n\n  # no\n {\"name\":\"two\"} \n"))
                .isInstanceOfSatisfying(
                        SourceReading.Read.class,
                        r -> assertThat(r.source().payloads()).containsExactly("one", "{\"name\":\"two\"}"));
    }

    @ParameterizedTest
    @MethodSource
    void whatIsNoTaskIsNamed(String text, String part) {
        assertThat(SourceReader.lines(COMMANDS, "ConfigMap x, key y", text))
                .isInstanceOfSatisfying(
                        SourceReading.Invalid.class,
                        i -> assertThat(i.message())
                                .contains("spec.source.configMapKeyRef", "ConfigMap x, key y", part));
    }

    static Stream<Arguments> whatIsNoTaskIsNamed() {
        return Stream.of(
                Arguments.of("", "holds no task"),
                Arguments.of("a\n{\"name\":}", "line 2"),
                Arguments.of("a\n\n{\"args\":[]}", "line 3"),
                Arguments.of("a\0b", "NUL"),
                Arguments.of("x".repeat(300_000), "300000 bytes"));
    }

    @ParameterizedTest
    @MethodSource
    void inputsAreCheckedBeforeTheFirstTaskRuns(TaskCheck check, String line, TaskSetReason reason, String part) {
        assertThat(SourceReader.lines(check, "ConfigMap x, key y", "a\n" + line))
                .isInstanceOfSatisfying(SourceReading.Invalid.class, i -> {
                    assertThat(i.reason()).isEqualTo(reason);
                    assertThat(i.message()).contains("line 2", part);
                });
    }

    static Stream<Arguments> inputsAreCheckedBeforeTheFirstTaskRuns() {
        String large = "\"" + "x".repeat(2000) + "\"";
        return Stream.of(
                Arguments.of(
                        COMMANDS, "{\"name\":\"b\",\"input\":{\"json\":1}}", SourceInvalid, "needs spec.task.handler"),
                Arguments.of(HANDLER, "{\"name\":\"b\",\"args\":[\"x\"]}", SourceInvalid, "takes none: use input"),
                Arguments.of(
                        HANDLER,
                        "{\"name\":\"b\",\"input\":{\"json\":1,\"locator\":\"/a\"}}",
                        SourceInvalid,
                        "exactly one"),
                Arguments.of(
                        HANDLER,
                        "{\"name\":\"b\",\"input\":{\"json\":" + large + "}}",
                        InputTooLarge,
                        "input has 2002 bytes, and slots.inputSize of the pool is 1000"));
    }

    @Test
    void linesForAHandlerMayHaveInputs() {
        assertThat(SourceReader.lines(HANDLER, "x", "a\n{\"name\":\"b\",\"input\":{\"json\":{\"w\":3}}}"))
                .isInstanceOf(SourceReading.Read.class);
    }

    @Test
    void itemsAreFedWithTheirInputs() {
        TaskCheck.Result fed = HANDLER.ofItem(
                new TaskItem("a", null, null, new TaskInput(null, "AQID", null, TaskInput.Format.Arrow)));
        assertThat(fed)
                .isEqualTo(
                        new TaskCheck.Result.Good(
                                "{\"name\":\"a\",\"args\":[],\"env\":[],\"input\":{\"base64\":\"AQID\",\"format\":\"Arrow\"}}"));
    }

    @Test
    void theHashTellsSourcesApart() {
        assertThat(hash("a\nb"))
                .isNotEqualTo(hash("b\na"))
                .isNotEqualTo(hash("a"))
                .hasSize(64);
        assertThat(hash("a\nb")).isEqualTo(hash("# c\na\n\nb\n"));
    }

    private static String hash(String text) {
        return ((SourceReading.Read) SourceReader.lines(COMMANDS, "x", text))
                .source()
                .hash();
    }
}
