package dev.quiver.controller.kube;

import java.net.HttpURLConnection;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * The API server's no to what it was asked: quota, admission, validation or a missing right. Asking again soon will not
 * help, so it is told to a person instead of being tried again at once.
 *
 * @param invalid whether the object itself is wrong, rather than quota or a policy in the way
 * @param message the API server's
 */
public record ApiRefusal(boolean invalid, String message) {

    private static final int UNPROCESSABLE = 422;

    /** The refusal in a failure; absent when it is another kind of failure. */
    public static Optional<ApiRefusal> of(KubernetesClientException e) {
        return switch (e.getCode()) {
            case HttpURLConnection.HTTP_FORBIDDEN -> Optional.of(new ApiRefusal(false, message(e)));
            case HttpURLConnection.HTTP_BAD_REQUEST, UNPROCESSABLE -> Optional.of(new ApiRefusal(true, message(e)));
            default -> Optional.empty();
        };
    }

    /** What the API server said; the failure's own message repeats the whole answer around it. */
    public static String message(KubernetesClientException e) {
        return Optional.ofNullable(e.getStatus()).map(Status::getMessage).orElseGet(e::getMessage);
    }

    /** Whether it refuses since the namespace is being deleted: then there is nobody to tell, and nothing to mend. */
    public static boolean namespaceGoes(KubernetesClientException e) {
        return Optional.ofNullable(e.getStatus())
                .map(Status::getDetails)
                .map(StatusDetails::getCauses)
                .orElse(List.of())
                .stream()
                .anyMatch(cause -> "NamespaceTerminating".equals(cause.getReason()));
    }
}
