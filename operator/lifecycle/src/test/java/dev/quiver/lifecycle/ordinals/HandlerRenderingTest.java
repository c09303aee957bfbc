package dev.quiver.lifecycle.ordinals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.ExecutionInput.Format;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.EnvVar;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;

class HandlerRenderingTest {

    private static final SlotFacts FACTS = new SlotFacts(5, "pool-abc-0", "/i", "/o", 65_536);
    private static final TaskSource MATRIX = new TaskSource.Matrix(Map.of("size", List.of("s", "m")));

    private static ExecutionSpec spec(TaskSource source, ExecutionInput input, EnvVar... env) {
        return new ExecutionSpec(
                "nightly", new Execution.Handler("square"), List.of(env), Optional.ofNullable(input), source);
    }

    private static ExecutionInput json(String text) {
        return new ExecutionInput.Json(text);
    }

    private static TaskInvocation.Handler render(ExecutionSpec spec, String payload) {
        return (TaskInvocation.Handler) TaskRendering.render(spec, 0, Optional.ofNullable(payload), 2, FACTS);
    }

    private static String text(TaskInvocation invocation) {
        return new String(invocation.input().bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void givesNameContextAndInput() {
        TaskInvocation.Handler run = render(
                spec(new TaskSource.Count(3), json("{\"a\": 1.50}"), new EnvVar("MODE", "fast-$(QUIVER_INDEX)")), null);
        assertThat(run.handler()).isEqualTo("square");
        assertThat(run.env())
                .containsEntry("QUIVER_TASK", "0")
                .containsEntry("QUIVER_INDEX", "0")
                .containsEntry("QUIVER_TASKSET", "nightly")
                .containsEntry("QUIVER_TRIAL", "2")
                .containsEntry("QUIVER_POD_NAME", "pool-abc-0")
                .containsEntry("MODE", "fast-0")
                .doesNotContainKeys("QUIVER_INPUT", "QUIVER_OUTPUT", "QUIVER_SLOT");
        assertThat(text(run)).isEqualTo("{\"a\":1.50}");
        assertThat(run.input().format()).isEqualTo(Format.JSON);
        assertThat(run.input().locator()).isFalse();
    }

    @Test
    void hasNoInputWhereNobodySaysOne() {
        assertThat(render(spec(new TaskSource.Count(3), null), null).input()).isEqualTo(ExecutionInput.Payload.NONE);
    }

    @Test
    void putsTheValuesOfAMatrixIntoTheObject() {
        assertThat(text(render(spec(MATRIX, json("{\"size\":0,\"x\":1}")), null)))
                .isEqualTo("{\"size\":\"s\",\"x\":1}");
        assertThat(text(render(spec(MATRIX, null), null))).isEqualTo("{\"size\":\"s\"}");
        assertThat(text(render(spec(MATRIX, json("[1]")), null))).isEqualTo("[1]");
        assertThat(render(spec(MATRIX, new ExecutionInput.Locator("s3://b/k", Format.ARROW)), null)
                        .input())
                .isEqualTo(new ExecutionInput.Payload("s3://b/k".getBytes(StandardCharsets.UTF_8), Format.ARROW, true));
    }

    @Test
    void putsAPlainLineUnderItsKeyAndTakesTheInputOfAnItem() {
        ExecutionSpec lines = spec(new TaskSource.Lines(), json("{\"x\":1}"));
        assertThat(text(render(lines, "a b"))).isEqualTo("{\"x\":1,\"line\":\"a b\"}");
        assertThat(text(render(lines, "{\"name\":\"n\",\"input\":{\"json\":{\"x\":2,\"y\":null}}}")))
                .isEqualTo("{\"x\":2,\"y\":null}");
    }

    @Test
    void theItemsInputWins() {
        ExecutionSpec items = spec(new TaskSource.Items(), json("{\"x\":1,\"y\":{\"z\":1}}"));
        OrdinalItem merged = item(json("{\"y\":{},\"w\":true}"));
        assertThat(text(render(items, merged.toJson()))).isEqualTo("{\"x\":1,\"y\":{},\"w\":true}");
        assertThat(text(render(items, item(json("3")).toJson()))).isEqualTo("3");
        OrdinalItem bytes = item(new ExecutionInput.Inline("AAEC", Format.BYTES));
        assertThat(render(items, bytes.toJson()).input())
                .isEqualTo(new ExecutionInput.Payload(new byte[] {0, 1, 2}, Format.BYTES, false));
        assertThat(text(render(items, item(null).toJson()))).isEqualTo("{\"x\":1,\"y\":{\"z\":1}}");
    }

    private static OrdinalItem item(ExecutionInput input) {
        return new OrdinalItem("n", List.of(), List.of(), Map.of(), Optional.ofNullable(input));
    }

    @Test
    void givesACommandItsInputButNeverMakesOne() {
        ExecutionSpec bare = new ExecutionSpec("t", List.of("run"), List.of(), List.of(), Optional.empty(), MATRIX);
        assertThat(TaskRendering.render(bare, 0, Optional.empty(), 2, FACTS).input())
                .isEqualTo(ExecutionInput.Payload.NONE);
        ExecutionSpec fed = new ExecutionSpec("t", bare.execution(), List.of(), Optional.of(json("{\"k\":1}")), MATRIX);
        assertThat(text(TaskRendering.render(fed, 0, Optional.empty(), 2, FACTS)))
                .isEqualTo("{\"k\":1,\"size\":\"s\"}");
    }

    @Test
    void refusesArgumentsForAHandler() {
        ExecutionSpec items = spec(new TaskSource.Items(), null);
        assertThatThrownBy(() -> render(items, "{\"name\":\"n\",\"args\":[\"-x\"]}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("args [-x]")
                .hasMessageContaining("square");
    }

    @Test
    void namesFieldAndValueOfABadInput() {
        assertThatThrownBy(() -> new ExecutionInput.Inline("A?", Format.BYTES))
                .hasMessageContaining("input.base64")
                .hasMessageContaining("\"A?\"");
        assertThatThrownBy(() -> json("{\"a\"}")).hasMessageContaining("input.json is not valid JSON");
        assertThatThrownBy(() -> json(" ")).hasMessageContaining("input.json is empty");
        assertThatThrownBy(() -> new ExecutionInput.Locator("x".repeat(1025), Format.BYTES))
                .hasMessageContaining("1025")
                .hasMessageContaining("1024");
        assertThatThrownBy(() -> OrdinalItem.ofJson("{\"name\":\"n\",\"input\":{\"json\":1,\"locator\":\"x\"}}"))
                .hasMessageContaining("input has 2 of json, base64 and locator");
        assertThatThrownBy(() -> OrdinalItem.ofJson("{\"name\":\"n\",\"input\":{\"json\":1,\"format\":\"Arrow\"}}"))
                .hasMessageContaining("input.format is \"Arrow\"");
        assertThatThrownBy(
                        () -> OrdinalItem.ofJson("{\"name\":\"n\",\"input\":{\"locator\":\"x\",\"format\":\"XML\"}}"))
                .hasMessageContaining("input.format is \"XML\"");
        assertThatThrownBy(() -> new Execution.Handler("a\nb")).hasMessageContaining("control character");
        assertThatThrownBy(() -> new Execution.Handler("ä".repeat(65)))
                .hasMessageContaining("130 bytes")
                .hasMessageContaining("1 to 128");
    }

    @Test
    void saysBothSizesOfAnInputThatIsTooLarge() {
        assertThatThrownBy(() -> json("\"" + "x".repeat(262_143) + "\""))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessageContaining("262145")
                .hasMessageContaining("262144");
    }

    @Test
    void specsSurviveRedis() {
        for (ExecutionInput input : List.of(
                json("{\"n\":12345678901234567890.10,\"z\":null}"),
                json("null"),
                new ExecutionInput.Inline("AAEC", Format.ARROW),
                new ExecutionInput.Locator("/data/ü", Format.JSON))) {
            ExecutionSpec spec = spec(new TaskSource.Items(), input, new EnvVar("A", "1"));
            assertThat(ExecutionSpecJson.read(ExecutionSpecJson.write(spec))).isEqualTo(spec);
            ExecutionSpec limited = spec.within(Duration.ofMillis(1_500));
            assertThat(ExecutionSpecJson.read(ExecutionSpecJson.write(limited))).isEqualTo(limited);
            OrdinalItem item = item(input);
            assertThat(OrdinalItem.ofJson(item.toJson())).isEqualTo(item);
        }
    }

    @Test
    void aSetOfCommandsReadsAsBefore() {
        ExecutionSpec spec = new ExecutionSpec(
                "t", List.of("run"), List.of("x"), List.of(), Optional.empty(), new TaskSource.Count(3));
        assertThat(ExecutionSpecJson.write(spec))
                .isEqualTo("{\"taskSet\":\"t\",\"command\":[\"run\"],\"args\":[\"x\"],\"env\":[],"
                        + "\"source\":{\"kind\":\"count\",\"tasks\":3}}");
        ExecutionSpec limited = spec.within(Duration.ofDays(7));
        assertThat(ExecutionSpecJson.write(limited)).endsWith("\"tasks\":3},\"timeLimitMillis\":604800000}");
        assertThat(ExecutionSpecJson.read(ExecutionSpecJson.write(limited))).isEqualTo(limited);
        assertThat(ExecutionSpecJson.read(ExecutionSpecJson.write(spec)).timeLimit())
                .isEmpty();
    }

    @Test
    void refusesATimeLimitOfNothing() {
        ExecutionSpec spec = spec(new TaskSource.Count(3), null);
        assertThatThrownBy(() -> spec.within(Duration.ofNanos(999_999))).hasMessageContaining("at least 1 ms");
        String text = ExecutionSpecJson.write(spec.within(Duration.ofMillis(7)));
        assertThatThrownBy(() -> ExecutionSpecJson.read(text.replace(":7}", ":0}")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
