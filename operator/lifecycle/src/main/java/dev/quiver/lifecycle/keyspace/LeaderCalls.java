package dev.quiver.lifecycle.keyspace;

import java.util.List;
import java.util.function.UnaryOperator;

import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;

/**
 * Runs the leader's scripts. The term is always the first argument; a stale term throws {@link StaleLeaderException}.
 */
public record LeaderCalls(RedisStore store, Keyspace keyspace, long term) {

    public ScriptReply run(Script script, UnaryOperator<String> keys, Object... arguments) {
        return run(script, keys, List.of(), arguments);
    }

    public ScriptReply run(Script script, UnaryOperator<String> keys, List<String> restKeys, Object... arguments) {
        String[] texts = new String[arguments.length + 1];
        texts[0] = Long.toString(term);
        for (int i = 0; i < arguments.length; i++) {
            texts[i + 1] = arguments[i].toString();
        }
        ScriptReply reply = store.run(script, script.keys(keys, restKeys), texts);
        if (reply.code() == ScriptCode.STALE_LEADER) {
            throw new StaleLeaderException(keyspace, term, reply.number("term"));
        }
        return reply;
    }
}
