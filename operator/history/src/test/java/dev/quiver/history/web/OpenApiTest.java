package dev.quiver.history.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import dev.quiver.history.rig.OpenApi;
import dev.quiver.history.rig.Trusting;

/** The document describes exactly the routes that there are, with their parameters. */
class OpenApiTest {

    @Test
    void describesEveryRouteAndNoOther() {
        Map<String, Set<String>> routes = new TreeMap<>();
        for (Router.Route route :
                new Api(null, null, null, new Trusting(), () -> null).router().routes()) {
            Set<String> names = new TreeSet<>(route.parameters());
            for (String segment : route.pattern().split("/")) {
                if (segment.startsWith("{")) {
                    names.add(segment.substring(1, segment.length() - 1));
                }
            }
            routes.put(route.method() + " " + route.pattern(), names);
        }
        Map<String, Set<String>> described = new TreeMap<>();
        new OpenApi().operations().forEach((path, parameters) -> {
            Set<String> names = new TreeSet<>();
            parameters.forEach(parameter -> names.add(parameter.get("name").asText()));
            described.put(path, names);
        });
        assertThat(described).isEqualTo(routes);
    }
}
