package dev.quiver.lifecycle.history.stream;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.ScriptRole;

/**
 * The rights of the Redis user of history, in the words of ACL SETUSER. It reads and trims the streams of all
 * keyspaces, and changes their {@code meta}. It reads the live state of runs and pools that people see, and changes
 * nothing of it. It calls functions, and runs Lua of its own only where the server has none.
 */
public final class HistoryRights {

    private static final List<String> CONNECTION = List.of(
            "+hello",
            "+auth",
            "+ping",
            "+client|setname",
            "+client|id",
            "+info",
            "+cluster|slots",
            "+cluster|shards",
            "+cluster|nodes",
            "+cluster|myid",
            "+asking",
            "+readonly",
            "+readwrite",
            "+time");

    private static final List<String> STREAM = List.of(
            "~quiver:{*}:history",
            "~quiver:{*}:meta",
            "+xlen",
            "+xrange",
            "+xtrim",
            "+xdel",
            "+hstrlen",
            "+hget",
            "+hmget",
            "+hset");

    /** A call of a function needs its keys for writing as well, so what may be done with them is a list of commands. */
    private static final String LIVE =
            "~quiver:{*}:taskset:* ~quiver:{*}:pool:* ~quiver:{*}:task:* ~quiver:{*}:chunks:* ~quiver:{*}:sessions"
                    + " +hlen +hget +hmget +hgetall +hstrlen +hexists +zcard +zscore +zrange +zrangebyscore +zcount +llen"
                    + " +memory|usage +time";

    private HistoryRights() {}

    /**
     * The rules after {@code ACL SETUSER <name>}, password left out: everything not named is refused.
     *
     * @param calls what this Redis lets it call; without functions the user may run Lua of its own
     */
    public static List<String> rules(CallRights calls) {
        List<String> scripts = calls.scripts(ScriptRole.HISTORY);
        List<String> rules = new ArrayList<>(List.of("reset", "on"));
        rules.addAll(CONNECTION);
        rules.add(calls.selects());
        rules.addAll(scripts);
        rules.addAll(STREAM);
        rules.add("(" + LIVE + " " + String.join(" ", scripts) + ")");
        return List.copyOf(rules);
    }
}
