package dev.quiver.controller.run;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.TestTimes;

/**
 * Asks history about runs of the past. A question takes two seconds at most, with all that belongs to it, and an answer
 * has a bounded size. Once history let a question wait for all of its time, nobody asks it for a while. So a history that
 * hangs holds no reconcile for longer. Its answers are checked, since whoever holds its name may lie. Thread-safe.
 */
public final class RecordClient {

    /** For all of a question. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /** After a question whose time ran out. */
    static final Duration REST = Duration.ofSeconds(4);

    /** Questions at a time: each holds its answer in memory. */
    private static final int AT_ONCE = 4;

    private static final int MOST_DOCUMENT = 1 << 20;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int SERVER_ERROR = 500;
    private static final String USUAL_ERROR = "Quiver-Usual-Error";
    private static final JsonMapper JSON = new JsonMapper();

    private final Optional<RecordSettings> settings;
    private final LongSupplier nanos;
    private final Semaphore turns = new Semaphore(AT_ONCE);
    private volatile long restsUntil;
    private volatile boolean rests;
    private String authorities = "";
    private Optional<HttpClient> client = Optional.empty();

    /**
     * Connects to nobody yet.
     *
     * @param settings absent where the installation keeps no history
     */
    public RecordClient(Optional<RecordSettings> settings) {
        this(settings, System::nanoTime);
    }

    RecordClient(Optional<RecordSettings> settings, LongSupplier nanos) {
        this.settings = settings;
        this.nanos = nanos;
    }

    /** An answer. */
    public sealed interface Answer<T> {

        /** History knows. */
        record Known<T>(T value) implements Answer<T> {}

        /** History has no such thing. */
        record Nothing<T>() implements Answer<T> {}

        /**
         * History could not be asked, or its answer makes no sense.
         *
         * @param why for people
         */
        record Away<T>(String why) implements Answer<T> {}
    }

    /**
     * A run on record that has ended.
     *
     * @param uid of its resource
     * @param sourceHash of its source, as it was read
     * @param tasks how many it had
     * @param unpassed the numbers of those that did not pass
     */
    public record EndedRun(String uid, String sourceHash, int tasks, BitSet unpassed) {}

    /** Whether the installation keeps history. */
    public boolean isThere() {
        return settings.isPresent();
    }

    /** How long the tests of a class take; nothing where no run of the class is on record. */
    public Answer<TestTimes> estimates(String namespace, String runClass) {
        String path = "/v1/namespaces/" + encoded(namespace) + "/classes/" + encoded(runClass) + "/estimates";
        return ask(question -> {
            HttpResponse<byte[]> answer = question.get(path, TestTimes.MOST_BYTES);
            return answer.statusCode() == NOT_FOUND
                    ? new Answer.Nothing<>()
                    : new Answer.Known<>(TestTimes.read(answer.body(), usualError(answer)));
        });
    }

    private static Optional<Double> usualError(HttpResponse<byte[]> answer) {
        return answer.headers()
                .firstValue(USUAL_ERROR)
                .map(Double::parseDouble)
                .filter(share -> share >= 0 && share <= 1000);
    }

    /** The latest run of that kind and name; absent where none is on record. A run that goes on is not known. */
    public Answer<EndedRun> latestRun(String namespace, RunKind kind, String name) {
        String runs = "/v1/namespaces/" + encoded(namespace) + "/runs";
        return ask(question -> {
            byte[] list = question.get(
                            runs + "?kind=" + encoded(kind.word()) + "&name=" + encoded(name) + "&limit=1",
                            MOST_DOCUMENT)
                    .body();
            JsonNode run = JSON.readTree(list).path("items").path(0);
            if (run.isMissingNode()) {
                return new Answer.Nothing<>();
            }
            String uid = run.path("uid").asText();
            String hash = run.path("sourceHash").asText();
            long tasks = run.path("tasks").asLong(-1);
            if (uid.isEmpty() || !run.path("name").asText().equals(name)) {
                throw new IOException("its list has another run");
            }
            if (run.path("status").asText().isEmpty() || tasks < 0 || tasks > 1 << 20 || hash.isEmpty()) {
                return new Answer.Away<>("the record of " + name + " has no end yet");
            }
            int bytes = (int) (tasks + 7) / 8;
            HttpResponse<byte[]> bits = question.get(runs + "/" + encoded(uid) + "/unpassed", bytes);
            if (bits.statusCode() == CONFLICT) {
                return new Answer.Away<>("the record of " + name + " does not have every pass");
            }
            BitSet unpassed = BitSet.valueOf(bits.body());
            if (bits.statusCode() != 200 || bits.body().length != bytes || unpassed.length() > tasks) {
                throw new IOException("it has " + bits.body().length + " bytes of bits for " + tasks + " tasks");
            }
            return new Answer.Known<>(new EndedRun(uid, hash, (int) tasks, unpassed));
        });
    }

    /** Asks as often as it takes, within the time of one question. */
    @FunctionalInterface
    private interface Asking<T> {
        Answer<T> by(Question question) throws IOException;
    }

    private <T> Answer<T> ask(Asking<T> asking) {
        if (settings.isEmpty()) {
            return new Answer.Away<>("this installation keeps no history");
        }
        if (rests && nanos.getAsLong() - restsUntil < 0) {
            return new Answer.Away<>("history did not answer a moment ago");
        }
        Question question = new Question(System.nanoTime() + PATIENCE.toNanos());
        try {
            if (!turns.tryAcquire(question.left(), TimeUnit.NANOSECONDS)) {
                return new Answer.Away<>("history is slow");
            }
            try {
                Answer<T> answer = asking.by(question);
                rests = false;
                return answer;
            } finally {
                turns.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer.Away<>("the operator ends");
        } catch (IOException | IllegalArgumentException e) {
            // A refusal costs no time, so only one that let the question wait is left alone.
            if (question.isOver()) {
                restsUntil = nanos.getAsLong() + REST.toNanos();
                rests = true;
            }
            return new Answer.Away<>("history does not answer: " + RecordClient.words(e));
        }
    }

    private static String words(Exception e) {
        return Optional.ofNullable(e.getMessage()).orElse(e.getClass().getSimpleName());
    }

    /** Requests that end together. */
    private final class Question {

        private final long deadline;

        Question(long deadline) {
            this.deadline = deadline;
        }

        long left() {
            return Math.max(1, deadline - System.nanoTime());
        }

        boolean isOver() {
            return System.nanoTime() - deadline >= 0;
        }

        /** An answer of 200, 404 or 409. */
        HttpResponse<byte[]> get(String path, int most) throws IOException {
            RecordSettings its = settings.orElseThrow();
            URI address = its.address().resolve(path);
            if (!"https".equals(address.getScheme())) {
                throw new IOException("no token is sent without TLS");
            }
            HttpRequest request = HttpRequest.newBuilder(address)
                    .timeout(Duration.ofNanos(left()))
                    .header(
                            "Authorization",
                            "Bearer " + Files.readString(its.token()).strip())
                    .build();
            CompletableFuture<HttpResponse<byte[]>> sent = client(its)
                    .sendAsync(
                            request,
                            HttpResponse.BodyHandlers.limiting(
                                    HttpResponse.BodyHandlers.ofByteArray(), Math.max(most, 1 << 12)));
            HttpResponse<byte[]> answer = await(sent);
            int code = answer.statusCode();
            if (code != 200 && code != NOT_FOUND && code != CONFLICT) {
                throw new IOException("it answers " + code
                        + (code == FORBIDDEN ? ", so the operator may not read the record" : "")
                        + (code >= SERVER_ERROR ? ", an error of its own" : ""));
            }
            return answer;
        }

        private HttpResponse<byte[]> await(CompletableFuture<HttpResponse<byte[]>> sent) throws IOException {
            try {
                return sent.get(left(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                throw new IOException("it took longer than " + PATIENCE.toSeconds() + " s", e);
            } catch (ExecutionException e) {
                throw new IOException(String.valueOf(e.getCause().getMessage()), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("the operator ends", e);
            } finally {
                // Whatever still comes is taken by nobody.
                sent.cancel(true);
            }
        }
    }

    /** Kept while the file of the authorities stays as it is. Redirects are not followed: they would take the token along. */
    private synchronized HttpClient client(RecordSettings its) throws IOException {
        Path file = its.authorities().orElse(null);
        String pem = file == null || !Files.exists(file)
                ? ""
                : Files.readString(file).strip();
        if (client.isEmpty() || !pem.equals(authorities)) {
            HttpClient.Builder builder = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(PATIENCE)
                    .followRedirects(HttpClient.Redirect.NEVER);
            try {
                client = Optional.of((pem.isEmpty() ? builder : builder.sslContext(trusting(pem))).build());
            } catch (GeneralSecurityException e) {
                throw new IOException(file + " has no certificates: " + e.getMessage(), e);
            }
            authorities = pem;
        }
        return client.get();
    }

    private static SSLContext trusting(String pem) throws GeneralSecurityException, IOException {
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
        return context;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
