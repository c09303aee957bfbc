package dev.quiver.history.web;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.text.PrintableText;

/**
 * Texts of tenants, made harmless for the format that carries them and for their readers. A character that cannot be
 * seen, or that turns a text around, becomes an escape. Stateless.
 */
final class Text {

    private Text() {}

    /** A cell of CSV: always quoted; what a spreadsheet would take for a formula gets an apostrophe before it. */
    static String csv(String text) {
        String safe = PrintableText.of(text);
        boolean formula = !text.isEmpty() && "=+-@\t\r\n|%".indexOf(text.charAt(0)) >= 0;
        return "\"" + (formula ? "'" : "") + safe.replace("\"", "\"\"") + "\"";
    }

    /** Text of XML 1.0, in attributes, too; carriage returns stay. */
    static String xml(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        printable(text).codePoints().forEach(c -> {
            switch (c) {
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '&' -> safe.append("&amp;");
                case '"' -> safe.append("&quot;");
                case '\t' -> safe.append("&#9;");
                case '\n' -> safe.append("&#10;");
                case '\r' -> safe.append("&#13;");
                default -> safe.appendCodePoint(c);
            }
        });
        return safe.toString();
    }

    /** All that XML cannot have is among what is escaped here. */
    private static String printable(String text) {
        return text.indexOf('\r') < 0
                ? PrintableText.of(text)
                : Arrays.stream(text.split("\r", -1)).map(PrintableText::of).collect(Collectors.joining("\r"));
    }

    /**
     * A JSON document whose invisible characters are replaced by JSON escapes. Its meaning is the same, and it shows as
     * it is in a terminal.
     */
    static String json(String document) {
        int at = 0;
        while (at < document.length() && document.charAt(at) < 0x7f) {
            at++;
        }
        if (at == document.length()) {
            return document;
        }
        StringBuilder safe = new StringBuilder(document.length() + 64).append(document, 0, at);
        while (at < document.length()) {
            int behind = document.offsetByCodePoints(at, 1);
            String one = document.substring(at, behind);
            if (one.charAt(0) < 0x7f || PrintableText.of(one).equals(one)) {
                safe.append(one);
            } else {
                one.chars().forEach(unit -> safe.append("\\u%04x".formatted(unit)));
            }
            at = behind;
        }
        return safe.toString();
    }

    /** A deflated tail as text: invalid UTF-8 is replaced. */
    static String tail(byte[] deflated) {
        return new String(tailBytes(deflated), StandardCharsets.UTF_8);
    }

    /** A deflated tail as its bytes; none for what a tenant forged. */
    static byte[] tailBytes(byte[] deflated) {
        try {
            return Tails.unpack(deflated, HistoryBounds.LOG_BYTES);
        } catch (MalformedEntryException e) {
            return "(this output cannot be read)".getBytes(StandardCharsets.UTF_8);
        }
    }
}
