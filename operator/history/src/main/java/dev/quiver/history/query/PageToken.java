package dev.quiver.history.query;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** The key of the last row of a page, as text that a client hands back. Stateless. */
public final class PageToken {

    private static final int LONGEST = 200;

    private PageToken() {}

    /** The key's parts as a token. */
    public static String of(long... key) {
        StringBuilder text = new StringBuilder();
        for (long part : key) {
            text.append(text.isEmpty() ? "" : ":").append(part);
        }
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * The parts of a token.
     *
     * @param parts how many a key of this list has
     * @throws BadQueryException for what is no token of this list
     */
    public static Optional<long[]> read(Optional<String> token, int parts) {
        if (token.isEmpty()) {
            return Optional.empty();
        }
        try {
            if (token.get().length() > LONGEST) {
                throw new IllegalArgumentException("too long");
            }
            String[] words =
                    new String(Base64.getUrlDecoder().decode(token.get()), StandardCharsets.US_ASCII).split(":", -1);
            if (words.length != parts) {
                throw new IllegalArgumentException("of another list");
            }
            long[] key = new long[parts];
            for (int i = 0; i < parts; i++) {
                key[i] = Long.parseLong(words[i]);
            }
            return Optional.of(key);
        } catch (IllegalArgumentException e) {
            throw new BadQueryException("continue is no token of this list");
        }
    }
}
