package dev.quiver.lifecycle;

import java.util.ArrayList;
import java.util.List;

/**
 * What a Redis user of one Kubernetes namespace needs, in the words of ACL SETUSER. Scripts are checked against it too, so
 * a supervisor's credentials reach no other tenant.
 */
public final class RedisRights {

    /** Commands, each with its plus sign. */
    public static final List<String> COMMANDS = List.of(
            // Connection and cluster.
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
            "+readonly",
            "+readwrite",
            // Scripts.
            "+eval",
            "+evalsha",
            // What scripts and reads use.
            "+time",
            "+exists",
            "+set",
            "+del",
            "+unlink",
            "+pexpire",
            "+persist",
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
            "+zrange",
            "+zrangebyscore",
            "+lpush",
            "+rpush",
            "+lpop",
            "+llen",
            "+lrange",
            "+blpop",
            "+sadd",
            "+srem",
            "+sismember",
            "+smembers",
            "+xadd");

    private RedisRights() {}

    /** Key patterns of a namespace: its default keyspace and all named ones. */
    public static List<String> keyPatterns(String namespace) {
        return List.of("~quiver:{" + namespace + "}:*", "~quiver:{" + namespace + "/*}:*");
    }

    /** The rules after {@code ACL SETUSER <name>}, password left out: everything not named is refused. */
    public static List<String> rules(String namespace) {
        List<String> rules = new ArrayList<>(List.of("reset", "on"));
        rules.addAll(keyPatterns(namespace));
        rules.addAll(COMMANDS);
        return rules;
    }
}
