package dev.quiver.history.web;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * The resources that a request holds from its beginning until its answer was taken or its caller is gone. Used by one
 * thread at a time; closed once.
 */
final class Flight implements AutoCloseable {

    /** Bytes of a request before anybody knows its answer. */
    static final long LEAST = 64 << 10;

    private final Bounds bounds;
    private final Deque<Shares.Held> held = new ArrayDeque<>();
    private String namespace = "";
    private Optional<Shares.Held> answer = Optional.empty();

    Flight(Bounds bounds) {
        this.bounds = bounds;
    }

    /** Begins it for that namespace; empty for a request of none. A problem of 503 where there is no room for it. */
    void begin(String its) {
        namespace = its;
        answer = Optional.of(take(bounds.answers(), LEAST, "answers"));
    }

    /** An answer has so many bytes, and is in memory. A problem of 503 where there is no room for it. */
    void answers(long bytes) {
        if (answer.isPresent() && !answer.get().resize(Math.max(LEAST, bytes))) {
            throw busy("answers");
        }
    }

    /** Waits for room for an answer of so many bytes, which nobody has made yet. */
    void expects(long bytes) {
        answer.ifPresent(Shares.Held::close);
        answer = Optional.of(take(bounds.answers(), bytes, "answers"));
    }

    /** Waits for so many bytes to build an answer in, and keeps them until they are closed. */
    Shares.Held works(long bytes) {
        return take(bounds.work(), bytes, "work");
    }

    /** Bytes that the largest work may take. */
    long mostWork() {
        return bounds.work().total();
    }

    /** Waits for the place of an export, and keeps it. The answer that it sends is in memory bit by bit. */
    void exports() {
        held.push(take(bounds.exports(), 1, "exports"));
    }

    /** Takes the place of a viewer, and keeps it. A problem of 429 where there is none. */
    void views(String caller) {
        held.push(bounds.viewers().take(namespace, 1, java.time.Duration.ZERO).orElseThrow(() -> tooMany("namespace")));
        held.push(bounds.viewersOfOne().take(caller, 1, java.time.Duration.ZERO).orElseThrow(() -> tooMany("caller")));
        answer.ifPresent(Shares.Held::close);
        answer = Optional.empty();
    }

    private static Problem tooMany(String whose) {
        return new Problem(
                429, "TooManyRequests", "this " + whose + " has as many event streams as it may have; ask again later");
    }

    private Shares.Held take(Shares of, long amount, String what) {
        return of.take(namespace, amount, Bounds.PATIENCE).orElseThrow(() -> busy(what));
    }

    private Problem busy(String what) {
        return new Problem(
                503,
                "ServiceUnavailable",
                "the " + what + (namespace.isEmpty() ? "" : " of namespace " + namespace)
                        + " take as much memory as they may; ask again in a moment");
    }

    @Override
    public void close() {
        answer.ifPresent(Shares.Held::close);
        held.forEach(Shares.Held::close);
    }
}
