package dev.quiver.controller.tenancy;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Makes passwords for Redis. Thread-safe. */
public final class Passwords {

    private static final int BYTES = 24;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Passwords() {}

    /** 48 random hex digits, with no character that a URI or an ACL rule would have to escape. */
    public static String fresh() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
