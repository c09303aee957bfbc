package dev.quiver.history.web;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import com.sun.net.httpserver.Headers;

import dev.quiver.history.access.Access;
import dev.quiver.history.access.AccessException;
import dev.quiver.history.access.Caller;
import dev.quiver.history.access.Right;
import dev.quiver.history.query.Run;
import dev.quiver.history.query.Runs;
import dev.quiver.lifecycle.history.RunKind;

/**
 * The rights of a caller to see runs, as answers of the API. A run that a caller may not read is answered as one that
 * is not there. Thread-safe.
 */
final class Gate {

    /** The API server's proxy passes it, and strips Authorization. */
    private static final String TOKEN = "Quiver-Token";

    private static final String BEARER = "Bearer ";

    private final Access access;

    Gate(Access access) {
        this.access = access;
    }

    /** The token of a request, or empty. */
    static String token(Headers headers) {
        String own = headers.getFirst(TOKEN);
        if (own != null) {
            return own.strip();
        }
        String authorization =
                Optional.ofNullable(headers.getFirst("Authorization")).orElse("");
        return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authorization.substring(BEARER.length()).strip()
                : "";
    }

    /** The caller of a request, or a problem of 401, 429 or 503. */
    Caller caller(String token, InetAddress from) {
        if (token.isEmpty()) {
            throw new Problem(401, "Unauthorized", "a token is needed: Authorization: Bearer, or Quiver-Token");
        }
        return asked(() -> access.caller(token, from));
    }

    static <T> T asked(Supplier<T> question) {
        try {
            return question.get();
        } catch (AccessException e) {
            throw switch (e.kind()) {
                case UNKNOWN -> new Problem(401, "Unauthorized", e.getMessage());
                case TOO_MANY -> new Problem(429, "TooManyRequests", e.getMessage());
                case AWAY -> new Problem(503, "ServiceUnavailable", e.getMessage());
            };
        }
    }

    private boolean may(Caller caller, Right right) {
        return asked(() -> access.may(caller, right));
    }

    /** The uid of the namespace that has this name now; absent where there is none. */
    Optional<String> living(String namespace) {
        return asked(() -> access.living(namespace));
    }

    /** Whether the run is of the namespace that has its name now: an earlier one of the name is another one. */
    private boolean lives(Run run) {
        return living(run.namespace()).equals(Optional.of(run.namespaceUid()));
    }

    /** Whether the run may be read. */
    boolean sees(Caller caller, Run run) {
        Right right = Right.of(Right.Verb.GET, run.kind(), run.namespace(), run.name());
        return lives(run)
                ? may(caller, right)
                : may(caller, Right.of(Right.Verb.LIST, run.kind(), "", "")) && may(caller, right.everywhere());
    }

    private boolean may(Caller caller, Right right, Run run) {
        return may(caller, lives(run) ? right : right.everywhere());
    }

    /** A problem of 403 where the caller may not read what the run's tasks printed and returned. */
    void checkOutput(Caller caller, Run run) {
        Right right = Right.of(Right.Verb.GET, run.kind(), run.namespace(), run.name())
                .ofLog();
        if (!may(caller, right, run)) {
            throw forbidden(caller, "get the log of this run", run.namespace());
        }
    }

    /** The first of these that the caller may remove; a problem of 403 or 404 where there is none. */
    Run removable(Caller caller, String namespace, List<Run> runs) {
        for (Run run : runs) {
            if (may(caller, Right.of(Right.Verb.DELETE, run.kind(), run.namespace(), run.name()), run)) {
                return run;
            }
        }
        throw runs.stream().anyMatch(run -> sees(caller, run))
                ? forbidden(caller, "delete this run", namespace)
                : hidden(caller, namespace);
    }

    /**
     * The runs that the caller may list. In the living namespace these are all runs, or those of some kinds. Runs of
     * earlier namespaces of its name are added if the caller may list the whole cluster. Throws a problem of 403 if
     * there are none.
     */
    Runs.Shown listed(Caller caller, String namespace) {
        Optional<String> living = living(namespace);
        if (caller.readerOf().equals(Optional.of(namespace))) {
            return new Runs.Shown(Optional.empty(), living, List.of());
        }
        List<String> kinds = kinds(caller, Right.Verb.LIST, namespace);
        if (kinds.isEmpty()) {
            throw forbidden(caller, "list runs", namespace);
        }
        return new Runs.Shown(Optional.of(kinds), living, kinds(caller, Right.Verb.LIST, ""));
    }

    /** Whether the caller may list runs of some kind there; an empty name is for all namespaces. */
    boolean lists(Caller caller, String namespace) {
        return Arrays.stream(RunKind.values())
                .anyMatch(kind -> may(caller, Right.of(Right.Verb.LIST, kind.word(), namespace, "")));
    }

    /** The runs of {@link #listed} in the living namespace alone, of kinds that the caller may also get. */
    Runs.Shown readable(Caller caller, String namespace) {
        Runs.Shown listed = listed(caller, namespace);
        List<String> got = kinds(caller, Right.Verb.GET, namespace);
        Optional<List<String>> kinds =
                listed.kinds().map(some -> some.stream().filter(got::contains).toList());
        if (kinds.filter(List::isEmpty).isPresent()) {
            throw forbidden(caller, "get runs", namespace);
        }
        return new Runs.Shown(kinds, listed.living(), List.of());
    }

    private List<String> kinds(Caller caller, Right.Verb verb, String namespace) {
        return Arrays.stream(RunKind.values())
                .map(RunKind::word)
                .filter(kind -> may(caller, Right.of(verb, kind, namespace, "")))
                .toList();
    }

    /** The problem of a run that is not there, or is not for this caller: 403 for one who may read none. */
    Problem hidden(Caller caller, String namespace) {
        return kinds(caller, Right.Verb.GET, namespace).isEmpty()
                ? forbidden(caller, "get runs", namespace)
                : Problem.notFound("run");
    }

    private static Problem forbidden(Caller caller, String deed, String namespace) {
        return new Problem(403, "Forbidden", caller.user() + " may not " + deed + " in namespace " + namespace);
    }
}
