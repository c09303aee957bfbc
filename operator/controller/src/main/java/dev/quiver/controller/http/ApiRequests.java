package dev.quiver.controller.http;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts requests to the API server by method, resource and status. Thread-safe. */
public final class ApiRequests implements Interceptor {

    /** The name under which it is added to the client's interceptors. */
    public static final String NAME = "QUIVER_API_REQUESTS";

    private static final List<String> BUILT_IN =
            List.of("pods", "secrets", "configmaps", "events", "leases", "selfsubjectrulesreviews");

    private final MeterRegistry registry;
    private final Set<String> known;

    /**
     * Counts into that registry.
     *
     * @param plurals of our own resources
     */
    public ApiRequests(MeterRegistry registry, Collection<String> plurals) {
        this.registry = registry;
        this.known = new HashSet<>(BUILT_IN);
        this.known.addAll(plurals);
    }

    @Override
    public void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
        registry.counter(
                        "quiver.api.requests",
                        "method",
                        request.method(),
                        "resource",
                        resource(request.uri().getPath()),
                        "code",
                        Integer.toString(response.code()))
                .increment();
    }

    /** Bounded: a path's last known plural, else {@code other}. */
    private String resource(String path) {
        String found = "other";
        for (String part : path.split("/")) {
            if (known.contains(part)) {
                found = part;
            }
        }
        return found;
    }
}
