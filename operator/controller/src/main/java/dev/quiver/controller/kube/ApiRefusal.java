package dev.quiver.controller.kube;

import java.net.HttpURLConnection;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * The API server's refusal of a request: quota, admission, validation or a missing right. An early retry does not help,
 * so a condition shows the refusal to a person.
 *
 * @param invalid whether the object itself is wrong, rather than refused by quota or a policy
 * @param message of the API server
 */
public record ApiRefusal(boolean invalid, String message) {

    private static final int UNPROCESSABLE = 422;

    /** The refusal in a failure; absent for another kind of failure. */
    public static Optional<ApiRefusal> of(KubernetesClientException e) {
        return switch (e.getCode()) {
            case HttpURLConnection.HTTP_FORBIDDEN -> Optional.of(new ApiRefusal(false, message(e)));
            case HttpURLConnection.HTTP_BAD_REQUEST, UNPROCESSABLE -> Optional.of(new ApiRefusal(true, message(e)));
            default -> Optional.empty();
        };
    }

    /** The API server's message; the failure's own message repeats the whole answer around it. */
    public static String message(KubernetesClientException e) {
        return Optional.ofNullable(e.getStatus()).map(Status::getMessage).orElseGet(e::getMessage);
    }

    /**
     * Whether the cause is that the namespace is being deleted: then no Event can be written, and nothing needs repair.
     */
    public static boolean namespaceGoes(KubernetesClientException e) {
        return Optional.ofNullable(e.getStatus())
                .map(Status::getDetails)
                .map(StatusDetails::getCauses)
                .orElse(List.of())
                .stream()
                .anyMatch(cause -> "NamespaceTerminating".equals(cause.getReason()));
    }
}
