package dev.quiver.lifecycle.task.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TreeNodeJsonTest {

    private static TreeNode read(String json) throws JsonProcessingException {
        return new TreeNodeJson("pool").read("tasks[0]", new JsonMapper().readTree(json));
    }

    @Test
    void variablesAndArgumentsOfACommandAreTexts() throws JsonProcessingException {
        assertThat(read("{\"command\":[\"ls\"],\"args\":[\"-l\"],\"env\":{\"LANG\":\"C\",\"A_QUIVER_\":\"\"}}"))
                .isInstanceOfSatisfying(TreeNode.Leaf.class, leaf -> {
                    assertThat(leaf.body().args()).hasToString("[\"-l\"]");
                    assertThat(leaf.body().env()).containsOnlyKeys("LANG", "A_QUIVER_");
                });
        assertThat(read("{\"handler\":\"f\",\"args\":[1,null]}"))
                .isInstanceOfSatisfying(
                        TreeNode.Leaf.class,
                        leaf -> assertThat(leaf.body().args()).hasToString("[1, null]"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"handler\":\"f\",\"env\":{\"QUIVER_RUN\":\"1\"}}|tasks[0].env has the name \"QUIVER_RUN\"",
                "{\"handler\":\"f\",\"env\":{\"\":\"1\"}}|tasks[0].env has the name \"\"",
                "{\"handler\":\"f\",\"env\":{\"a=b\":\"1\"}}|tasks[0].env has the name \"a=b\"",
                "{\"command\":[\"ls\"],\"args\":[1]}|tasks[0].args is 1, a string is needed for a command",
                "{\"command\":[\"ls\"],\"plan\":true}|tasks[0].plan is true, only a handler has a plan",
                "{\"chain\":[],\"planSeconds\":1}|tasks[0].planSeconds is 1, only a handler has a plan",
                "{\"handler\":\"f\",\"planSeconds\":1}|tasks[0].planSeconds is 1, it needs plan: true",
                "{\"handler\":\"f\",\"undo\":true}|tasks[0].undo is true, it needs plan: true",
                "{\"chain\":[{\"handler\":\"f\",\"plan\":true,\"undo\":true}]}|chain[0].undo is true, it is of a whole task",
                "{\"command\":[\"ls\"],\"undo\":true}|tasks[0].undo is true, only a handler has a plan",
                "{\"handler\":\"f\",\"plan\":true,\"undo\":1}|tasks[0].undo is 1, true or false is needed",
                "{\"handler\":\"f\",\"once\":{\"name\":\"a\"}}|tasks[0].once is {\"name\":\"a\"}, it is of a whole task",
                "{\"handler\":\"f\",\"plan\":1}|tasks[0].plan is 1, true or false is needed",
                "{\"handler\":\"f\",\"plan\":true,\"planSeconds\":61}|tasks[0].planSeconds is 61, 1 to 60 is allowed",
                "{\"handler\":\"f#plan\"}|handler \"f#plan\" ends in #plan"
            })
    void whatNoTaskCanHaveIsRefusedByItsField(String json, String message) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
