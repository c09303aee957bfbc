package dev.quiver.controller.store;

import java.util.List;

/**
 * What the operator does to Redis as its administrator. Methods throw {@link dev.quiver.lifecycle.StoreException}.
 * Thread-safe.
 */
public interface StoreAdmin extends AutoCloseable {

    /** What answers now. */
    Deployment look();

    /**
     * Makes or replaces a user on every node, and saves it where Redis keeps users in a file. Idempotent.
     *
     * @param rules as ACL SETUSER takes them
     */
    void setUser(String name, List<String> rules);

    /** Removes a user from every node, also when it is not there. */
    void removeUser(String name);

    @Override
    void close();

    /**
     * The servers as they are now.
     *
     * @param identity another one whenever a server was started, came or went: users must be asserted again
     * @param evictionPolicy the maxmemory-policy
     */
    record Deployment(String identity, String evictionPolicy) {}
}
