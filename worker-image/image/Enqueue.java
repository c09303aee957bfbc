import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Announces the pool and opens a TaskSet as the operator does and returns when all of its tasks are decided. That is
 * work for the recording of the AOT cache. A part of them fails, so that this way is recorded too. Arguments: the
 * folder of the Redis endpoint.
 */
class Enqueue {
    public static void main(String[] args) throws Exception {
        String uid = UUID.randomUUID().toString();
        try (RedisStore store = RedisStore.open(RedisEndpoint.read(Path.of(args[0])), "training")) {
            store.ask(redis -> redis.functionLoad(Lifecycle.LIBRARY.source()));
            Lifecycle lifecycle = new Lifecycle(store);
            Keyspace keyspace = Keyspace.ofNamespace("training");
            lifecycle.pools(keyspace, 1).announce("training", "pool");
            TaskSetControl control = lifecycle.control(keyspace, 1);
            control.open(TaskSetOpening.of(
                    uid,
                    "training",
                    new ExecutionSpec(
                            "training",
                            List.of("/bin/sh", "-c", "echo $QUIVER_INDEX >&2; test $((QUIVER_INDEX % 10)) != 0"),
                            List.of(),
                            List.of(),
                            Optional.empty(),
                            new ExecutionSpec.TaskSource.Count(200)),
                    TaskSetLimits.DEFAULT));
            while (control.snapshot(List.of(uid)).get(uid).succeeded() < 180) {
                Thread.sleep(50);
            }
        }
    }
}
