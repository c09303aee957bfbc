package dev.quiver.history.rig;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A token of an account with other times, signed by the API server's own key. */
public final class SignedToken {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final String head;
    private final ObjectNode claims;
    private final PrivateKey key;

    private SignedToken(String head, ObjectNode claims, PrivateKey key) {
        this.head = head;
        this.claims = claims;
        this.key = key;
    }

    /** The same claims as in this token; the key is RSA in PEM, PKCS#8. */
    public static SignedToken of(String token, Path key) throws IOException, GeneralSecurityException {
        String[] parts = token.split("\\.");
        String pem = Files.readString(key).replaceAll("-----[A-Z ]+-----", "");
        return new SignedToken(
                parts[0],
                (ObjectNode) MAPPER.readTree(Base64.getUrlDecoder().decode(parts[1])),
                KeyFactory.getInstance("RSA")
                        .generatePrivate(
                                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem))));
    }

    /** One that holds from then until then. */
    public String valid(Instant from, Instant until) throws GeneralSecurityException {
        ObjectNode times = claims.deepCopy();
        times.put("iat", from.getEpochSecond())
                .put("nbf", from.getEpochSecond())
                .put("exp", until.getEpochSecond());
        String signed = head + "." + base64(times.toString().getBytes(StandardCharsets.UTF_8));
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initSign(key);
        signature.update(signed.getBytes(StandardCharsets.US_ASCII));
        return signed + "." + base64(signature.sign());
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
