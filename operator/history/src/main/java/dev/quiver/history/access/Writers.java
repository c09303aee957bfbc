package dev.quiver.history.access;

import java.net.InetAddress;

/** Tells the pods apart that bring packs. Thread-safe. */
public interface Writers {

    /**
     * The pod that a token belongs to.
     *
     * @param token as it came
     * @param from where it came from, for the bound on false tokens
     * @throws AccessException for a token that is no pod's or not for this use, for too many of these, and while nobody
     *     can tell
     */
    Writer writer(String token, InetAddress from);
}
