package dev.quiver.controller.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Supplier;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import dev.quiver.http.Answer;
import dev.quiver.http.HttpEndpoint;

/**
 * The operator's paths on an {@link HttpEndpoint}: {@code /started}, {@code /ready}, {@code /live} and
 * {@code /metrics}, on all interfaces. A check answers 200 or 503, with a reason for people. Thread-safe.
 */
public final class ProbeServer implements AutoCloseable {

    private static final int OK = 200;

    /**
     * The checks behind the paths.
     *
     * @param started whether the caches have been filled once
     * @param ready whether this process can do its work, leading or not
     * @param live whether this process should go on
     */
    public record Checks(Supplier<Answer> started, Supplier<Answer> ready, Supplier<Answer> live) {}

    private final HttpEndpoint endpoint;

    private ProbeServer(HttpEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Listens.
     *
     * @param port 0 for any free one
     */
    public static ProbeServer open(int port, Checks checks, PrometheusMeterRegistry metrics) throws IOException {
        return new ProbeServer(HttpEndpoint.listen(
                new InetSocketAddress(port),
                Map.of(
                        "/started",
                        checks.started(),
                        "/ready",
                        checks.ready(),
                        "/live",
                        checks.live(),
                        "/metrics",
                        () -> new Answer(OK, "text/plain; version=0.0.4; charset=utf-8", metrics.scrape()))));
    }

    /** The port of the server. */
    public int port() {
        return endpoint.address().getPort();
    }

    @Override
    public void close() {
        endpoint.close();
    }
}
