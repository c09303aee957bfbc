package dev.quiver.controller.pool;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.quiver.controller.store.KeyspaceRecords;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.worker.PoolControl;

/**
 * Calls to Redis about pools, in keyspaces that are served: in another one nothing is read, and no key is left.
 * Thread-safe.
 *
 * @param records the keyspaces that are served
 * @param calls to Redis
 * @param control of the pools of a keyspace, under the leader's present term
 */
public record PoolCalls(KeyspaceRecords records, StoreCalls calls, Function<Keyspace, PoolControl> control) {

    /** Whether the keyspace of a pool is served. */
    public boolean serves(WorkerPool pool) {
        return records.problem(Keyspaces.of(pool)).isEmpty();
    }

    /** Asks a question; absent where the keyspace is not served, and where Redis could not be reached. */
    public <T> Optional<T> ask(WorkerPool pool, Function<PoolControl, T> question) {
        return serves(pool)
                ? calls.ask(() -> Optional.of(question.apply(control.apply(Keyspaces.of(pool)))), _ -> Optional.empty())
                : Optional.empty();
    }

    /** Makes a call; false where {@link #ask} has no answer. */
    public boolean tryRun(WorkerPool pool, Consumer<PoolControl> act) {
        return ask(pool, to -> {
                    act.accept(to);
                    return true;
                })
                .orElse(false);
    }
}
