package dev.quiver.lifecycle.redis;

import java.util.Arrays;
import java.util.stream.Collectors;

/** First element of every script's reply. The loader declares these names in front of each script. */
public enum ScriptCode {
    /** Done, or done before by the same call. */
    OK,
    /** There was nothing to do. */
    NOTHING,
    /** The TaskSet is not there. */
    GONE,
    /** The call's number is behind the session's: nothing was done and never will be under this number. */
    STALE,
    /** The session is not live: nothing was done. */
    FENCED,
    /** The uid was dropped a short while ago. */
    BURIED,
    /** The offset lies beyond what is known. */
    GAP,
    /** The source takes no more tasks. */
    CLOSED,
    /** Call again with fresh arguments. */
    AGAIN,
    /** A later leader wrote before. */
    STALE_LEADER,
    /** The pool's name has no owner. */
    POOL_UNKNOWN,
    /** The pool's name has another owner. */
    POOL_REPLACED,
    /** The pool has as many sessions as it may. */
    POOL_FULL,
    /** The pod takes no more work. */
    DRAINING,
    /** The keyspace was written by a newer version. */
    SCHEMA,
    /** A key holds more than is read of it; its name and its size follow. */
    TOO_LARGE,
    /** The call lacks what has to be read first. It follows, and nothing was done. */
    INCOMPLETE;

    /** Declares all names as Lua locals. */
    static String declaration() {
        String names = Arrays.stream(values()).map(Enum::name).collect(Collectors.joining(", "));
        String numbers =
                Arrays.stream(values()).map(code -> "" + code.ordinal()).collect(Collectors.joining(", "));
        return "local " + names + " = " + numbers + "\n";
    }
}
