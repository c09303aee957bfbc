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
                .isEqualTo("a\ufffd\ufffd\ufffd\ufffd&lt;&amp;&gt;&quot;&#10;😀");
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
