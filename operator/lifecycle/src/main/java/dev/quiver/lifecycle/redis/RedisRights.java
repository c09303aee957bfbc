package dev.quiver.lifecycle.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rights of a Redis user of one Kubernetes namespace, in the words of ACL SETUSER. Scripts are checked against it
 * too, so a supervisor's credentials reach no other tenant. Commands of the operator's own scripts are not among them. A user calls the functions of its role and no others, and selects one database.
 */
public final class RedisRights {

    /** Commands of the client library and of a supervisor's own reads. */
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
            "+blpop");

    /** Commands of a supervisor's scripts; Redis checks each again when a script runs. */
    private static final List<String> DATA = List.of(
            "+time",
            "+memory|usage",
            "+unlink",
            "+hset",
            "+hget",
            "+hmget",
            "+hgetall",
            "+hdel",
            "+hlen",
            "+hkeys",
            "+hexists",
            "+hincrby",
            "+hstrlen",
            "+zadd",
            "+zrem",
            "+zscore",
            "+zrank",
            "+zcard",
            "+zcount",
            "+zrange",
            "+zrangebyscore",
            "+zrangebylex",
            "+zlexcount",
            "+zremrangebyrank",
            "+lpush",
            "+rpush",
            "+lpop",
            "+rpop",
            "+llen",
            "+lrange",
            "+sismember",
            "+strlen",
            "+getrange",
            "+type",
            "+xadd",
            "+xlen",
            "+xtrim");

    /** More commands of a supervisor's scripts in a namespace that was granted a prefix, whose programs keep work in sets. */
    private static final List<String> GRANTED_DATA = List.of(
            "+sadd", "+srem", "+srandmember", "+spop", "+scard", "+smembers", "+exists", "+rename", "+hrandfield");

    /** Commands of the scripts of a program that creates tasks, and of its own reads. */
    private static final List<String> CLIENT_DATA = List.of(
            "+time",
            "+get",
            "+set",
            "+unlink",
            "+hset",
            "+hget",
            "+hmget",
            "+hdel",
            "+hexists",
            "+hincrby",
            "+hstrlen",
            "+zadd",
            "+zrem",
            "+zscore",
            "+zcard",
            "+zrange",
            "+zrangebyscore",
            "+zrangebylex",
            "+zlexcount",
            "+zremrangebyrank",
            "+rpush",
            "+llen",
            "+type",
            "+memory|usage",
            "+pttl",
            "+pexpire",
            "+xadd",
            "+xlen",
            "+xtrim",
            "+xrange",
            "+xrevrange",
            "+xread",
            "+wait");

    /**
     * The key patterns of a program: it may change keys of those with {@code ~}, and only reads keys of those with
     * {@code %R~}.
     */
    private static final List<String> CLIENT_KEYS = List.of(
            "~%smeta",
            "~%sdirty",
            "~%sdelayed",
            "~%stask:*",
            "%%R~%spool:*",
            "~%spool:*:tasks",
            "~%spool:*:tasks:plain",
            "~%spool:*:tasks:handlers",
            "~%spool:*:tasks:waiting",
            "~%spool:*:tasks:ranks",
            "~%spool:*:tasks:classes",
            "~%spool:*:tasks:turns",
            "~%spool:*:ready",
            "~%spool:*:wake");

    private RedisRights() {}

    /** Key patterns of a namespace: its default keyspace and all named ones. */
    public static List<String> keyPatterns(String namespace) {
        return List.of("~quiver:{" + namespace + "}:*", "~quiver:{" + namespace + "/*}:*");
    }

    /**
     * The rules after {@code ACL SETUSER <name>}, password left out: everything not named is refused.
     *
     * @param calls what this Redis lets it call; without functions the user may run Lua of its own
     */
    public static List<String> rules(String namespace, CallRights calls) {
        return rules(namespace, calls, Optional.empty());
    }

    /**
     * The same with a prefix of keys that the namespace shares with other programs.
     *
     * @param grantedPrefix without characters that a pattern of Redis gives a meaning
     */
    public static List<String> rules(String namespace, CallRights calls, Optional<String> grantedPrefix) {
        List<String> rules = new ArrayList<>(List.of("reset", "on"));
        rules.addAll(keyPatterns(namespace));
        grantedPrefix.ifPresent(prefix -> rules.add("~" + prefix + "*"));
        rules.addAll(CONNECTION);
        rules.add(calls.selects());
        rules.addAll(calls.scripts(ScriptRole.WORKER));
        rules.addAll(DATA);
        grantedPrefix.ifPresent(prefix -> rules.addAll(GRANTED_DATA));
        return rules;
    }

    /**
     * The rules of a program that creates, watches and cancels Tasks in the namespace's keyspaces. It has no right to the
     * keys of sessions and of what they hold, so it settles nothing. It calls functions and runs no Lua: where Redis has no
     * functions it calls nothing.
     */
    public static List<String> clientRules(String namespace, CallRights calls) {
        List<String> rules = new ArrayList<>(List.of("reset", "on"));
        for (String prefix : List.of("quiver:{" + namespace + "}:", "quiver:{" + namespace + "/*}:")) {
            CLIENT_KEYS.forEach(form -> rules.add(form.formatted(prefix)));
        }
        rules.addAll(
                CONNECTION.stream().filter(right -> !right.equals("+blpop")).toList());
        rules.add(calls.selects());
        if (calls.functions().isPresent()) {
            rules.addAll(calls.scripts(ScriptRole.CLIENT));
        }
        rules.addAll(CLIENT_DATA);
        rules.addAll(calls.durability());
        return rules;
    }
}
