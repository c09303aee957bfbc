package dev.quiver.history.web;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.access.Access;
import dev.quiver.history.live.Live;
import dev.quiver.history.query.BadQueryException;
import dev.quiver.history.store.Database;
import dev.quiver.history.tls.ServerCertificate;

/**
 * Serves the API over the JDK's HTTP server, each request on a virtual thread. API and page are on loopback alone, and
 * answered only if Host is a name of loopback. A page of another origin whose name was pointed here therefore reads
 * nothing. Another port has the API alone, over TLS.
 */
public final class ApiServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);
    private static final Set<String> HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int BACKLOG = 256;

    static {
        setBounds();
    }

    /**
     * Sets the bounds of the JDK's server for this process, but those of the command line. That server reads them once, and
     * has no other way to set them. So a program calls this before its first server, also before that of its probes.
     */
    public static void setBounds() {
        Map.of(
                        "sun.net.httpserver.maxReqTime", "5", // seconds
                        "sun.net.httpserver.maxReqHeaderSize", "16384", // a token may have many groups
                        // Without it each answer of a kept connection waits 40 ms for the other side to confirm its
                        // head.
                        "sun.net.httpserver.nodelay", "true",
                        "jdk.httpserver.maxConnections", "1024")
                .forEach((name, value) -> System.setProperty(name, System.getProperty(name, value)));
    }

    /**
     * A port for programs.
     *
     * @param address port 0 takes a free one
     * @param packs takes packs from workers there
     */
    public record Secured(InetSocketAddress address, ServerCertificate certificate, Optional<PackIntake> packs) {

        /** A port that takes no packs. */
        public Secured(InetSocketAddress address, ServerCertificate certificate) {
            this(address, certificate, Optional.empty());
        }
    }

    private final HttpServer plain;
    private final Optional<HttpsServer> secured;
    private final Router router;
    private final Gate gate;
    private final RunEvents events;
    private final SlowCallers callers;
    private final Bounds bounds;
    private final Pages pages = new Pages();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private ApiServer(
            HttpServer plain,
            Optional<HttpsServer> secured,
            Router router,
            Gate gate,
            RunEvents events,
            SlowCallers callers,
            Bounds bounds) {
        this.plain = plain;
        this.secured = secured;
        this.router = router;
        this.gate = gate;
        this.events = events;
        this.callers = callers;
        this.bounds = bounds;
    }

    /**
     * Listens until it is closed.
     *
     * @param loopback port 0 takes a free one
     * @param programs the port with TLS, where there is one
     * @param access who may read what
     * @param live figures of runs that are not over
     * @param about the whole record
     * @throws IOException if an address cannot be bound
     * @throws GeneralSecurityException if there is no TLS here
     * @throws IllegalArgumentException for plain HTTP beyond loopback
     */
    public static ApiServer listen(
            InetSocketAddress loopback,
            Optional<Secured> programs,
            Database database,
            Access access,
            Live live,
            Supplier<About> about)
            throws IOException, GeneralSecurityException {
        return listen(loopback, programs, database, access, live, about, PATIENCE);
    }

    static ApiServer listen(
            InetSocketAddress loopback,
            Optional<Secured> programs,
            Database database,
            Access access,
            Live live,
            Supplier<About> about,
            Duration patience)
            throws IOException, GeneralSecurityException {
        if (!loopback.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException("tokens are not sent in plain text beyond loopback");
        }
        HttpServer plain = HttpServer.create(loopback, BACKLOG);
        Optional<HttpsServer> secured;
        try {
            secured = programs.isEmpty() ? Optional.empty() : Optional.of(secured(programs.get()));
        } catch (IOException | GeneralSecurityException e) {
            plain.stop(0);
            throw e;
        }
        RunEvents events = new RunEvents(database, live);
        SlowCallers callers = new SlowCallers(patience);
        Router router = new Api(database, events, callers, access, about).router();
        ApiServer api = new ApiServer(plain, secured, router, new Gate(access), events, callers, Bounds.ofProcess());
        api.start(plain, exchange -> api.serve(exchange, false));
        secured.ifPresent(server -> api.start(server, exchange -> api.serve(exchange, true)));
        return api;
    }

    private static HttpsServer secured(Secured programs) throws IOException, GeneralSecurityException {
        HttpsServer server = HttpsServer.create(programs.address, BACKLOG);
        server.setHttpsConfigurator(new HttpsConfigurator(programs.certificate.context()));
        programs.packs.ifPresent(packs -> server.createContext(PackIntake.PATH, packs));
        return server;
    }

    private void start(HttpServer server, HttpHandler handler) {
        server.createContext("/", handler);
        server.setExecutor(threads);
        server.start();
    }

    /** The bound address of loopback, with the real port. */
    public InetSocketAddress address() {
        return plain.getAddress();
    }

    /** The bound address of TLS, with the real port. */
    public Optional<InetSocketAddress> securedAddress() {
        return secured.map(HttpServer::getAddress);
    }

    /** A failure behind the head leaves here: the server then cuts the connection, and the client sees no end. */
    private void serve(HttpExchange exchange, boolean overTls) throws IOException {
        try (Flight flight = new Flight(bounds)) {
            Optional<Response.Bytes> page = page(exchange, overTls);
            if (page.isPresent()) {
                sendPage(exchange, page.get());
            } else {
                send(exchange, answer(exchange, overTls, flight));
            }
        } catch (SQLException e) {
            LOG.warn("{} broke off: {}", exchange.getRequestURI().getPath(), e.getMessage());
            throw new IOException("the answer broke off", e);
        }
        exchange.close();
    }

    /** Over TLS there is no page, but words for whoever looks for it through the API server's proxy. */
    private Optional<Response.Bytes> page(HttpExchange exchange, boolean overTls) {
        String method = exchange.getRequestMethod();
        if (!overTls && !hostIsLoopback(exchange) || !method.equals("GET") && !method.equals("HEAD")) {
            return Optional.empty();
        }
        boolean proxied = exchange.getRequestHeaders().containsKey("X-Forwarded-Uri");
        if (overTls && !proxied) {
            return Optional.empty();
        }
        return pages.at(exchange.getRequestURI().getRawPath(), proxied);
    }

    private void sendPage(HttpExchange exchange, Response.Bytes page) throws IOException {
        var headers = exchange.getResponseHeaders();
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Cache-Control", "no-cache");
        headers.set("Vary", "Accept-Encoding");
        headers.set("Content-Security-Policy", Pages.POLICY);
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set("Referrer-Policy", "no-referrer");
        send(exchange, 200, page.mediaType(), page.body());
    }

    private Response answer(HttpExchange exchange, boolean overTls, Flight flight) {
        try {
            if (!overTls) {
                checkHost(exchange);
            }
            return router.answer(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().getRawPath(),
                    exchange.getRequestURI().getRawQuery(),
                    Optional.ofNullable(exchange.getRequestHeaders().getFirst("Last-Event-ID")),
                    () -> gate.caller(
                            Gate.token(exchange.getRequestHeaders()),
                            exchange.getRemoteAddress().getAddress()),
                    flight);
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

    private void send(HttpExchange exchange, Response response) throws IOException, SQLException {
        var headers = exchange.getResponseHeaders();
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Cache-Control", "no-store");
        headers.set("Vary", "Accept-Encoding");
        // Output of tasks is no page, whatever it looks like.
        headers.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox");
        switch (response) {
            case Response.Json json -> {
                switch (json.code()) {
                    case 401 -> headers.set("WWW-Authenticate", "Bearer");
                    case 429, 503 -> headers.set("Retry-After", "1");
                    default -> {
                        // The body has it all.
                    }
                }
                send(exchange, json.code(), "application/json", json.body());
            }
            case Response.Bytes bytes -> {
                bytes.headers().forEach(headers::set);
                if (exchange.getRequestHeaders().containsKey("Range")) {
                    sendPart(exchange, bytes.ranged());
                } else {
                    headers.set("Accept-Ranges", "bytes");
                    send(exchange, 200, bytes.mediaType(), bytes.body());
                }
            }
            case Response.Ranged ranged -> sendPart(exchange, ranged);
            case Response.Stream stream -> {
                headers.set("Content-Type", stream.mediaType());
                exchange.sendResponseHeaders(200, 0);
                OutputStream out = exchange.getResponseBody();
                stream.body().to(out);
                out.close();
            }
        }
    }

    /** Answers a range of bytes where one is asked for; more than one, or none that can be read, gets the whole. */
    private void sendPart(HttpExchange exchange, Response.Ranged bytes) throws IOException, SQLException {
        long length = bytes.length();
        exchange.getResponseHeaders().set("Accept-Ranges", "bytes");
        Optional<ByteRange> range = Optional.ofNullable(
                        exchange.getRequestHeaders().getFirst("Range"))
                .flatMap(text -> ByteRange.of(text, length));
        if (range.isEmpty()) {
            sendPart(exchange, 200, bytes, new ByteRange(0, length));
        } else if (range.get().isEmpty()) {
            exchange.getResponseHeaders().set("Content-Range", "bytes */" + length);
            byte[] status = Documents.MAPPER.writeValueAsBytes(
                    Documents.status(416, "RangeNotSatisfiable", "there are " + length + " bytes"));
            send(exchange, 416, "application/json", status);
        } else {
            exchange.getResponseHeaders().set("Content-Range", range.get().header(length));
            sendPart(exchange, 206, bytes, range.get());
        }
    }

    private void sendPart(HttpExchange exchange, int code, Response.Ranged bytes, ByteRange range)
            throws IOException, SQLException {
        exchange.getResponseHeaders().set("Content-Type", bytes.mediaType());
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(code, head || range.isEmpty() ? -1 : range.length());
        if (!head && !range.isEmpty()) {
            try (SlowCallers.Watched watched = callers.watch(exchange.getResponseBody())) {
                bytes.body().to(range, watched);
            }
        }
    }

    private void send(HttpExchange exchange, int code, String mediaType, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", mediaType);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        Optional<byte[]> compressed = head ? Optional.empty() : Compression.of(exchange.getRequestHeaders(), body);
        compressed.ifPresent(_ -> exchange.getResponseHeaders().set("Content-Encoding", "gzip"));
        byte[] sent = compressed.orElse(body);
        exchange.sendResponseHeaders(code, head || sent.length == 0 ? -1 : sent.length);
        if (!head && sent.length > 0) {
            try (SlowCallers.Watched watched = callers.watch(exchange.getResponseBody())) {
                watched.write(sent);
            }
        }
    }

    @Override
    public void close() {
        plain.stop(0);
        secured.ifPresent(server -> server.stop(0));
        events.close();
        callers.close();
        threads.shutdownNow();
    }
}
