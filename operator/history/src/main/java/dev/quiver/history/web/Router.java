package dev.quiver.history.web;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import dev.quiver.history.access.Caller;

/** Finds the route of an address. Routes are tried in the order in which they were added; immutable once it serves. */
final class Router {

    /** Answers a request. */
    @FunctionalInterface
    interface Handler {

        Response answer(Request request) throws SQLException;
    }

    /**
     * A route.
     *
     * @param pattern as in OpenAPI: {@code /v1/namespaces/{namespace}/runs}
     * @param method of HTTP
     * @param parameters of its query
     * @param open whether a caller needs no token
     */
    record Route(String method, String pattern, Set<String> parameters, boolean open, Handler handler) {

        private Optional<Map<String, String>> match(String[] segments) {
            String[] own = pattern.split("/", -1);
            if (own.length != segments.length) {
                return Optional.empty();
            }
            Map<String, String> values = new LinkedHashMap<>();
            for (int i = 0; i < own.length; i++) {
                if (own[i].startsWith("{")) {
                    String value = Request.decode(segments[i].replace("+", "%2B"));
                    if (value.isEmpty()) {
                        return Optional.empty();
                    }
                    values.put(own[i].substring(1, own[i].length() - 1), value);
                } else if (!own[i].equals(segments[i])) {
                    return Optional.empty();
                }
            }
            return Optional.of(values);
        }
    }

    private final List<Route> routes = new ArrayList<>();

    /** Adds a route of GET. */
    Router get(String pattern, Handler handler, String... parameters) {
        routes.add(new Route("GET", pattern, Set.of(parameters), false, handler));
        return this;
    }

    /** Adds a route of DELETE. */
    Router delete(String pattern, Handler handler) {
        routes.add(new Route("DELETE", pattern, Set.of(), false, handler));
        return this;
    }

    /** Adds a route of GET that needs no token. */
    Router open(String pattern, Handler handler) {
        routes.add(new Route("GET", pattern, Set.of(), true, handler));
        return this;
    }

    List<Route> routes() {
        return List.copyOf(routes);
    }

    /**
     * Answers a request. Only a caller with a good token learns which addresses there are.
     *
     * @param path of the address, still encoded
     * @param query of the address, still encoded, or null
     * @param lastEventId of the header of that name
     * @param caller fails where the request has no good token
     * @param flight begun here, for the namespace of the address
     */
    Response answer(
            String method,
            String path,
            String query,
            Optional<String> lastEventId,
            Supplier<Caller> caller,
            Flight flight)
            throws SQLException {
        String[] segments = path.split("/", -1);
        boolean known = false;
        for (Route route : routes) {
            Optional<Map<String, String>> values = route.match(segments);
            if (values.isPresent() && route.method.equals(method)) {
                Optional<Caller> from = route.open ? Optional.empty() : Optional.of(caller.get());
                Request request = new Request(
                        values.get(), Request.query(query, route.parameters), from, caller, lastEventId, flight);
                flight.begin(values.get().getOrDefault("namespace", ""));
                Response response = route.handler.answer(request);
                flight.answers(response.bytes());
                return response;
            }
            known |= values.isPresent();
        }
        caller.get();
        if (known) {
            throw new Problem(405, "MethodNotAllowed", "this address does not answer " + Request.printable(method));
        }
        throw Problem.notFound("address");
    }
}
