package dev.quiver.history.web;

import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.access.Writer;
import dev.quiver.history.access.Writers;
import dev.quiver.history.store.Packs;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Takes packs from workers: {@code PUT /v1/packs/{session}/{number}?keyspace=…&run=…}. The token names the pod, and a
 * pack is believed for the pod's namespace alone. A repeat does no harm. A body is not read before its caller
 * and its length are known. Memory is taken as bytes come, so a sender that dribbles does not keep others out. A
 * namespace may hold as much memory as it leaves free. The server cuts a request that has not come as a whole within 5
 * s. Thread-safe.
 *
 * <p>Answers are Status objects. 200: it is stored. 400, 403, 409, 410, 411, 413: it never will be. After any other
 * status the sender tries again later. A 404 means that the run is not on record yet. A 507 means that there is no
 * room, and tells how much is used.
 */
public final class PackIntake implements HttpHandler {

    static final String PATH = "/v1/packs/";

    private static final Logger LOG = LoggerFactory.getLogger(PackIntake.class);
    private static final Pattern PLACE = Pattern.compile(PATH + "([0-9A-Za-z._-]{1,64})/(\\d{1,13})");
    private static final Set<String> PARAMETERS = Set.of("keyspace", "run");
    private static final int STORED_AT_ONCE = 2;
    private static final int PIECE_BYTES = 64 << 10;

    private final Writers writers;
    private final Packs packs;
    private final Shares received = new Shares(Runtime.getRuntime().maxMemory() / 12);
    private final Shares stored = new Shares(STORED_AT_ONCE);

    /** Takes the packs of those writers into that store. */
    public PackIntake(Writers writers, Packs packs) {
        this.writers = writers;
        this.packs = packs;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        ObjectNode answer;
        try (exchange) {
            try {
                answer = take(exchange);
            } catch (Problem e) {
                answer = Documents.status(e.code(), e.reason(), e.getMessage());
            } catch (SQLException e) {
                LOG.warn("a pack could not be stored: {}", e.getMessage());
                answer = packs.isFull(e)
                        ? Documents.status(507, "InsufficientStorage", "the database is full")
                        : Documents.status(503, "ServiceUnavailable", "the database does not answer");
            } catch (RuntimeException e) {
                LOG.error("a pack could not be stored", e);
                answer = Documents.status(500, "InternalError", "this is a fault of the server; its log has more");
            }
            send(exchange, answer);
        }
    }

    private ObjectNode take(HttpExchange exchange) throws IOException, SQLException {
        Writer writer = Gate.asked(() -> writers.writer(
                Gate.token(exchange.getRequestHeaders()),
                exchange.getRemoteAddress().getAddress()));
        if (!exchange.getRequestMethod().equals("PUT")) {
            throw new Problem(405, "MethodNotAllowed", "packs are put");
        }
        Matcher place = PLACE.matcher(exchange.getRequestURI().getRawPath());
        if (!place.matches()) {
            throw Problem.badRequest("a pack is put at " + PATH + "{session}/{number}");
        }
        Map<String, String> query = Request.query(exchange.getRequestURI().getRawQuery(), PARAMETERS);
        Keyspace keyspace = keyspace(query.getOrDefault("keyspace", ""));
        if (!keyspace.namespace().equals(writer.namespace())) {
            throw new Problem(
                    403, "Forbidden", "a pod of namespace " + writer.namespace() + " writes nothing of another one");
        }
        String run = query.getOrDefault("run", "");
        if (run.isEmpty() || run.length() > HistoryBounds.ID_BYTES) {
            throw Problem.badRequest("run is a uid");
        }
        long number = Long.parseLong(place.group(2));
        if (number > PackBody.NUMBER) {
            throw Problem.badRequest("a number is at most " + PackBody.NUMBER);
        }
        int length = length(exchange);
        try (Shares.Held held = received.take(writer.namespace(), PIECE_BYTES, Duration.ofSeconds(1))
                .orElseThrow(() -> busy(writer))) {
            byte[] body = body(exchange, length, held, writer);
            try (Shares.Held _ =
                    stored.take(writer.namespace(), 1, Bounds.PATIENCE).orElseThrow(() -> busy(writer))) {
                return outcome(packs.store(keyspace, run, place.group(1), number, members(body)));
            }
        }
    }

    private static Problem busy(Writer writer) {
        return new Problem(
                503,
                "ServiceUnavailable",
                "packs of namespace " + writer.namespace() + " take as much memory as they may; try again in a second");
    }

    private static Keyspace keyspace(String prefix) {
        try {
            return new Keyspace(prefix);
        } catch (IllegalArgumentException e) {
            throw Problem.badRequest("keyspace is the prefix of one");
        }
    }

    private static int length(HttpExchange exchange) {
        String length = exchange.getRequestHeaders().getFirst("Content-Length");
        if (length == null || !length.matches("\\d{1,18}")) {
            throw new Problem(411, "LengthRequired", "a pack has a Content-Length");
        }
        if (Long.parseLong(length) > PackBody.BODY_BYTES) {
            throw new Problem(413, "RequestEntityTooLarge", "a pack has at most " + PackBody.BODY_BYTES + " bytes");
        }
        return Integer.parseInt(length);
    }

    /** Reads it into an array that grows with what has come, and not with what was promised. */
    private static byte[] body(HttpExchange exchange, int length, Shares.Held held, Writer writer) throws IOException {
        InputStream from = exchange.getRequestBody();
        byte[] body = new byte[Math.min(length, PIECE_BYTES)];
        int size = 0;
        while (size < length) {
            if (size == body.length) {
                int room = Math.min(length, size * 2);
                if (!held.resize(room)) {
                    throw busy(writer);
                }
                body = Arrays.copyOf(body, room);
            }
            int count = from.read(body, size, body.length - size);
            if (count < 0) {
                throw Problem.badRequest("the body ends too soon");
            }
            size += count;
        }
        return body;
    }

    private static List<PackBody.Member> members(byte[] body) {
        try {
            List<PackBody.Member> members = PackBody.read(body);
            if (members.isEmpty()) {
                throw Problem.badRequest("a pack has a member");
            }
            return members;
        } catch (MalformedEntryException e) {
            throw Problem.badRequest(e.getMessage());
        }
    }

    private ObjectNode outcome(Packs.Outcome outcome) throws SQLException {
        return switch (outcome) {
            case STORED -> Documents.success();
            case UNKNOWN_RUN -> Documents.status(404, "NotFound", "the run is not on record yet");
            case GONE -> Documents.status(410, "Gone", "the run or its output was removed");
            case TAKEN -> Documents.status(409, "Conflict", "this pack belongs to another run");
            case TOO_MANY -> Documents.status(403, "Forbidden", "the run has as many packs as a run may have");
            case FULL -> Documents.status(507, "InsufficientStorage", packs.fullness());
        };
    }

    /** Reads and forgets the rest of a refused body: a sender that still writes would not see the answer. */
    private static void send(HttpExchange exchange, ObjectNode answer) throws IOException {
        InputStream rest = exchange.getRequestBody();
        byte[] part = new byte[8192];
        for (long left = PackBody.BODY_BYTES; left > 0; ) {
            int count = rest.read(part);
            if (count < 0) {
                break;
            }
            left -= count;
        }
        byte[] body = Documents.MAPPER.writeValueAsBytes(answer);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        switch (answer.get("code").asInt()) {
            case 429, 503 -> exchange.getResponseHeaders().set("Retry-After", "1");
            default -> {
                // The body has it all.
            }
        }
        exchange.sendResponseHeaders(answer.get("code").asInt(), body.length);
        exchange.getResponseBody().write(body);
    }
}
