package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EffectsTest {
    private static final String TASK = "{\"handler\":\"sync\",\"args\":[1]}";

    private static String text(Output output) throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        output.writeTo(Channels.newChannel(written));
        assertThat(output.format()).isEqualTo(Format.EFFECTS);
        assertThat(output.isLocator()).isFalse();
        assertThat(output.length()).isEqualTo(written.size());
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void anEndHasAResultAndTasks() throws Exception {
        Done done = Done.of("{\"at\": \"grün\"}", List.of(TASK, TASK));
        assertThat(text(done)).isEqualTo("{\"result\":{\"at\": \"grün\"},\"tasks\":[" + TASK + "," + TASK + "]}");
        assertThat(done.result()).contains("{\"at\": \"grün\"}");
        assertThat(done.tasks()).containsExactly(TASK, TASK);
        assertThat(text(Done.of("[1]"))).isEqualTo("{\"result\":[1]}");
        assertThat(text(Done.of(null, List.of(TASK)))).isEqualTo("{\"tasks\":[" + TASK + "]}");
        assertThat(text(Done.of(null))).isEqualTo("{}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1,\"tasks\":[]", "1 2", "{", "NaN", "1}"})
    void aResultIsOneJsonValue(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Done.of(text))
                .withMessageStartingWith("Done: result: not a JSON value: ");
    }

    @Test
    void aTaskIsAnObject() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Done.of("1", List.of(TASK, "7")))
                .withMessageStartingWith("Done: tasks[1]: not a JSON object: ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Plan.builder().tasks(List.of("{},{}")))
                .withMessageStartingWith("Plan: tasks[0]: not a JSON object: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"handler\":\"f\",\"complexKey\":\"a b\"} | complexKey is \"a b\": with complexKey it is printable ASCII without",
                "{\"handler\":\"f\",\"complexKey\":null} | complexKey is null: with",
                "{\"handler\":\"fü\",\"complexKey\":\"k\"} | handler is \"fü\": with complexKey it is printable ASCII",
                "{\"chain\":[],\"complexKey\":\"k\"} | complexKey is a field of a call alone: a chain has no complexKey",
                "{\"handler\":\"f\",\"complexKey\":\"k\",\"plan\":false} | plan is false: with complexKey there is a plan",
                "{\"handler\":\"f\",\"complexKey\":\"k\",\"contingency\":true} | contingency is true: with complexKey it is of the",
                "{\"handler\":\"f\",\"complexKey\":\"k\",\"resources\":[\"a\"]} | resources is [\"a\"]: with complexKey it is of",
            })
    void aRequestIsOneThatAComplexTaskCanHave(String task, String words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Done.of("1", List.of(TASK, task)))
                .withMessageStartingWith("Done: tasks[1]: " + words);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> Done.of(null).undoing(List.of("{\"chain\":[{\"forEach\":{\"group\":[" + task + "]}}]}")))
                .withMessageStartingWith("Done: undo[0].chain[0].forEach.group[0]: " + words);
    }

    @Test
    void aRequestsNameAndKeyHaveASize() throws Exception {
        String task = "{\"handler\":\"f\",\"resources\":[],\"contingency\":false,\"plan\":true,\"complexKey\":\"%s\"}";
        assertThat(Done.of("1", List.of(task.formatted("k".repeat(118)))).tasks())
                .hasSize(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Done.of("1", List.of(task.formatted("k".repeat(119)))))
                .withMessage(
                        "Done: tasks[0]: handler and complexKey have 120 characters together, at most 119 are allowed");
    }

    @Test
    void theTasksHaveANumberAndASize() throws Exception {
        assertThat(Done.of("1", Collections.nCopies(64, TASK)).tasks()).hasSize(64);
        assertThatThrownBy(() -> Done.of("1", Collections.nCopies(65, TASK)))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessage("Done: tasks has 65 elements, at most 64 are taken");
        String frame = "[{\"handler\":\"f\",\"args\":[\"\"]}]";
        int most = 64 * 1024 - frame.length();
        assertThat(Done.of(null, List.of("{\"handler\":\"f\",\"args\":[\"" + "x".repeat(most) + "\"]}"))
                        .length())
                .isEqualTo(64 * 1024 + "{\"tasks\":}".length());
        assertThatThrownBy(() -> Plan.builder()
                        .tasks(List.of("{\"handler\":\"f\",\"args\":[\"" + "ü".repeat(most / 2)
                                + (most % 2 == 0 ? "x" : "xx") + "\"]}")))
                .isInstanceOf(DoNotRetryException.class)
                .hasMessage("Plan: tasks has 65537 bytes of JSON, at most 65536 are taken");
    }

    @Test
    void aPlanSaysWhatItChanges() throws Exception {
        Plan plan = Plan.builder()
                .relPriority(-99_999)
                .tags(List.of("send", "\"\\"))
                .resources(List.of())
                .fairnessKey("~")
                .args(List.of("\"ü\"", " null"))
                .tasks(List.of(TASK))
                .build();
        assertThat(text(plan.output()))
                .isEqualTo("{\"relPriority\":-99999,\"tags\":[\"send\",\"\\\"\\\\\"],\"resources\":[],"
                        + "\"fairnessKey\":\"~\",\"args\":[\"ü\", null],\"tasks\":[" + TASK + "]}");
        assertThat(text(Plan.builder()
                        .tasks(List.of(TASK))
                        .tasks(List.of())
                        .build()
                        .output()))
                .isEqualTo("{}");
        assertThat(text(Plan.done(Done.of("7", List.of(TASK))).output()))
                .isEqualTo("{\"done\":true,\"result\":7,\"tasks\":[" + TASK + "]}");
    }

    @Test
    void aValueOutOfBoundsIsRefusedWithItsField() {
        Plan.Builder plan = Plan.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.relPriority(100_000))
                .withMessage("Plan: relPriority has 100000, -99999 to 99999 is allowed");
        assertThatIllegalArgumentException().isThrownBy(() -> plan.relPriority(Integer.MIN_VALUE));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.tags(List.of("a b")))
                .withMessage(
                        "Plan: tags has \"a b\", 1 to 128 printable characters of ASCII without blanks are allowed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.resources(Collections.nCopies(9, "a")))
                .withMessage("Plan: resources has 9 names, at most 8 are allowed");
        assertThatIllegalArgumentException().isThrownBy(() -> plan.fairnessKey("x".repeat(129)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> plan.args(List.of("1", "a")))
                .withMessageStartingWith("Plan: args[1]: not a JSON value: ");
    }

    @Test
    void noInputIsEffectsAndNoLocatorLeadsToThem() {
        assertThatThrownBy(() -> InputFixture.of("{}", Format.EFFECTS.ordinal(), false))
                .isInstanceOf(InputInvalidException.class)
                .hasMessage("format 4 is not known to this SDK");
        assertThatThrownBy(() -> Format.ofOutput(new Located()))
                .hasMessage("output: EFFECTS is no format of a locator");
    }

    private record Located() implements Output {
        @Override
        public Format format() {
            return Format.EFFECTS;
        }

        @Override
        public boolean isLocator() {
            return true;
        }

        @Override
        public long length() {
            return 0;
        }

        @Override
        public void writeTo(WritableByteChannel channel) {}
    }
}
