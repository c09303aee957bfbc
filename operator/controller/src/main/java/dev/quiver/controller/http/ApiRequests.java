package dev.quiver.controller.http;

import java.nio.ByteBuffer;
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

    private static final Set<String> RESOURCES = Set.of(
            "pods", "secrets", "configmaps", "events", "leases", "workerpools", "tasksets", "selfsubjectrulesreviews");

    private final MeterRegistry registry;

    /** Into that registry. */
    public ApiRequests(MeterRegistry registry) {
        this.registry = registry;
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
    static String resource(String path) {
        String found = "other";
        for (String part : path.split("/")) {
            if (RESOURCES.contains(part)) {
                found = part;
            }
        }
        return found;
    }
}
