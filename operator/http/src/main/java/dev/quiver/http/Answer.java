package dev.quiver.http;

import java.nio.charset.StandardCharsets;

/**
 * An HTTP answer as plain text.
 *
 * @param status HTTP status
 * @param contentType MIME type of the text
 * @param text for a person to read
 */
public record Answer(int status, String contentType, String text) {

    private static final String PLAIN = "text/plain; charset=utf-8";

    /** 200 if fine, otherwise 503, with the words. */
    public static Answer of(boolean fine, String words) {
        return fine ? yes(words) : no(words);
    }

    /** 200 and the words. */
    public static Answer yes(String words) {
        return new Answer(200, PLAIN, words + "\n");
    }

    /** 503 and the reason. */
    public static Answer no(String reason) {
        return new Answer(503, PLAIN, reason + "\n");
    }

    byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
