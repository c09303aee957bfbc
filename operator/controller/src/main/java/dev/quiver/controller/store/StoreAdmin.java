package dev.quiver.controller.store;

import java.util.List;
import java.util.Set;

import dev.quiver.lifecycle.redis.CallRights;

/**
 * The operator's calls to Redis as its administrator. Methods throw {@link dev.quiver.lifecycle.redis.StoreException}.
 * Thread-safe.
 */
public interface StoreAdmin extends AutoCloseable {

    /** The servers that answer now; loads the functions where they are missing. */
    Deployment look();

    /**
     * Makes or replaces a user on every node, and saves it where Redis keeps users in a file. Idempotent.
     *
     * @param rules as ACL SETUSER takes them
     * @return false when an unreached server may serve before it counts as another one: call again
     */
    boolean setUser(String name, List<String> rules);

    /** Removes a user from every node, also when it is not there; the result is as with {@link #setUser}. */
    boolean removeUser(String name);

    /** How scripts are called, as of the last look. */
    Lua lua();

    /** The calls that users may make, as of the last look; a right to functions counts if {@link #lua} says so. */
    CallRights calls();

    /**
     * Deletes function libraries of other versions that have been unused for long.
     *
     * @param used libraries that workers call
     */
    void dropOldFunctions(Set<String> used);

    @Override
    void close();

    /** How scripts are called, which determines the rights that tenants need. */
    enum Lua {
        /** Undecided without an answer: no tenant may be given a right to run Lua of its own. */
        UNKNOWN,
        /** As functions that the operator loads; a tenant needs no right to run Lua. */
        FUNCTIONS,
        /** By their text: a server refuses functions, and each tenant may run Lua of its own. */
        SCRIPTS
    }

    /**
     * The servers as they are now.
     *
     * @param identity another one whenever a server was started, came or went, or {@link #lua} or {@link #calls} changed: users
     *     must be asserted again
     * @param evictionPolicy the maxmemory-policy
     * @param memory maxmemory in bytes, 0 for none
     * @param used memory that Redis uses, in bytes
     */
    record Deployment(String identity, String evictionPolicy, long memory, long used) {

        /** Whether Redis may drop keys by itself. */
        public boolean evicts() {
            return !SAFE_POLICY.equals(evictionPolicy);
        }
    }

    /** The only maxmemory-policy under which no task is dropped. */
    String SAFE_POLICY = "noeviction";
}
