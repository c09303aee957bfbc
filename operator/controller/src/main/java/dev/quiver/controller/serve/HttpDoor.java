package dev.quiver.controller.serve;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code /started}, {@code /ready}, {@code /live} and {@code /metrics} on all interfaces. A check answers 200 or
 * 503, with a word for people. Thread-safe.
 */
public final class HttpDoor implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HttpDoor.class);
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int FAILED = 500;
    private static final int UNAVAILABLE = 503;

    /**
     * An answer to a check.
     *
     * @param fine whether all is well
     * @param words why not, or that it is
     */
    public record Answer(boolean fine, String words) {}

    /**
     * What is checked.
     *
     * @param started whether the caches have been filled once
     * @param ready whether this process can take its part, leading or not
     * @param live whether it makes sense to go on with this process
     */
    public record Checks(Supplier<Answer> started, Supplier<Answer> ready, Supplier<Answer> live) {}

    private record Page(int status, String type, String body) {

        static Page of(Answer answer) {
            return words(answer.fine() ? OK : UNAVAILABLE, answer.words());
        }

        static Page words(int status, String words) {
            return new Page(status, "text/plain; charset=utf-8", words + "\n");
        }
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private HttpDoor(HttpServer server) {
        this.server = server;
    }

    /**
     * Opens the door.
     *
     * @param port 0 for any free one
     */
    public static HttpDoor open(int port, Checks checks, PrometheusMeterRegistry metrics) throws IOException {
        HttpDoor door = new HttpDoor(HttpServer.create(new InetSocketAddress(port), 0));
        door.on("/started", () -> Page.of(checks.started().get()));
        door.on("/ready", () -> Page.of(checks.ready().get()));
        door.on("/live", () -> Page.of(checks.live().get()));
        door.on("/metrics", () -> new Page(OK, "text/plain; version=0.0.4; charset=utf-8", metrics.scrape()));
        door.server.setExecutor(door.threads);
        door.server.start();
        return door;
    }

    /** The port it listens on. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    /** The server takes a path for everything that begins with it: only the path itself is answered. */
    private void on(String path, Supplier<Page> page) {
        server.createContext(path, exchange -> {
            boolean exact = exchange.getRequestURI().getPath().equals(path);
            send(exchange, exact ? ask(page) : Page.words(NOT_FOUND, "no such path"));
        });
    }

    private static Page ask(Supplier<Page> page) {
        try {
            return page.get();
        } catch (RuntimeException e) {
            log.error("a request could not be answered", e);
            return Page.words(FAILED, e.toString());
        }
    }

    private static void send(HttpExchange exchange, Page page) throws IOException {
        try (exchange) {
            byte[] body = page.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", page.type());
            exchange.sendResponseHeaders(page.status(), body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
