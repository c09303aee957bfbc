package dev.quiver.lifecycle.history.stream;

import java.util.List;

/**
 * The rights of the Redis user of history, in the words of ACL SETUSER: it reads and trims the streams of all keyspaces,
 * and changes one field of their {@code meta}. It reaches no task, no session and no result. It runs Lua of its own,
 * because replies of functions and of texts are the same, and no tenant has its password.
 */
public final class HistoryRights {

    private HistoryRights() {}

    /** The rules after {@code ACL SETUSER <name>}, password left out: everything not named is refused. */
    public static List<String> rules() {
        return List.of(
                "reset",
                "on",
                "~quiver:{*}:history",
                "~quiver:{*}:meta",
                "+hello",
                "+auth",
                "+ping",
                "+client|setname",
                "+client|id",
                "+info",
                "+select",
                "+cluster|slots",
                "+cluster|shards",
                "+cluster|nodes",
                "+cluster|myid",
                "+asking",
                "+fcall",
                "+eval",
                "+evalsha",
                "+xlen",
                "+xrange",
                "+xtrim",
                "+xdel",
                "+hstrlen",
                "+hget",
                "+hset");
    }
}
