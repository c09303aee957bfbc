package dev.quiver.lifecycle.task.scheduling;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.NumberBounds;
import dev.quiver.lifecycle.task.model.Permits;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.WaitingWork;

/**
 * Resources of the pools of a keyspace, closed and opened by programs. A Task that names one is not given out while it is
 * missing: not declared by its WorkerPool, or closed by anybody. An owner opens only what it closed itself.
 */
public final class Resources {

    /** Resources and patterns that a WorkerPool declares at most. */
    public static final int MOST_DECLARED = 64;

    /** Names that stand for others, at most. */
    public static final int MOST_ALIASES = 16;

    /** Characters of a resource's or an owner's name at most. */
    public static final int NAME_BYTES = Rank.NAME_BYTES;

    /** Resources that are read at most. */
    public static final int MOST_READ = 1024;

    private static final Logger LOG = LoggerFactory.getLogger(Resources.class);

    private static final String OPEN = "open";
    private static final String OPEN_ALL = "open_all";
    private static final String CLOSE = "close";
    private static final String NO_END = "";

    private final RedisStore store;
    private final TaskKeys keys;

    /** Resources of a keyspace. */
    public Resources(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keys = new TaskKeys(keyspace);
    }

    /**
     * The state of a resource.
     *
     * @param name also a pattern
     * @param since when it is missing; absent where it is there, or where it never was
     * @param waiting Tasks that wait for it, and for none before it in their order
     * @param waitingSince when the first of them came; absent where none waits
     * @param closedBy an owner that has closed it or its pattern
     * @param declared whether the WorkerPool declares it or its pattern
     * @param permits how many Tasks may run with it; absent: any number
     */
    public record State(
            String name,
            boolean missing,
            Optional<Instant> since,
            long waiting,
            Optional<Instant> waitingSince,
            Optional<String> closedBy,
            boolean declared,
            Optional<Permits> permits) {

        /** The pattern that its name belongs to; absent for a pattern, and for a name without one. */
        public Optional<String> pattern() {
            return Rank.patternOf(name);
        }
    }

    /**
     * The resources of a pool.
     *
     * @param blocked Tasks of the pool that wait for a resource
     * @param known names of which anything is known
     * @param resources those first for which most Tasks wait, then others that are missing
     */
    public record Known(long blocked, long known, List<State> resources) {}

    /**
     * Closes a resource, or all that have a pattern. Waiting Tasks that name it are not given out; what runs goes on.
     *
     * @param owner any name but {@code spec}, {@code tasks} and {@code probe}
     * @param lasts after which it ends; absent: until the owner opens it
     * @return whether it was open to that owner
     * @throws IllegalArgumentException naming field and value
     * @throws StoreRefusedException where it has too many owners, or the pool too many names, in words
     */
    public boolean close(String pool, String owner, String resource, Optional<Duration> lasts) {
        return gate(
                pool,
                owner,
                resource,
                CLOSE,
                lasts.map(time -> Long.toString(Math.max(1, time.toMillis()))).orElse(NO_END));
    }

    /** Takes the owner's closing back; answers whether there was one. */
    public boolean open(String pool, String owner, String resource) {
        return gate(pool, owner, resource, OPEN, NO_END);
    }

    /** Takes all closings back, and what the WorkerPool said of it at first; answers whether there was any. */
    public boolean openAll(String pool, String owner, String resource) {
        return gate(pool, owner, resource, OPEN_ALL, NO_END);
    }

    private boolean gate(String pool, String owner, String resource, String what, String ms) {
        Script script = TaskScripts.GATE;
        ScriptReply reply = store.run(
                script,
                script.keys(TaskScriptKeys.of(keys.keyspace(), "")::key, keys.queue(TaskKeys.checkPool(pool))),
                Rank.checkName("owner", owner),
                Rank.checkName("resource", resource),
                what,
                ms);
        if (reply.code() != ScriptCode.OK) {
            throw reply.unexpected();
        }
        try {
            new TaskCommands(store, keys.keyspace()).run(reply.texts("commands"), new CallBudget(Boosts.MOST_CALLS));
        } catch (StoreException later) {
            LOG.debug("what a change of {} left waits for a tick", resource, later);
        }
        return reply.number("changed") == 1;
    }

    /**
     * Reads what is known of a pool's resources.
     *
     * @param most 0 to {@value #MOST_READ}
     */
    public Known read(String pool, int most) {
        NumberBounds.check("most", most, 0, MOST_READ);
        Script script = TaskScripts.RESOURCES;
        ScriptReply reply = store.run(
                script,
                script.keys(TaskScriptKeys.of(keys.keyspace(), "")::key, keys.queue(TaskKeys.checkPool(pool))),
                Integer.toString(most));
        if (reply.code() != ScriptCode.OK) {
            throw reply.unexpected();
        }
        return new Known(
                reply.number("blocked"),
                reply.number("known"),
                reply.rows("resources").stream().map(Resources::state).toList());
    }

    /** The pools among these that have Tasks which wait for a resource: one call for many pools. */
    public static Set<String> blocked(WaitingWork waiting, Collection<String> pools) {
        return waiting
                .in(pools.stream().collect(Collectors.toMap(pool -> pool, pool -> Set.of(TaskQueues.source(pool)))))
                .entrySet()
                .stream()
                .filter(pool -> pool.getValue().stream().anyMatch(load -> load.delayed() > 0))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static State state(ScriptReply.Row row) {
        return new State(
                row.text("name"),
                row.text("state").equals("Missing"),
                time(row.text("since")),
                Long.parseLong(row.text("waiting")),
                time(row.text("first")),
                Optional.of(row.text("by")).filter(owner -> !owner.isEmpty()),
                row.number("declared") == 1,
                Permits.read(row.text("permits"), row.text("used"), row.text("seconds"), row.text("holders")));
    }

    static Optional<Instant> time(String millis) {
        return Optional.of(Long.parseLong(millis)).filter(time -> time > 0).map(Instant::ofEpochMilli);
    }
}
