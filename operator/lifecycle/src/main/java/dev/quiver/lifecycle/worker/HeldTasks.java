package dev.quiver.lifecycle.worker;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;

/** The hash of the tasks that a session holds of one source: id to {@code <call>@<place>}, and a letter. */
public final class HeldTasks {

    /** The field of the session's last call; no task has this id. */
    private static final String LAST_CALL = "#";

    /** Entries that the hash may have. */
    public static final int MOST = 65_536;

    /** Bytes that the hash may take in Redis. */
    private static final int MOST_BYTES = 16 << 20;

    /** Tasks whose further facts are read in one call. */
    private static final int PAGE = 64;

    private HeldTasks() {}

    /**
     * The ids of the tasks, each with its place.
     *
     * @param held the key of the hash
     * @throws dev.quiver.lifecycle.redis.StoreRefusedException for a hash that is larger than any that is ours, or that has
     *     a place that cannot be read
     */
    public static Map<String, Place> read(RedisStore store, String held) {
        Map<String, String> entries = new BoundedReads(store).entries(held, MOST, MOST_BYTES);
        return BoundedReads.understood(held, () -> {
            Map<String, Place> places = new LinkedHashMap<>();
            entries.forEach((id, entry) -> {
                if (!id.equals(LAST_CALL)) {
                    places.put(id, place(entry));
                }
            });
            return places;
        });
    }

    /** Behind the place there may be a letter, of a task that another session holds, too. */
    private static Place place(String entry) {
        boolean marked = !entry.isEmpty() && Character.isLetter(entry.charAt(entry.length() - 1));
        return Place.parse(entry.substring(entry.indexOf('@') + 1, entry.length() - (marked ? 1 : 0)));
    }

    /**
     * Takes back what a dead session holds, as far as the budget goes.
     *
     * @param call of the script, for some of the tasks
     * @param reaped what it did, in its answer
     */
    public static Reaper.Reaped takeBack(
            CallBudget budget, Supplier<ScriptReply> call, Function<ScriptReply, Reaper.Reaped> reaped) {
        Reaper.Reaped all = Reaper.Reaped.NONE;
        ScriptReply reply;
        do {
            if (!budget.take(1)) {
                return all;
            }
            reply = call.get();
            if (reply.code() == ScriptCode.NOTHING) {
                return all;
            }
            all = all.plus(reaped.apply(reply));
        } while (reply.flag("more"));
        return all;
    }

    /**
     * The tasks as orphans of their source, with the number of the trial that is held.
     *
     * @param held the key of the hash
     * @param facts the hash that has a fact of each task, by its id
     * @param factBytes of a fact at most
     * @param trial of a task whose fact this is; of one without a fact where it is absent
     * @throws dev.quiver.lifecycle.redis.StoreRefusedException as above, and for facts that are larger or make no sense
     */
    public static List<Orphan> orphans(
            RedisStore store,
            String source,
            String held,
            String facts,
            int factBytes,
            ToIntFunction<Optional<String>> trial) {
        Map<String, Place> places = read(store, held);
        List<String> ids = List.copyOf(places.keySet());
        List<Orphan> found = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += PAGE) {
            List<String> page = ids.subList(from, Math.min(from + PAGE, ids.size()));
            List<Optional<String>> their =
                    new BoundedReads(store).fields(facts, factBytes * page.size(), page.toArray(String[]::new));
            for (int i = 0; i < page.size(); i++) {
                String id = page.get(i);
                Optional<String> fact = their.get(i);
                found.add(new Orphan(
                        source, id, BoundedReads.understood(facts, () -> trial.applyAsInt(fact)), places.get(id)));
            }
        }
        return found;
    }
}
