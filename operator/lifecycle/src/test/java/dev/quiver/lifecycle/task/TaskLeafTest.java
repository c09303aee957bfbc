package dev.quiver.lifecycle.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInput.Format;
import dev.quiver.lifecycle.execution.TaskInvocation;

class TaskLeafTest {

    private static final SlotFacts FACTS = new SlotFacts(5, "pool-abc-0", "/i", "/o", 65_536);

    private static TaskInvocation rendered(String text, String from, String given, String progress) {
        return TaskLeaf.of("tasks:p", "t", 1, 3, 0, text, from, given, progress, Relocation.NONE)
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
    void leavesTheSameArrayInTheFileOfACommand() {
        TaskInvocation run = rendered("{\"name\":\"n\",\"command\":[\"c\"],\"args\":[\"a\"]}", "3", "J\n0", "");
        assertThat(((TaskInvocation.Command) run).argv()).isEqualTo(List.of("c", "a"));
        assertThat(input(run)).isEqualTo("[\"a\",0]");
        assertThat(run.input().format()).isEqualTo(Format.JSON);
    }
}
