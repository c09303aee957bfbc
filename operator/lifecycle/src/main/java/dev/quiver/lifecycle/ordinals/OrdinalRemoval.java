package dev.quiver.lifecycle.ordinals;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.worker.RedisWorkerSessions;
import dev.quiver.lifecycle.worker.SessionKeys;

/**
 * Deletes a source together with what sessions hold of it.
 *
 * @param store where it is
 * @param keyspace of the source
 */
public record OrdinalRemoval(RedisStore store, Keyspace keyspace) {

    /** No session joins a source that has ended, so the second round finds all. */
    private static final int ROUNDS = 8;

    /**
     * Calls the script that deletes, until it was given all sessions that work at the source.
     *
     * @param call gets the keys of what the sessions hold and of their hashes, in turns, and the sessions
     * @return its last answer
     */
    public ScriptReply remove(OrdinalKeys source, BiFunction<List<String>, List<String>, ScriptReply> call) {
        for (int round = 0; round < ROUNDS; round++) {
            List<String> sessions = sessions(source);
            List<String> theirKeys = new ArrayList<>();
            for (String session : sessions) {
                theirKeys.add(source.held(session));
                theirKeys.add(keyspace.session(session));
            }
            ScriptReply reply = call.apply(theirKeys, sessions);
            if (reply.code() != ScriptCode.AGAIN) {
                return reply;
            }
        }
        throw new StoreRefusedException(
                StoreRefusedException.Kind.PASSING,
                "sessions join source " + source.source() + " while it is deleted",
                null);
    }

    private List<String> sessions(OrdinalKeys source) {
        OrdinalScriptKeys keys = new OrdinalScriptKeys(SessionKeys.ofPool(keyspace, ""), source);
        ScriptReply reply = store.run(
                OrdinalScripts.MEMBERS,
                OrdinalScripts.MEMBERS.keys(keys::key, List.of()),
                Integer.toString(RedisWorkerSessions.MOST_SESSIONS));
        return reply.texts("sessions");
    }
}
