package dev.quiver.history.kube;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * The API server of the cluster, asked with the token of this pod. Token and authority are read at each request, so a
 * new token counts at once. Thread-safe.
 */
public final class KubernetesApi implements AutoCloseable {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int WORDS = 300;

    private final URI address;
    private final Path folder;
    private HttpClient client;
    private byte[] authority = {};

    /**
     * Asks nothing yet.
     *
     * @param address {@code https://host:port}
     * @param folder has {@code token} and {@code ca.crt}, as kubelet mounts them into a pod
     */
    public KubernetesApi(URI address, Path folder) {
        this.address = address;
        this.folder = folder;
    }

    /**
     * The object at a path; absent where there is none.
     *
     * @throws ApiServerException when nobody answers, or with another refusal than 404
     */
    public Optional<JsonNode> get(String path) {
        HttpResponse<byte[]> answer = send("GET " + path, request(path).GET());
        return answer.statusCode() == 404 ? Optional.empty() : Optional.of(body("GET " + path, answer));
    }

    /**
     * The answer to an object that is created at a path.
     *
     * @throws ApiServerException when nobody answers, or with a refusal
     */
    public JsonNode post(String path, JsonNode object) {
        String text = "POST " + path;
        return body(
                text,
                send(
                        text,
                        request(path)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(object.toString()))));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(address.resolve(path))
                .timeout(ANSWER)
                .header("Accept", "application/json")
                .header("Authorization", "Bearer " + token());
    }

    private String token() {
        try {
            return Files.readString(folder.resolve("token")).strip();
        } catch (IOException e) {
            throw new ApiServerException("this pod's token cannot be read: " + e.getMessage(), e);
        }
    }

    private HttpResponse<byte[]> send(String text, HttpRequest.Builder request) {
        try {
            return client().send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new ApiServerException(text + ": the API server does not answer: " + e, e);
        } catch (IllegalArgumentException e) {
            throw new ApiServerException(text + " cannot be asked: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiServerException(text + " was interrupted", e);
        }
    }

    private static JsonNode body(String text, HttpResponse<byte[]> answer) {
        try {
            if (answer.statusCode() / 100 == 2) {
                return MAPPER.readTree(answer.body());
            }
        } catch (IOException e) {
            throw new ApiServerException(text + ": the answer is no JSON", e);
        }
        String words = new String(answer.body(), StandardCharsets.UTF_8);
        throw new ApiServerException(text + ": the API server answers " + answer.statusCode() + " "
                + words.substring(0, Math.min(WORDS, words.length())));
    }

    /** A new one where the authority's file changed: an SSL context keeps the one with which it was made. */
    private synchronized HttpClient client() {
        try {
            byte[] now = Files.readAllBytes(folder.resolve("ca.crt"));
            if (client == null || !Arrays.equals(now, authority)) {
                client = HttpClient.newBuilder()
                        .connectTimeout(CONNECT)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .sslContext(trusting(now))
                        .build();
                authority = now;
            }
            return client;
        } catch (IOException | GeneralSecurityException e) {
            throw new ApiServerException("the API server's authority cannot be read: " + e.getMessage(), e);
        }
    }

    private static SSLContext trusting(byte[] pem) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (Certificate certificate :
                CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem))) {
            store.setCertificateEntry("authority-" + store.size(), certificate);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    @Override
    public synchronized void close() {
        if (client != null) {
            client.shutdownNow();
        }
    }
}
