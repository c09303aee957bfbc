package dev.quiver.history.kube;

/** The API server did not answer, or refused a request; the message has the request and the reason. */
public final class ApiServerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** With words for people. */
    public ApiServerException(String message) {
        super(message);
    }

    /** With words for people, and what broke off the request. */
    public ApiServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
