package dev.quiver.lifecycle.task.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;

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

    @Test
    void aRequestToAComplexTaskHasAPlanAndOneResource() throws JsonProcessingException {
        assertThat(
                        read("{\"chain\":[{\"handler\":\"f\",\"complexKey\":\"k\",\"undo\":false}],\"resources\":[\"online\"],"
                                        + "\"tags\":[\"t\"]}")
                                .children()
                                .getFirst())
                .isInstanceOfSatisfying(TreeNode.Leaf.class, leaf -> {
                    assertThat(leaf.firstHandler()).contains("f#plan");
                    assertThat(leaf.rank().resources()).containsExactly("complex!f!k");
                    assertThat(leaf.rank().tags()).containsExactly("t");
                    assertThat(leaf.body().complex()).contains(new Complex("f", "k", Optional.empty()));
                });
    }

    @Test
    void functionAndKeyFitIntoTheNameOfAResource() {
        assertThat(Complex.request("f", "k".repeat(118)).resource()).hasSize(Rank.NAME_BYTES);
        assertThatThrownBy(() -> Complex.request("f", "k".repeat(119)))
                .hasMessage("handler and complexKey have 120 bytes together, at most 119 are allowed");
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
                "{\"group\":[{\"chain\":[{\"handler\":\"f\",\"plan\":true}],\"undo\":true}]}|group[0].undo is true, it is of a whole",
                "{\"group\":[{\"handler\":\"f\"}],\"undo\":true}|tasks[0]: undo is true, and no task of the composite has a plan",
                "{\"group\":[{\"handler\":\"f\",\"plan\":true}],\"undo\":1}|tasks[0].undo is 1, true or false is needed",
                "{\"forEach\":{\"handler\":\"f\",\"plan\":true},\"undo\":true}|tasks[0].undo is true, only a handler has a plan",
                "{\"command\":[\"ls\"],\"undo\":true}|tasks[0].undo is true, only a handler has a plan",
                "{\"handler\":\"f\",\"plan\":true,\"undo\":1}|tasks[0].undo is 1, true or false is needed",
                "{\"handler\":\"f\",\"once\":{\"name\":\"a\"}}|tasks[0].once is {\"name\":\"a\"}, it is of a whole task",
                "{\"command\":[\"ls\"],\"complexKey\":\"k\"}|tasks[0].complexKey is \"k\", only a handler has a plan",
                "{\"handler\":\"f\",\"complexKey\":\"a b\"}|tasks[0]: complexKey is \"a b\", printable characters of ASCII",
                "{\"handler\":\"ü\",\"complexKey\":\"k\"}|tasks[0]: handler \"ü\" has a complexKey, so its name has printable",
                "{\"handler\":\"f\",\"complexKey\":\"k\",\"plan\":false}|tasks[0].plan is false, with complexKey there is a plan",
                "{\"handler\":\"f\",\"complexKey\":\"k\",\"contingency\":true}|tasks[0].contingency is true, with complexKey",
                "{\"handler\":\"f\",\"complexKey\":\"k\",\"resources\":[\"a\"]}|tasks[0].resources is [\"a\"], with complexKey",
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
