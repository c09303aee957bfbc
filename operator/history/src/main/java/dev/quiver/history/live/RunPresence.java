package dev.quiver.history.live;

import java.util.Optional;

import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.taskset.TaskSetKind;

/**
 * Whether Redis has anything of a run. Thread-safe.
 *
 * @param store that the caller closes
 */
public record RunPresence(RedisStore store) {

    private static final String STATUS = "status";

    /**
     * Whether it has; absent where Redis does not answer.
     *
     * @param keyspace its prefix
     * @param kind word of the resource
     */
    public Optional<Boolean> has(String keyspace, String uid, String kind) {
        Keyspace of = new Keyspace(keyspace);
        try {
            if (kind.equals(RunKind.TASK_SET.word())) {
                String hash = new TaskSetKind(store, of).keys(uid).hash();
                return Optional.of(store.ask(redis -> redis.hexists(hash, STATUS)));
            }
            return Optional.of(store.ask(redis -> redis.hexists(of.trees(), uid))
                    || store.ask(redis -> redis.hexists(of.records(), uid)));
        } catch (StoreException e) {
            return Optional.empty();
        } catch (IllegalArgumentException forged) {
            return Optional.of(false);
        }
    }
}
