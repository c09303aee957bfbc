package dev.quiver.history.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of tenants in CSV and XML, and times that were forged. */
class TextTest {

    @ParameterizedTest
    @ValueSource(strings = {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "|cmd", "%0a"})
    void aFormulaIsText(String formula) {
        assertThat(Text.csv(formula)).startsWith("\"'");
    }

    @Test
    void aQuoteIsDoubledAndPlainTextStays() {
        assertThat(Text.csv("say \"hi\", a=b")).isEqualTo("\"say \"\"hi\"\", a=b\"");
    }

    @Test
    void whatXmlCannotHaveIsReplaced() {
        assertThat(Text.xml("a\u0000\u0008\ufffe\ud800<&>\"\n😀"))
                .isEqualTo("a\\u0000\\u0008\\ufffe\\ud800&lt;&amp;&gt;&quot;&#10;😀");
        assertThat(Text.xml("progress\rdone\r\n")).isEqualTo("progress&#13;done&#13;&#10;");
    }

    /** Characters that turn a text around, or has no width. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u202e", "\u2066", "\u200b", "\u200f", "\ufeff", "\u00ad", "\u3164", "\u001b", "\u2028", "\ufdd0"
            })
    void whatCannotBeSeenIsSeen(String lie) throws Exception {
        String escape = "\\u%04x".formatted((int) lie.charAt(0));
        assertThat(Text.xml("a" + lie + "b")).isEqualTo("a" + escape + "b");
        assertThat(Text.csv("a" + lie + "b")).isEqualTo("\"a" + escape + "b\"");
        String json = Text.json(Documents.MAPPER.writeValueAsString("ä" + lie + "b"));
        assertThat(json).containsIgnoringCase(escape).startsWith("\"ä").doesNotContain(lie);
        assertThat(Documents.MAPPER.readTree(json).asText()).isEqualTo("ä" + lie + "b");
    }

    @Test
    void whatLiesBeyondTheBasicPlaneStaysInAJsonDocument() throws Exception {
        String tag = "\udb40\udc41";
        assertThat(Text.json("\"😀" + tag + "\"")).isEqualTo("\"😀\\udb40\\udc41\"");
    }

    @Test
    void aForgedTailIsNoFault() {
        assertThat(Text.tail(new byte[] {1, 2, 3})).isEqualTo("(this output cannot be read)");
    }

    @Test
    void aForgedTimeStaysATime() {
        assertThat(Documents.time(1L << 50)).isEqualTo("9999-12-31T23:59:59.999Z");
        assertThat(Documents.time(-5)).isEqualTo("1970-01-01T00:00:00.000Z");
        assertThat(Documents.time(1)).isEqualTo("1970-01-01T00:00:00.001Z");
    }
}
