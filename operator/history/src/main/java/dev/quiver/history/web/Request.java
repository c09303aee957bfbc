package dev.quiver.history.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import dev.quiver.history.access.Caller;

/**
 * A request that matched a route.
 *
 * @param path values of the route's names
 * @param query parameters, each at most once
 * @param from absent on a route that needs no token
 * @param again the caller once more; fails where its token is no longer good
 * @param lastEventId of the header of that name
 * @param flight what it holds until its answer was taken
 */
record Request(
        Map<String, String> path,
        Map<String, String> query,
        Optional<Caller> from,
        Supplier<Caller> again,
        Optional<String> lastEventId,
        Flight flight) {

    private static final int LIMIT = 100;
    private static final int MOST = 1000;
    private static final int LONGEST_VALUE = 1024;

    /** Reads a query; a parameter that the route does not know is refused, since a typo would change the answer. */
    static Map<String, String> query(String raw, Set<String> known) {
        Map<String, String> query = new LinkedHashMap<>();
        if (raw == null || raw.isEmpty()) {
            return query;
        }
        for (String pair : raw.split("&")) {
            int equals = pair.indexOf('=');
            String name = decode(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
            if (!known.contains(name)) {
                throw Problem.badRequest("no parameter is called " + printable(name));
            }
            if (value.length() > LONGEST_VALUE || query.put(name, value) != null) {
                throw Problem.badRequest("parameter " + name + " is too long or comes twice");
            }
        }
        return query;
    }

    static String decode(String text) {
        try {
            String decoded = URLDecoder.decode(text, StandardCharsets.UTF_8);
            if (decoded.indexOf('\0') >= 0) {
                throw Problem.badRequest("NUL is no character of a request");
            }
            return decoded;
        } catch (IllegalArgumentException e) {
            throw Problem.badRequest("the address is not encoded as one");
        }
    }

    static String printable(String text) {
        String safe = text.replaceAll("[^ -~]", "?");
        return safe.length() > 64 ? safe.substring(0, 64) : safe;
    }

    Caller caller() {
        return from.orElseThrow();
    }

    String named(String name) {
        return path.get(name);
    }

    /** A number of the path; anything else is an address that does not exist. */
    long number(String name) {
        String text = path.get(name);
        if (!text.matches("\\d{1,15}")) {
            throw Problem.notFound(name + " " + printable(text));
        }
        return Long.parseLong(text);
    }

    Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name)).filter(value -> !value.isEmpty());
    }

    boolean flag(String name) {
        return switch (query.getOrDefault(name, "false")) {
            case "true", "" -> true;
            case "false" -> false;
            default -> throw Problem.badRequest(name + " is true or false");
        };
    }

    Optional<Long> numberParameter(String name, long least, long most) {
        return parameter(name).map(text -> {
            if (!text.matches("-?\\d{1,15}") || Long.parseLong(text) < least || Long.parseLong(text) > most) {
                throw Problem.badRequest(name + " is a number from " + least + " to " + most);
            }
            return Long.parseLong(text);
        });
    }

    int limit() {
        return numberParameter("limit", 1, MOST).orElse((long) LIMIT).intValue();
    }

    Optional<String> token() {
        return parameter("continue");
    }
}
