package dev.quiver.history.access;

import java.net.InetAddress;
import java.util.Optional;

/** Tells callers apart and what each may do. Thread-safe. */
public interface Access {

    /**
     * The caller that a token belongs to.
     *
     * @param token as it came
     * @param from where it came from, for the bound on false tokens
     * @throws AccessException for a token of nobody, for too many of these, and while nobody can tell
     */
    Caller caller(String token, InetAddress from);

    /**
     * Whether a caller has a right.
     *
     * @throws AccessException while nobody can tell
     */
    boolean may(Caller caller, Right right);

    /**
     * The uid of the namespace that has this name now; absent where there is none.
     *
     * @throws AccessException while nobody can tell
     */
    Optional<String> living(String namespace);
}
