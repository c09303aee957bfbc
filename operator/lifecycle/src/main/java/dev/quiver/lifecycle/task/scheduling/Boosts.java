package dev.quiver.lifecycle.task.scheduling;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.NumberBounds;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.worker.CallBudget;

/** Boosts that owners add to the priority of tags in the pools of a keyspace, set by a program. */
public final class Boosts {

    private static final Logger LOG = LoggerFactory.getLogger(Boosts.class);

    /** Tags of one owner at most. */
    public static final int MOST_TAGS = 256;

    /** The highest boost. */
    public static final int MOST = 10_000_000;

    /** The owner of a WorkerPool's own boosts. */
    static final String SPEC = "spec";

    private static final String NO_TERM = "";

    /** Calls for the classes that a change concerns; ticks do the others. */
    static final int MOST_CALLS = 100;

    private final RedisStore store;
    private final TaskKeys keys;

    /** Boosts of a keyspace. */
    public Boosts(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keys = new TaskKeys(keyspace);
    }

    /**
     * Sets what an owner adds, in place of what it added before. Waiting tasks move at once.
     *
     * @param owner any name but {@code spec}, which is the WorkerPool's own
     * @param lease after which it ends, unless the owner says it again; absent: it stays
     * @return how many tags changed
     * @throws IllegalArgumentException naming field and value
     * @throws StoreRefusedException where the pool has no room for more tags, in words
     */
    public int replace(String pool, String owner, Map<String, Integer> boosts, Optional<Duration> lease) {
        if (owner.equals(SPEC)) {
            throw new IllegalArgumentException(
                    "the owner is " + SPEC + ", which is the WorkerPool's own: take another name");
        }
        return replace(store, keys.keyspace(), owner, boosts, lease, arguments -> {
            List<String> all = new ArrayList<>(List.of(NO_TERM));
            all.addAll(arguments);
            return store.run(
                    TaskScripts.BOOST,
                    TaskScripts.BOOST.keys(
                            TaskScriptKeys.of(keys.keyspace(), "")::key, keys.queue(TaskKeys.checkPool(pool))),
                    all.toArray(String[]::new));
        });
    }

    /** The same by any call of the script, whose first argument is a term. */
    static int replace(
            RedisStore store,
            Keyspace keyspace,
            String owner,
            Map<String, Integer> boosts,
            Optional<Duration> lease,
            Function<List<String>, ScriptReply> call) {
        NumberBounds.check("the number of boosts", boosts.size(), 0, MOST_TAGS);
        List<String> arguments = new ArrayList<>(List.of(
                Rank.checkName("owner", owner),
                lease.map(time -> Long.toString(Math.max(1, time.toMillis()))).orElse("")));
        boosts.forEach((tag, boost) -> {
            NumberBounds.check("the boost of tag \"" + tag + "\"", boost, -MOST, MOST);
            arguments.addAll(List.of(Rank.checkName("boosts", tag), Integer.toString(boost)));
        });
        ScriptReply reply = call.apply(arguments);
        if (reply.code() != ScriptCode.OK) {
            throw reply.unexpected();
        }
        try {
            new TaskCommands(store, keyspace).run(reply.texts("commands"), new CallBudget(MOST_CALLS));
        } catch (StoreException later) {
            // The boosts stand. A program may not place sources, and Redis may be away: the next tick does the rest.
            LOG.debug("what boosts of {} left waits for a tick", owner, later);
        }
        return reply.count("changed");
    }
}
