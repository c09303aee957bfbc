package dev.quiver.history.web;

import java.nio.charset.StandardCharsets;

import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.Tails;

/** Texts of tenants, made harmless for the format that carries them. Stateless. */
final class Text {

    private static final char REPLACEMENT = '\ufffd';

    private Text() {}

    /** A cell of CSV: always quoted; what a spreadsheet would take for a formula gets an apostrophe before it. */
    static String csv(String text) {
        String safe = text.replace("\0", "" + REPLACEMENT);
        boolean formula = !safe.isEmpty() && "=+-@\t\r\n|%".indexOf(safe.charAt(0)) >= 0;
        return "\"" + (formula ? "'" : "") + safe.replace("\"", "\"\"") + "\"";
    }

    /** Text of XML 1.0: characters that it cannot have are replaced, the others escaped; in attributes, too. */
    static String xml(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '&' -> safe.append("&amp;");
                case '"' -> safe.append("&quot;");
                case '\t' -> safe.append("&#9;");
                case '\n' -> safe.append("&#10;");
                case '\r' -> safe.append("&#13;");
                default -> safe.appendCodePoint(isXml(c) ? c : REPLACEMENT);
            }
        });
        return safe.toString();
    }

    private static boolean isXml(int c) {
        return c >= 0x20 && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd || c >= 0x10000;
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
