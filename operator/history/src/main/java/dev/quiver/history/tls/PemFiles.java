package dev.quiver.history.tls;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A chain of certificates and its key in PEM, as a Secret of type {@code kubernetes.io/tls} has them. The key is
 * PKCS#8, PKCS#1 (RSA) or SEC 1 (EC). Stateless.
 */
final class PemFiles {

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----([^-]*)-----END \\1-----");

    /** The algorithm's identifier for RSA, as DER. */
    private static final byte[] RSA = HexFormat.of().parseHex("300d06092a864886f70d0101010500");

    private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201");
    private static final byte[] VERSION = {2, 1, 0};
    private static final int SEQUENCE = 0x30;
    private static final int OCTETS = 0x04;
    private static final int PARAMETERS = 0xa0;
    private static final int LONG_FORM = 0x80;

    private PemFiles() {}

    /**
     * The chain, the server's own certificate first.
     *
     * @throws IOException for a file that cannot be read
     * @throws CertificateException for one without certificates; the message names it
     */
    static X509Certificate[] chain(Path file) throws IOException, CertificateException {
        try {
            X509Certificate[] chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)))
                    .stream()
                    .map(X509Certificate.class::cast)
                    .toArray(X509Certificate[]::new);
            if (chain.length == 0) {
                throw new CertificateException(file + " has no certificate");
            }
            return chain;
        } catch (CertificateException e) {
            throw new CertificateException(file + " has no chain of certificates: " + e.getMessage(), e);
        }
    }

    /**
     * The private key.
     *
     * @throws IOException for a file that cannot be read
     * @throws GeneralSecurityException for one without a key of RSA or EC; the message names it
     */
    static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        Matcher pem = KEY.matcher(Files.readString(file, StandardCharsets.US_ASCII));
        if (!pem.find()) {
            throw new InvalidKeyException(file + " has no private key in PEM, or an encrypted one");
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(pem.group(2));
            return switch (pem.group(1)) {
                case "RSA PRIVATE KEY" -> key("RSA", der(SEQUENCE, VERSION, RSA, der(OCTETS, der)));
                case "EC PRIVATE KEY" ->
                    key("EC", der(SEQUENCE, VERSION, der(SEQUENCE, EC, curve(der)), der(OCTETS, der)));
                default -> pkcs8(der);
            };
        } catch (GeneralSecurityException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new InvalidKeyException(file + " has a key that is neither RSA nor EC: " + e.getMessage(), e);
        }
    }

    private static PrivateKey key(String algorithm, byte[] pkcs8) throws GeneralSecurityException {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    }

    private static PrivateKey pkcs8(byte[] der) throws GeneralSecurityException {
        GeneralSecurityException last = null;
        for (String algorithm : List.of("RSA", "EC")) {
            try {
                return key(algorithm, der);
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw last;
    }

    /** An element of DER. */
    private static byte[] der(int tag, byte[]... parts) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            body.writeBytes(part);
        }
        ByteArrayOutputStream element = new ByteArrayOutputStream();
        element.write(tag);
        int length = body.size();
        if (length < LONG_FORM) {
            element.write(length);
        } else {
            byte[] digits = new java.math.BigInteger(
                            1, new byte[] {(byte) (length >> 16), (byte) (length >> 8), (byte) length})
                    .toByteArray();
            int from = digits[0] == 0 ? 1 : 0;
            element.write(LONG_FORM | digits.length - from);
            element.write(digits, from, digits.length - from);
        }
        element.writeBytes(body.toByteArray());
        return element.toByteArray();
    }

    /** The curve that a key of SEC 1 names: its element [0], behind version and number. */
    private static byte[] curve(byte[] key) {
        int at = content(key, 0);
        while (at < key.length) {
            int from = content(key, at);
            int end = from + length(key, at);
            if ((key[at] & 0xff) == PARAMETERS) {
                return Arrays.copyOfRange(key, from, end);
            }
            at = end;
        }
        throw new IllegalArgumentException("it names no curve");
    }

    private static int content(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        return at + 2 + (first < LONG_FORM ? 0 : first - LONG_FORM);
    }

    private static int length(byte[] der, int at) {
        int length = der[at + 1] & 0xff;
        if (length < LONG_FORM) {
            return length;
        }
        int value = 0;
        for (int i = at + 2; i < content(der, at); i++) {
            value = value << 8 | der[i] & 0xff;
        }
        return value;
    }
}
