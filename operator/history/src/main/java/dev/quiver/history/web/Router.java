package dev.quiver.history.web;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
     * @param parameters of its query
     */
    record Route(String pattern, Set<String> parameters, Handler handler) {

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
        routes.add(new Route(pattern, Set.of(parameters), handler));
        return this;
    }

    List<Route> routes() {
        return List.copyOf(routes);
    }

    /**
     * Answers a request.
     *
     * @param path of the address, still encoded
     * @param query of the address, still encoded, or null
     */
    Response answer(String method, String path, String query) throws SQLException {
        String[] segments = path.split("/", -1);
        for (Route route : routes) {
            Optional<Map<String, String>> values = route.match(segments);
            if (values.isPresent()) {
                if (!method.equals("GET")) {
                    throw new Problem(405, "MethodNotAllowed", "this address answers GET alone");
                }
                return route.handler.answer(new Request(values.get(), Request.query(query, route.parameters)));
            }
        }
        throw Problem.notFound("address");
    }
}
