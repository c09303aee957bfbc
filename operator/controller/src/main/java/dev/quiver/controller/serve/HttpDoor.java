package dev.quiver.controller.serve;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/**
 * Serves {@code /started}, {@code /ready}, {@code /live} and {@code /metrics} on all interfaces. A check answers 200 or
 * 503, with a word for people. Thread-safe.
 */
public final class HttpDoor implements AutoCloseable {

    private static final int OK = 200;
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

    private final HttpServer server;

    private HttpDoor(HttpServer server) {
        this.server = server;
    }

    /**
     * Opens the door.
     *
     * @param port 0 for any free one
     */
    public static HttpDoor open(int port, Checks checks, PrometheusMeterRegistry metrics) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext(
                "/started", exchange -> check(exchange, checks.started().get()));
        server.createContext(
                "/ready", exchange -> check(exchange, checks.ready().get()));
        server.createContext("/live", exchange -> check(exchange, checks.live().get()));
        server.createContext(
                "/metrics",
                exchange -> answer(exchange, OK, "text/plain; version=0.0.4; charset=utf-8", metrics.scrape()));
        server.start();
        return new HttpDoor(server);
    }

    /** The port it listens on. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private static void check(HttpExchange exchange, Answer answer) throws IOException {
        answer(exchange, answer.fine() ? OK : UNAVAILABLE, "text/plain; charset=utf-8", answer.words() + "\n");
    }

    private static void answer(HttpExchange exchange, int code, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(code, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }
}
