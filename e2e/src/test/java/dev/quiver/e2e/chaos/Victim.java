package dev.quiver.e2e.chaos;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;

import dev.quiver.e2e.quiver.Job;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.RedisCli;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Tree;

/**
 * Work whose workers may be killed.
 *
 * @param name for people
 * @param pods its workers
 * @param work what it is in Redis: a hash of counters, the id of a tree, or a name that nothing has where it has no end
 */
record Victim(String name, Supplier<List<Pod>> pods, String work) {

    static Victim of(Run run, RedisCli redis) {
        return new Victim(run.name(), run::pods, keyThatEndsWith("taskset:" + run.uid(), redis));
    }

    static Victim of(Tree tree, Pool pool) {
        return new Victim("tree on " + pool.name(), pool::pods, tree.uid());
    }

    /** The chunks of a job. */
    static Victim of(Job job, Pool pool, RedisCli redis) {
        String key = keyThatEndsWith("chunks:" + job.uid() + ".2", redis);
        return new Victim("chunks on " + pool.name(), pool::pods, key);
    }

    /** Work that goes on until the test ends it. */
    static Victim of(Pool pool) {
        return new Victim(pool.name(), pool::pods, "endless");
    }

    private static String keyThatEndsWith(String end, RedisCli redis) {
        return Awaitility.await("the run in Redis")
                .until(
                        () -> redis.keysWith(end).stream()
                                .filter(name -> name.endsWith(end))
                                .findAny(),
                        Optional::isPresent)
                .orElseThrow();
    }
}
