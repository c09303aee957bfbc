package dev.quiver.supervisor.packs;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Set;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * History over TLS: {@code PUT /v1/packs/{session}/{number}}. The client of {@code java.net} is in the base module, so the
 * runtime does not grow.
 */
public final class HistoryDoor implements PackDoor {

    private static final int CONNECT_MILLIS = 5_000;
    private static final int ANSWER_MILLIS = 15_000;
    /** Answers that no repeat would change. */
    private static final Set<Integer> REFUSALS = Set.of(400, 403, 405, 409, 410, 411, 413);

    private final HistoryAddress history;
    private final Keyspace keyspace;
    private String authorities = "";
    private SSLSocketFactory sockets = (SSLSocketFactory) SSLSocketFactory.getDefault();

    /**
     * Connects to nobody yet.
     *
     * @param keyspace whose runs the packs belong to
     */
    public HistoryDoor(HistoryAddress history, Keyspace keyspace) {
        this.history = history;
        this.keyspace = keyspace;
    }

    /** Kept while the file of the authorities stays as it is, since connections are kept by it. */
    private synchronized SSLSocketFactory sockets() throws IOException {
        Path file = history.authorities().orElse(null);
        String pem = file == null || !Files.exists(file)
                ? ""
                : Files.readString(file).strip();
        if (!pem.equals(authorities)) {
            try {
                sockets = pem.isEmpty() ? (SSLSocketFactory) SSLSocketFactory.getDefault() : trusting(pem);
            } catch (GeneralSecurityException e) {
                throw new IOException(file + " has no certificates: " + e.getMessage(), e);
            }
            authorities = pem;
        }
        return sockets;
    }

    private static SSLSocketFactory trusting(String pem) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (Certificate certificate : CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))) {
            store.setCertificateEntry("authority-" + store.size(), certificate);
        }
        if (store.size() == 0) {
            throw new CertificateException("no certificate is in it");
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    @Override
    public Reply put(String session, long number, String run, byte[] body) {
        String place = "/v1/packs/" + session + "/" + number + "?keyspace=" + encoded(keyspace.prefix()) + "&run="
                + encoded(run);
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) history.address().resolve(place).toURL().openConnection();
            if (!(connection instanceof HttpsURLConnection secured)) {
                return new Reply(Answer.REFUSED, "no token is sent without TLS");
            }
            secured.setSSLSocketFactory(sockets());
            secured.setConnectTimeout(CONNECT_MILLIS);
            secured.setReadTimeout(ANSWER_MILLIS);
            secured.setInstanceFollowRedirects(false);
            secured.setRequestMethod("PUT");
            secured.setDoOutput(true);
            secured.setFixedLengthStreamingMode(body.length);
            secured.setRequestProperty(
                    "Authorization",
                    "Bearer " + Files.readString(history.token()).strip());
            try (OutputStream out = secured.getOutputStream()) {
                out.write(body);
            }
            return reply(secured);
        } catch (IOException | IllegalArgumentException e) {
            return new Reply(Answer.LATER, e.toString());
        }
    }

    private static Reply reply(HttpsURLConnection connection) throws IOException {
        int code = connection.getResponseCode();
        // Read to its end, so that the connection can be used again.
        try (InputStream in = code < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            byte[] words = in == null ? new byte[0] : in.readNBytes(1 << 12);
            String text = code + " " + new String(words, StandardCharsets.UTF_8);
            if (code == 200) {
                return new Reply(Answer.STORED, text);
            }
            return new Reply(REFUSALS.contains(code) ? Answer.REFUSED : Answer.LATER, text);
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
