package dev.quiver.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers GET on fixed paths, each on a virtual thread of its own, so that a long drain delays no probe. Any pod of the
 * cluster may connect where no NetworkPolicy forbids it. So a request has to be read within {@value #REQUEST_SECONDS}
 * s. At most {@value #MOST_WAITING} connections wait for the other side; beyond, the one that has waited longest is
 * closed. A probe comes whole and is answered at once, so it does not wait. An answer may take any time.
 */
public final class HttpEndpoint implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);

    /** Kubelet's probes time out no later, and their requests come whole. */
    static final int REQUEST_SECONDS = 5;

    /** Connections with half a request, or with an answer that is not read: each holds up to 65 KB. */
    static final int MOST_WAITING = 256;

    /**
     * All connections, with those that have sent nothing yet: each of these holds about 1 KB. A further one is closed
     * at once.
     */
    static final int MOST_CONNECTIONS = 8192;

    /** Connections that are kept for a further request: each holds about 20 KB. */
    private static final int MOST_KEPT = 32;

    /** Bytes of a request's head. */
    private static final int MOST_HEAD = 8192;

    /** Connections that may wait to be accepted. */
    private static final int BACKLOG = 1024;

    static {
        // The JDK's server reads these once in a process, and has no other way to set them.
        setting("sun.net.httpserver.maxReqTime", "" + REQUEST_SECONDS);
        setting("jdk.httpserver.maxConnections", "" + MOST_CONNECTIONS);
        setting("sun.net.httpserver.maxIdleConnections", "" + MOST_KEPT);
        setting("sun.net.httpserver.maxReqHeaderSize", "" + MOST_HEAD);
        // Milliseconds between two checks for connections that have sent nothing for so long; the default is 10 s.
        setting("sun.net.httpserver.clockTick", "1000");
        // Without it each answer of a kept connection waits 40 ms for the other side to confirm its head.
        setting("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final Peers peers;

    /** A value that is there takes precedence: from the command line, or of a program with a larger server. */
    private static void setting(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }

    private HttpEndpoint(HttpServer server, Peers peers) {
        this.server = server;
        this.peers = peers;
    }

    /**
     * Listens and answers until closed.
     *
     * @param address where; port 0 takes a free one
     * @param answers the answer of each path; computed at each request, on any thread
     * @throws IOException if the address cannot be bound
     */
    public static HttpEndpoint listen(InetSocketAddress address, Map<String, Supplier<Answer>> answers)
            throws IOException {
        return listen(address, answers, MOST_WAITING);
    }

    static HttpEndpoint listen(InetSocketAddress address, Map<String, Supplier<Answer>> answers, int mostWaiting)
            throws IOException {
        HttpEndpoint endpoint = new HttpEndpoint(HttpServer.create(address, BACKLOG), new Peers(mostWaiting));
        answers.forEach((path, answer) -> endpoint.server.createContext(path, exchange -> {
            endpoint.peers.heard();
            boolean exact = exchange.getRequestURI().getPath().equals(path);
            Answer found = exact ? ask(answer) : new Answer(404, "text/plain", "no such path\n");
            endpoint.peers.await();
            send(exchange, found);
        }));
        endpoint.server.setExecutor(endpoint.peers);
        endpoint.server.start();
        return endpoint;
    }

    /** The bound address, with the real port. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    private static Answer ask(Supplier<Answer> answer) {
        try {
            return answer.get();
        } catch (RuntimeException e) {
            LOG.error("a request could not be answered", e);
            return new Answer(500, "text/plain", e + "\n");
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        try (exchange) {
            byte[] body = answer.bytes();
            exchange.getResponseHeaders().set("Content-Type", answer.contentType());
            exchange.sendResponseHeaders(answer.status(), body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        peers.close();
    }
}
