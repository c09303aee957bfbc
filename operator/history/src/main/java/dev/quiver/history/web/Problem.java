package dev.quiver.history.web;

/** A request that is not answered as it was meant: becomes a Status object. */
final class Problem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;
    private final String reason;

    Problem(int code, String reason, String message) {
        super(message);
        this.code = code;
        this.reason = reason;
    }

    static Problem notFound(String thing) {
        return new Problem(404, "NotFound", thing + " not found");
    }

    static Problem badRequest(String message) {
        return new Problem(400, "BadRequest", message);
    }

    int code() {
        return code;
    }

    String reason() {
        return reason;
    }
}
