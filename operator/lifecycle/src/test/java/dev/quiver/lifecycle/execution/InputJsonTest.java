package dev.quiver.lifecycle.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

class InputJsonTest {

    @Test
    void writesKeysAsATreeDoes() {
        List<String> texts = List.of(
                "",
                "a",
                "7",
                "\"",
                "\\",
                "/",
                "a\nb\tc\r",
                "\u0000\u001f\u007f",
                "ü€",
                "\ud83d\ude00",
                "\ud83d",
                "\u2028",
                "'<>&");
        Map<String, String> keys = new LinkedHashMap<>();
        assertThat(InputJson.of(keys)).isEqualTo("{}");
        for (String text : texts) {
            keys.put("key of " + text, text);
            assertThat(InputJson.of(keys)).isEqualTo(InputJson.with("{}", keys));
        }
        assertThat(InputJson.compact(InputJson.of(keys))).isEqualTo(InputJson.of(keys));
    }

    @Test
    void elementsKeepTheirWords() {
        String text = " [1.50, \"a,]\", {\"b\": [1, 2]} ,[ ],null, 1e400 ]";
        List<String> all = InputJson.elements(text);
        assertThat(all).containsExactly("1.50", "\"a,]\"", "{\"b\": [1, 2]}", "[ ]", "null", "1e400");
        for (int i = 0; i < all.size(); i++) {
            assertThat(InputJson.element(text, i)).contains(all.get(i));
        }
        assertThat(InputJson.elements("{}")).isEmpty();
    }
}
