package dev.quiver.lifecycle.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RawJsonTest {

    private static final String ODD =
            "[\"\\ud800\", -0 ,-0.0,1e21, 1.10,\"\\u00e9\\/\",\"é\",{ \"a\" : [-0,\"\\uD83D\"]},null,true,\"\",[ ],12345678901234567890.10]";

    private static final String[] WORDS = {
        "\"\\ud800\"",
        "-0",
        "-0.0",
        "1e21",
        "1.10",
        "\"\\u00e9\\/\"",
        "\"é\"",
        "{ \"a\" : [-0,\"\\uD83D\"]}",
        "null",
        "true",
        "\"\"",
        "[ ]",
        "12345678901234567890.10"
    };

    @Test
    void elementsAndFieldsKeepTheirWords() {
        assertThat(RawJson.elements(ODD)).containsExactly(WORDS);
        StringBuilder object = new StringBuilder("{");
        for (int i = 0; i < WORDS.length; i++) {
            object.append(i == 0 ? " " : " , ")
                    .append("\"f")
                    .append(i)
                    .append("\" : ")
                    .append(WORDS[i]);
        }
        assertThat(RawJson.fields(object + "\n}").values()).containsExactly(WORDS);
        assertThat(RawJson.fields("{\"a\":" + ODD + "}")).containsEntry("a", ODD);
        assertThat(RawJson.fields("[1]")).isEmpty();
        assertThatThrownBy(() -> RawJson.fields("{\"a\":}")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void longValuesBehindEachOtherKeepTheirWords() {
        String text = "\"" + "é\\u00e9".repeat(20_000) + "\"";
        String numbers = "[" + "-0,".repeat(40_000) + "1e2]";
        assertThat(RawJson.fields("{\"a\":" + text + ",\"b\":" + numbers + ",\"c\":-0}"))
                .containsEntry("a", text)
                .containsEntry("b", numbers)
                .containsEntry("c", "-0");
    }

    @Test
    void nodesAreWrittenInTheSameWords() {
        assertThat(List.of(WORDS))
                .allSatisfy(word -> assertThat(RawJson.node(word).toString()).isEqualTo(word));
        assertThat(RawJson.text(RawJson.node("\"\\u00e9\\/\""))).hasValue("é/");
        assertThat(RawJson.text(RawJson.node("\"e\""))).hasValue("e");
        assertThat(RawJson.text(RawJson.node("-0"))).isEmpty();
        assertThat(RawJson.text(RawJson.node("[1]"))).isEmpty();
    }

    @Test
    void onlyTheArraysThatAreNamedKeepTheirWords() {
        JsonNode tree = RawJson.tree(
                "[{\"group\":[{\"handler\":\"\\u0068\",\"total\":7,\"args\":" + ODD + "}],\"args\":[]}]",
                Set.of("args"));
        JsonNode leaf = tree.get(0).get("group").get(0);
        assertThat(leaf.get("handler")).isEqualTo(new TextNode("h"));
        assertThat(leaf.get("total").asInt()).isEqualTo(7);
        assertThat(leaf.get("args")).extracting(JsonNode::toString).containsExactly(WORDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"a\"", "\"\uD83D\uDE00é\"", "[1]"})
    void textsWithoutHalvesOfPairsStayAsTheyAre(String json) {
        assertThat(RawJson.encodable(json)).isSameAs(json);
    }

    @Test
    void halvesOfPairsAreEscaped() {
        assertThat(RawJson.encodable("\"\uD83D\uDE00\uD800a\uDC00\uD800\""))
                .isEqualTo("\"\uD83D\uDE00\\ud800a\\udc00\\ud800\"");
    }

    @Test
    void halvesOfPairsInKeysAreRefused() {
        assertThatThrownBy(() -> RawJson.encodable("{\"\uD800\":1}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a key of an object has half of a surrogate pair");
    }
}
