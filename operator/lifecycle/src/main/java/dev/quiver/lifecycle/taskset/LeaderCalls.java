package dev.quiver.lifecycle.taskset;

import java.util.List;

import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.RedisStore;
import dev.quiver.lifecycle.Script;
import dev.quiver.lifecycle.ScriptCode;
import dev.quiver.lifecycle.ScriptReply;
import dev.quiver.lifecycle.StaleLeaderException;

/** Runs the leader's scripts: the term is always the first argument, and a stale one ends here. */
record LeaderCalls(RedisStore store, Keyspace keyspace, long term) {

    ScriptReply run(Script script, ScriptKeys keys, Object... arguments) {
        return run(script, keys, List.of(), arguments);
    }

    ScriptReply run(Script script, ScriptKeys keys, List<String> restKeys, Object... arguments) {
        String[] texts = new String[arguments.length + 1];
        texts[0] = Long.toString(term);
        for (int i = 0; i < arguments.length; i++) {
            texts[i + 1] = arguments[i].toString();
        }
        ScriptReply reply = store.run(script, script.keys(keys::key, restKeys), texts);
        if (reply.code() == ScriptCode.STALE_LEADER) {
            throw new StaleLeaderException(term, reply.number(1));
        }
        return reply;
    }
}
