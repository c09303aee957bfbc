package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {
    private static final ObjectMapper JACKSON =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    @Test
    void anArrayHasItsElementsAsTheyAreWritten() {
        assertThat(JsonText.elements("[]")).isEmpty();
        assertThat(JsonText.elements(" [ ] \n")).isEmpty();
        assertThat(JsonText.elements("[1]")).containsExactly("1");
        assertThat(JsonText.elements(" [ 1.50 , \"a,]\\\"\\u00fc\" ,{ \"b\" : [ 1 , {} ] },null,\ttrue,false, -0e+7 ]"))
                .containsExactly(
                        "1.50", "\"a,]\\\"\\u00fc\"", "{ \"b\" : [ 1 , {} ] }", "null", "true", "false", "-0e+7");
        assertThat(JsonText.elements("[[[]],[[1],[]],\"grün\"]")).containsExactly("[[]]", "[[1],[]]", "\"grün\"");
    }

    @Test
    void anObjectHasItsMembersAsTheyAreWritten() {
        assertThat(JsonText.members("{}")).isEmpty();
        assertThat(JsonText.members(" { \"a\" : [ 1 ], \"b\\\"\":{\"c\":\"}\"} } "))
                .containsExactly(java.util.Map.entry("a", "[ 1 ]"), java.util.Map.entry("b\\\"", "{\"c\":\"}\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1",
                "{}",
                "[",
                "]",
                "[1",
                "[1,",
                "[1,]",
                "[,1]",
                "[1 2]",
                "[1]]",
                "[1] 2",
                "[1}",
                "[{]}",
                "[{\"a\"}]",
                "[{\"a\":}]",
                "[{\"a\":1,}]",
                "[{a:1}]",
                "[{1:1}]",
                "[01]",
                "[1.]",
                "[.5]",
                "[-]",
                "[+1]",
                "[1e]",
                "[1e+]",
                "[nul]",
                "[True]",
                "[NaN]",
                "['a']",
                "[\"a]",
                "[\"\\x\"]",
                "[\"\\u12g4\"]",
                "[\"a\nb\"]",
                "[\"a\0b\"]",
                "[\0]",
                "\uFEFF[]",
                "[\u00A01]"
            })
    void whatIsNoArrayIsRefused(String text) {
        assertThatThrownBy(() -> JsonText.elements(text))
                .isInstanceOf(InputInvalidException.class)
                .hasMessageStartingWith("not a JSON array: ");
    }

    @Test
    void theFaultAndItsPlaceAreNamed() {
        assertThatThrownBy(() -> JsonText.elements("[1,]")).hasMessage("not a JSON array: U+005D at character 3");
        assertThatThrownBy(() -> JsonText.elements("[1")).hasMessage("not a JSON array: the end at character 2");
        assertThatThrownBy(() -> JsonText.members("[]")).hasMessage("not a JSON object: U+005B at character 0");
    }

    @Test
    void aDeepTextNeedsNoStack() {
        String deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
        assertThat(JsonText.elements(deep)).containsExactly(deep.substring(1, deep.length() - 1));
        assertThatThrownBy(() -> JsonText.elements("{\"a\":".repeat(100_000)))
                .isInstanceOf(InputInvalidException.class);
    }

    @Test
    void agreesWithALibraryAboutWhatIsJson() throws JsonProcessingException {
        Random random = new Random(7);
        int arrays = 0;
        for (int i = 0; i < 50_000; i++) {
            String text = i % 2 == 0 ? value(random, 0) : broken(random, "[" + value(random, 0) + "]");
            JsonNode expected = expected(text);
            if (expected == null || !expected.isArray()) {
                assertThatThrownBy(() -> JsonText.elements(text)).as(text).isInstanceOf(InputInvalidException.class);
                continue;
            }
            List<JsonNode> elements = new ArrayList<>();
            for (String element : JsonText.elements(text)) {
                assertThat(element).isEqualTo(element.strip());
                elements.add(JACKSON.readTree(element));
            }
            assertThat(elements).as(text).containsExactlyElementsOf(expected);
            arrays++;
        }
        assertThat(arrays).isGreaterThan(5_000);
    }

    private static JsonNode expected(String text) {
        try {
            return JACKSON.readTree(text);
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    private static String value(Random random, int depth) {
        return switch (random.nextInt(depth > 3 ? 5 : 9)) {
            case 0 -> Integer.toString(random.nextInt(-100, 100));
            case 1 -> random.nextInt(100) + "." + random.nextInt(100) + "E-" + random.nextInt(10);
            case 2 -> List.of("true", "false", "null").get(random.nextInt(3));
            case 3 -> "\"" + "a]},:ü \uD83C\uDFF9".substring(0, random.nextInt(8)) + "\"";
            case 4 -> "\"\\" + List.of("n", "\"", "\\", "u00e4", "/").get(random.nextInt(5)) + "\"";
            case 5 -> " " + value(random, depth + 1) + "\n";
            case 6 -> "{\"a\" : " + value(random, depth + 1) + ",\"\":" + value(random, depth + 1) + "}";
            case 7 -> "[" + value(random, depth + 1) + " , " + value(random, depth + 1) + "]";
            default -> List.of("[]", "{}", "[ ]").get(random.nextInt(3));
        };
    }

    private static String broken(Random random, String text) {
        int at = random.nextInt(text.length());
        String put = "[]{},:\"\\ 01-+.eEtrnu\n\t".charAt(random.nextInt(22)) + "";
        return switch (random.nextInt(3)) {
            case 0 -> text.substring(0, at) + put + text.substring(at);
            case 1 -> text.substring(0, at) + text.substring(at + 1);
            default -> text.substring(0, at) + put + text.substring(at + 1);
        };
    }
}
