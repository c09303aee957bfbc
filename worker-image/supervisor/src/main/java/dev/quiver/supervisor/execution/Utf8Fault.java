package dev.quiver.supervisor.execution;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where an XML document in UTF-8 is none. The parser would say so on the process' standard error, and no place. Pure. */
final class Utf8Fault {

    private static final int CHUNK = 8192;
    private static final int DECLARATION = 256;
    private static final Pattern OTHER =
            Pattern.compile("^<\\?xml[^>]*encoding\\s*=\\s*[\"'](?!utf-?8[\"'])", Pattern.CASE_INSENSITIVE);

    private Utf8Fault() {}

    /** Line and column of the first fault, in words; absent for valid UTF-8, and for another encoding. */
    static Optional<String> in(byte[] document) {
        if (isOfAnotherEncoding(document)) {
            return Optional.empty();
        }
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer from = ByteBuffer.wrap(document);
        CharBuffer to = CharBuffer.allocate(CHUNK);
        CoderResult result;
        do {
            to.clear();
            result = decoder.decode(from, to, true);
        } while (result.isOverflow());
        return result.isError() ? Optional.of(place(document, from.position())) : Optional.empty();
    }

    /** Named in the declaration, or known by the zeros of characters of two bytes. */
    private static boolean isOfAnotherEncoding(byte[] document) {
        String head = new String(document, 0, Math.min(DECLARATION, document.length), StandardCharsets.ISO_8859_1);
        Matcher named = OTHER.matcher(head);
        return named.find()
                || head.startsWith("\u00fe\u00ff")
                || head.startsWith("\u00ff\u00fe")
                || head.indexOf('\0') >= 0 && head.indexOf('\0') < 2;
    }

    private static String place(byte[] document, int at) {
        int line = 1;
        int begin = 0;
        for (int i = 0; i < at; i++) {
            if (document[i] == '\n') {
                line++;
                begin = i + 1;
            }
        }
        return "line " + line + ", column " + (at - begin + 1) + ": the bytes are no UTF-8";
    }
}
