package dev.quiver.lifecycle.task.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.ExecutionInput.Format;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskDocument;

class TaskLeafTest {

    private static final SlotFacts FACTS = new SlotFacts(5, "pool-abc-0", "/i", "/o", 65_536);

    private static TaskInvocation rendered(String text, String from, String given, String progress) {
        return TaskLeaf.of("tasks:p", "t", 1, 3, 0, text, from, given, progress, Relocation.NONE, "")
                .render(FACTS);
    }

    private static String input(TaskInvocation invocation) {
        return new String(invocation.input().bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void callsAFunctionWithItsArgumentsAndTheResultBeforeIt() {
        TaskInvocation run = rendered("{\"name\":\"n\",\"handler\":\"h\",\"args\":[1.50,\"ü\"]}", "3", "J\n[2]", "");
        assertThat(run).isInstanceOf(TaskInvocation.Handler.class);
        assertThat(input(run)).isEqualTo("[1.50,\"ü\",[2]]");
        assertThat(run.input().format()).isEqualTo(Format.ARGUMENTS);
        assertThat(run.input().locator()).isFalse();
        assertThat(input(rendered("{\"name\":\"n\",\"handler\":\"h\"}", "", "", "")))
                .isEqualTo("[]");
    }

    @Test
    void tellsAFunctionTheTokensOfItsPermits() {
        String text = "{\"name\":\"n\",\"handler\":\"h\"}";
        TaskInvocation run = TaskLeaf.of(
                        "tasks:p", "t", 1, 3, 0, text, "", "", "", Relocation.NONE, "{\"tenant!acme\":7}")
                .render(FACTS);
        assertThat(run.env()).containsEntry("QUIVER_TOKENS", "{\"tenant!acme\":7}");
        assertThat(rendered(text, "", "", "").env()).doesNotContainKey("QUIVER_TOKENS");
    }

    @Test
    void argumentsKeepTheWordsOfTheirDocument() {
        String odd = "[\"\\ud800\",-0,-0.0,1e+21,1E2,{ \"a\":-0},\"\\u00e9\"]";
        assertThat(input(rendered(
                        "{\"name\":\"n\",\"handler\":\"h\",\"args\":" + odd + ",\"env\":{\"A\":\"b\"}}", "", "", "")))
                .isEqualTo(odd);
        TaskInvocation run = rendered("{\"name\":\"n\",\"command\":[\"c\"],\"args\":[\"\\u00e9\\/\",-0]}", "", "", "");
        assertThat(((TaskInvocation.Command) run).argv()).isEqualTo(List.of("c", "é/", "-0"));
    }

    @Test
    void asksAnIteratorWithOneArgument() {
        TaskInvocation run = rendered("{\"name\":\"n\",\"handler\":\"h\",\"args\":[7]}", "", "", "4 3 500 S{\"at\":9}");
        assertThat(input(run))
                .isEqualTo("[{\"state\":{\"at\":9},\"created\":4,\"finished\":3,\"room\":500,\"args\":[7]}]");
        assertThat(run.input().format()).isEqualTo(Format.ARGUMENTS);
    }

    @Test
    void resultsStandOnTheLineOfACommandAsTheirValues() {
        TaskBody body = TaskDocument.read(
                "{\"name\":\"n\",\"command\":[\"c\"],\"args\":[\"-a\",\"$(results.a)\",7,\"$(results.b)\"],"
                        + "\"results\":{\"a\":1,\"b\":2}}");
        assertThat(argv(body, Map.of("a", "\"two \\u00fc words\"", "b", "{\"n\": 1.50}")))
                .containsExactly("c", "-a", "two ü words", "7", "{\"n\": 1.50}");
        assertThat(argv(body, Map.of("a", "null", "b", "false"))).containsExactly("c", "-a", "null", "7", "false");
        String most = "x".repeat(TaskBody.MOST_WORD_BYTES);
        assertThat(argv(body, Map.of("a", "\"" + most + "\"", "b", "1"))).contains(most);
        assertThatThrownBy(() -> argv(body, Map.of("a", "1", "b", "\"" + most + "x\"")))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessageStartingWith("args[3] has 131072 bytes, and an argument of a process at most 131071");
        assertThatThrownBy(() -> argv(body, Map.of("a", "\"a\\u0000b\"", "b", "1")))
                .hasMessage("args[1] has a NUL character: no process can be given one as an argument");
    }

    private static List<String> argv(TaskBody body, Map<String, String> results) {
        SlotFacts large = new SlotFacts(5, "pool-abc-0", "/i", "/o", 1 << 20);
        return ((TaskInvocation.Command) body.invocation(
                        "n", body.given(results, Optional.empty()), 1, Map.of(), Optional.empty(), large))
                .argv();
    }

    @Test
    void leavesTheSameArrayInTheFileOfACommand() {
        TaskInvocation run = rendered("{\"name\":\"n\",\"command\":[\"c\"],\"args\":[\"a\"]}", "3", "J\n0", "");
        assertThat(((TaskInvocation.Command) run).argv()).isEqualTo(List.of("c", "a"));
        assertThat(input(run)).isEqualTo("[\"a\",0]");
        assertThat(run.input().format()).isEqualTo(Format.JSON);
    }
}
