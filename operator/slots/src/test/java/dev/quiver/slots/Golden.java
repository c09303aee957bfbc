package dev.quiver.slots;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Bytes that the agent's tests read and write too. */
final class Golden {
    private Golden() {}

    static byte[] bytes(String name) {
        try (InputStream file = Golden.class.getResourceAsStream("/golden/" + name + ".hex")) {
            String digits = new String(file.readAllBytes(), StandardCharsets.US_ASCII);
            return HexFormat.of().parseHex(digits.replaceAll("\\s", ""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
