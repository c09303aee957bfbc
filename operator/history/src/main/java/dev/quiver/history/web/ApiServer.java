package dev.quiver.history.web;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.access.Access;
import dev.quiver.history.query.BadQueryException;
import dev.quiver.history.store.Database;

/**
 * Serves the API over the JDK's HTTP server, each request on a virtual thread. It listens on loopback alone, and answers
 * only where Host is a name of loopback: a page of another origin whose name was pointed here reads nothing.
 */
public final class ApiServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);
    private static final Set<String> HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final int BACKLOG = 256;

    static {
        // The JDK's server reads these once in a process, and has no other way to set them. A request is read in 5 s.
        System.setProperty("sun.net.httpserver.maxReqTime", System.getProperty("sun.net.httpserver.maxReqTime", "5"));
        System.setProperty(
                "sun.net.httpserver.maxReqHeaderSize",
                System.getProperty("sun.net.httpserver.maxReqHeaderSize", "16384"));
        // Without it each answer of a kept connection waits 40 ms for the other side to confirm its head.
        System.setProperty("sun.net.httpserver.nodelay", System.getProperty("sun.net.httpserver.nodelay", "true"));
        System.setProperty(
                "jdk.httpserver.maxConnections", System.getProperty("jdk.httpserver.maxConnections", "1024"));
    }

    private final HttpServer server;
    private final Router router;
    private final Gate gate;
    private final Pages pages = new Pages();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private ApiServer(HttpServer server, Router router, Gate gate) {
        this.server = server;
        this.router = router;
        this.gate = gate;
    }

    /**
     * Listens until it is closed.
     *
     * @param address of loopback; port 0 takes a free one
     * @param access who may read what
     * @param trouble why the record does not grow; absent while it does
     * @throws IOException if the address cannot be bound
     * @throws IllegalArgumentException for an address beyond loopback
     */
    public static ApiServer listen(
            InetSocketAddress address, Database database, Access access, Supplier<Optional<String>> trouble)
            throws IOException {
        if (!address.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException("tokens are not sent in plain text beyond loopback");
        }
        ApiServer api = new ApiServer(
                HttpServer.create(address, BACKLOG), new Api(database, access, trouble).router(), new Gate(access));
        api.server.createContext("/", api::serve);
        api.server.setExecutor(api.threads);
        api.server.start();
        return api;
    }

    /** The bound address, with the real port. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    /** A failure behind the head leaves here: the server then cuts the connection, and the client sees no end. */
    private void serve(HttpExchange exchange) throws IOException {
        try {
            Optional<Response.Bytes> page = page(exchange);
            if (page.isPresent()) {
                sendPage(exchange, page.get());
            } else {
                send(exchange, answer(exchange));
            }
        } catch (SQLException e) {
            LOG.warn("{} broke off: {}", exchange.getRequestURI().getPath(), e.getMessage());
            throw new IOException("the answer broke off", e);
        }
        exchange.close();
    }

    private Optional<Response.Bytes> page(HttpExchange exchange) {
        String method = exchange.getRequestMethod();
        if (!hostIsLoopback(exchange) || !method.equals("GET") && !method.equals("HEAD")) {
            return Optional.empty();
        }
        boolean proxied = exchange.getRequestHeaders().containsKey("X-Forwarded-Uri");
        return pages.at(exchange.getRequestURI().getRawPath(), proxied);
    }

    private static void sendPage(HttpExchange exchange, Response.Bytes page) throws IOException {
        var headers = exchange.getResponseHeaders();
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Cache-Control", "no-cache");
        headers.set("Content-Security-Policy", Pages.POLICY);
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set("Referrer-Policy", "no-referrer");
        send(exchange, 200, page.mediaType(), page.body());
    }

    private Response answer(HttpExchange exchange) {
        try {
            checkHost(exchange);
            return router.answer(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().getRawPath(),
                    exchange.getRequestURI().getRawQuery(),
                    () -> gate.caller(
                            Gate.token(exchange.getRequestHeaders()),
                            exchange.getRemoteAddress().getAddress()));
        } catch (Problem e) {
            return problem(e.code(), e.reason(), e.getMessage());
        } catch (BadQueryException e) {
            return problem(400, "BadRequest", e.getMessage());
        } catch (SQLException e) {
            LOG.warn("{} could not be answered: {}", exchange.getRequestURI().getPath(), e.getMessage());
            return problem(503, "ServiceUnavailable", "the database does not answer");
        } catch (RuntimeException e) {
            LOG.error("{} could not be answered", exchange.getRequestURI().getPath(), e);
            return problem(500, "InternalError", "this is a fault of the server; its log has more");
        }
    }

    private static void checkHost(HttpExchange exchange) {
        if (!hostIsLoopback(exchange)) {
            throw new Problem(403, "Forbidden", "Host must be a name of loopback");
        }
    }

    private static boolean hostIsLoopback(HttpExchange exchange) {
        String host = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Host"))
                .orElse("");
        return HOSTS.contains(host.replaceFirst(":\\d+$", ""));
    }

    private static Response problem(int code, String reason, String message) {
        return new Response.Json(code, Documents.status(code, reason, message));
    }

    private static void send(HttpExchange exchange, Response response) throws IOException, SQLException {
        var headers = exchange.getResponseHeaders();
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Cache-Control", "no-store");
        // Output of tasks is no page, whatever it looks like.
        headers.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox");
        switch (response) {
            case Response.Json json -> {
                switch (json.code()) {
                    case 401 -> headers.set("WWW-Authenticate", "Bearer");
                    case 429 -> headers.set("Retry-After", "1");
                    default -> {
                        // The body has it all.
                    }
                }
                send(exchange, json.code(), "application/json", Documents.MAPPER.writeValueAsBytes(json.body()));
            }
            case Response.Bytes bytes -> send(exchange, 200, bytes.mediaType(), bytes.body());
            case Response.Stream stream -> {
                headers.set("Content-Type", stream.mediaType());
                exchange.sendResponseHeaders(200, 0);
                OutputStream out = exchange.getResponseBody();
                stream.body().to(out);
                out.close();
            }
        }
    }

    private static void send(HttpExchange exchange, int code, String mediaType, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", mediaType);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(code, head || body.length == 0 ? -1 : body.length);
        if (!head && body.length > 0) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
