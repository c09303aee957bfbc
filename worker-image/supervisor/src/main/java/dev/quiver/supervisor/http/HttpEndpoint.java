package dev.quiver.supervisor.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers GET on fixed paths, each on a virtual thread of its own, so that a long drain keeps no probe waiting.
 */
public final class HttpEndpoint implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private HttpEndpoint(HttpServer server) {
        this.server = server;
    }

    /**
     * Listens and answers until closed.
     *
     * @param address where; port 0 takes a free one
     * @param answers what each path says; asked at each request, on any thread
     * @throws IOException if the address cannot be bound
     */
    public static HttpEndpoint listen(InetSocketAddress address, Map<String, Supplier<Answer>> answers)
            throws IOException {
        HttpEndpoint endpoint = new HttpEndpoint(HttpServer.create(address, 16));
        answers.forEach((path, answer) -> endpoint.server.createContext(path, exchange -> {
            boolean exact = exchange.getRequestURI().getPath().equals(path);
            send(exchange, exact ? ask(answer) : new Answer(404, "text/plain", "no such path\n"));
        }));
        endpoint.server.setExecutor(endpoint.threads);
        endpoint.server.start();
        return endpoint;
    }

    /** The address that is really listened on. */
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
        threads.shutdownNow();
    }
}
