package dev.quiver.controller.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import dev.quiver.controller.run.RecordSettings;
import dev.quiver.lifecycle.history.TestNames;

/** Stands for history: TLS with a certificate of its own, and answers that a test gives it. */
public final class AnsweringHistory implements AutoCloseable {

    private static final char[] PASSWORD = "changeit".toCharArray();

    /** Answers a request; closes it. */
    @FunctionalInterface
    public interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    private final HttpsServer server;
    private final Path folder;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();

    private AnsweringHistory(HttpsServer server, Path folder) {
        this.server = server;
        this.folder = folder;
    }

    /** Listens at loopback, with a folder of its own. */
    public static AnsweringHistory listen() {
        try {
            return listen(Files.createTempDirectory("history"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Listens at loopback, and leaves certificate and token in that folder. */
    public static AnsweringHistory listen(Path folder) {
        try {
            Path keys = folder.resolve("keys.p12");
            keytool(List.of(
                    "-genkeypair",
                    "-alias",
                    "it",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=localhost",
                    "-validity",
                    "2",
                    "-ext",
                    "san=ip:127.0.0.1,dns:localhost",
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    new String(PASSWORD),
                    "-keystore",
                    keys.toString()));
            keytool(List.of(
                    "-exportcert",
                    "-rfc",
                    "-alias",
                    "it",
                    "-storepass",
                    new String(PASSWORD),
                    "-keystore",
                    keys.toString(),
                    "-file",
                    folder.resolve("ca.crt").toString()));
            Files.writeString(folder.resolve("token"), "the-token\n");
            HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(context(keys)));
            AnsweringHistory history = new AnsweringHistory(server, folder);
            server.setExecutor(history.threads);
            server.createContext("/", history::handle);
            server.start();
            return history;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SSLContext context(Path keys) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(keys.toFile(), PASSWORD);
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private static void keytool(List<String> arguments) throws IOException {
        List<String> command = new java.util.ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        try {
            if (process.waitFor() != 0) {
                throw new IllegalStateException(output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        String address = exchange.getRequestURI().toString();
        asked.add(exchange.getRequestHeaders().getFirst("Authorization") + " " + address);
        Answer answer = answers.get(address);
        if (answer == null) {
            send(exchange, 404, new byte[0]);
        } else {
            answer.to(exchange);
        }
    }

    /** Answers that address so from now on. */
    public AnsweringHistory answer(String address, Answer answer) {
        answers.put(address, answer);
        return this;
    }

    /** Answers that address with these bytes. */
    public AnsweringHistory answer(String address, int code, byte[] body) {
        return answer(address, exchange -> send(exchange, code, body));
    }

    /** Sends an answer. */
    public static void send(HttpExchange exchange, int code, byte[] body) throws IOException {
        exchange.sendResponseHeaders(code, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    /** Estimates as history packs them: milliseconds by name. */
    public static byte[] estimates(Map<String, Integer> millis) {
        TreeMap<Long, Integer> sorted = new TreeMap<>(Long::compareUnsigned);
        millis.forEach((name, ms) -> sorted.put(TestNames.hash(name), ms));
        ByteBuffer packed = ByteBuffer.allocate(12 * sorted.size()).order(ByteOrder.LITTLE_ENDIAN);
        sorted.forEach((hash, ms) -> packed.putLong(hash).putInt(ms));
        return packed.array();
    }

    /** The paths that were asked for: {@code Bearer token address}. */
    public List<String> asked() {
        return List.copyOf(asked);
    }

    /** Where it is asked. */
    public URI address() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    }

    /** How it is asked. */
    public RecordSettings settings() {
        return new RecordSettings(address(), java.util.Optional.of(folder.resolve("ca.crt")), folder.resolve("token"));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
