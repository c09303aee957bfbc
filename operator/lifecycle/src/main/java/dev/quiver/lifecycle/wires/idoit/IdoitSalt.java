package dev.quiver.lifecycle.wires.idoit;

import java.security.SecureRandom;
import java.util.Base64;

/**
 * The random part of the ids of the commands that one script call writes. It has 22 characters; the script adds a
 * number, so that each id has 28, as idoit's have.
 */
final class IdoitSalt {

    private static final SecureRandom RANDOM = new SecureRandom();

    private IdoitSalt() {}

    static String fresh() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return Base64.getEncoder().withoutPadding().encodeToString(bytes);
    }
}
