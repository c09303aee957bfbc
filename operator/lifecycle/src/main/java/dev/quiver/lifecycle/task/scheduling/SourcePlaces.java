package dev.quiver.lifecycle.task.scheduling;

import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.commands.PlaceCommands;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.Rank;

/**
 * Places of sources of numbered tasks in their pools, by their priorities and the boosts of their tags. While a resource that
 * one names is missing, it gives no task out. They change under the leader's term. The chunks of a node follow their node.
 */
public final class SourcePlaces {

    /** The rank of a source that has no priority of its own and no tags. */
    private static final String PLAIN = "0\u001f\u001f";

    private final LeaderCalls calls;
    private final TaskKeys keys;
    private final UnaryOperator<String> hashes;

    /**
     * Places of a keyspace.
     *
     * @param hashes the key of a source's hash by the source's name in the order of its pool
     */
    public SourcePlaces(LeaderCalls calls, UnaryOperator<String> hashes) {
        this.calls = calls;
        this.keys = new TaskKeys(calls.keyspace());
        this.hashes = hashes;
    }

    /** Gives a source that is open this rank; boosts of its tags and changes of its resources move it from now on. Idempotent. */
    public void place(String pool, String source, Rank rank) {
        String text = rank.text(Set.of());
        String key = hashes.apply(source).substring(calls.keyspace().prefix().length());
        List<String> arguments = List.of("", source, key, "", "", text.isEmpty() ? PLAIN : text);
        ScriptReply reply = calls.run(
                TaskScripts.PLACE,
                name -> PlaceCommands.key(calls.keyspace(), key, name),
                keys.queue(TaskKeys.checkPool(pool)),
                arguments.toArray());
        if (reply.code() != ScriptCode.OK) {
            throw reply.unexpected();
        }
    }
}
