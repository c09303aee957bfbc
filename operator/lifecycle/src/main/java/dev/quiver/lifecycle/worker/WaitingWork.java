package dev.quiver.lifecycle.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;

/**
 * Reads what waits for the workers of pools. It takes two calls for all of them, and one where nothing waits. A tenant
 * may have written all of it, so each answer is bounded. Thread-safe.
 *
 * @param store where the pools are
 * @param keyspace of the pools
 * @param kinds of work
 */
public record WaitingWork(RedisStore store, Keyspace keyspace, SourceKinds kinds) {

    /** Sources of a pool that are read at most, in the pool's order. */
    public static final int MOST_SOURCES = 256;

    /** Keys of a call at most: a source has two. */
    private static final int MOST_KEYS = 1024;

    /** No number of a source is larger. */
    private static final int DIGITS = 15;

    /**
     * The work that waits for each of these pools.
     *
     * @throws dev.quiver.lifecycle.redis.StoreException when Redis does not answer, or a key is larger than any that is ours
     */
    public Map<String, List<SourceLoad>> of(Collection<String> pools) {
        List<Waiting> waiting = new ArrayList<>();
        for (List<String> page : pages(List.copyOf(pools), MOST_KEYS)) {
            waiting.addAll(waiting(page));
        }
        return loads(pools, waiting);
    }

    /**
     * The work in named sources of each of these pools, whether or not they stand in its order.
     *
     * @throws dev.quiver.lifecycle.redis.StoreException when Redis does not answer, or a key is larger than any that is ours
     */
    public Map<String, List<SourceLoad>> in(Map<String, ? extends Collection<String>> sources) {
        List<Waiting> named = new ArrayList<>();
        sources.forEach((pool, names) -> names.forEach(
                source -> kinds.find(source).ifPresent(kind -> named.add(new Waiting(pool, source, kind)))));
        return loads(sources.keySet(), named);
    }

    private Map<String, List<SourceLoad>> loads(Collection<String> pools, List<Waiting> sources) {
        Map<String, List<SourceLoad>> loads = new LinkedHashMap<>();
        pools.forEach(pool -> loads.put(pool, new ArrayList<>()));
        for (List<Waiting> page : pages(sources, MOST_KEYS / 2)) {
            read(page, loads);
        }
        return loads;
    }

    /** A source of a pool. */
    private record Waiting(String pool, String source, SourceKind kind) {}

    private List<Waiting> waiting(List<String> pools) {
        String[] orders = pools.stream().map(keyspace::poolReady).toArray(String[]::new);
        ScriptReply reply = store.run(WorkerScripts.WAITING, orders, Integer.toString(MOST_SOURCES));
        List<Waiting> all = new ArrayList<>();
        ScriptReply.Rest rest = reply.rest("pools");
        for (String pool : pools) {
            for (long left = rest.number(); left > 0; left--) {
                String source = rest.text();
                kinds.find(source).ifPresent(kind -> all.add(new Waiting(pool, source, kind)));
            }
        }
        return all;
    }

    private void read(List<Waiting> sources, Map<String, List<SourceLoad>> loads) {
        String[] keys = sources.stream()
                .flatMap(waits ->
                        List.of(waits.kind().hash(waits.source()), waits.kind().sessions(waits.source())).stream())
                .toArray(String[]::new);
        ScriptReply reply = store.run(WorkerScripts.LOADS, keys);
        long now = reply.number("now");
        List<ScriptReply.Row> rows = reply.rows("sources");
        for (int i = 0; i < sources.size(); i++) {
            Waiting waits = sources.get(i);
            loads.get(waits.pool()).add(load(waits.source(), rows.get(i), now));
        }
    }

    private static SourceLoad load(String source, ScriptReply.Row row, long now) {
        return new SourceLoad(
                source,
                number(row.text("left")),
                number(row.text("running")),
                // Those that lack a permit want no worker either.
                number(row.text("delayed")) + number(row.text("limited")),
                number(row.text("trials")),
                Duration.ofMillis(number(row.text("run_ms"))),
                since(row.text("first_at"), now),
                since(row.text("progress_at"), now),
                number(row.text("max_workers")),
                row.number("sessions"),
                row.text("handler"),
                number(row.text("max_parallel")));
    }

    private static Optional<Duration> since(String at, long now) {
        return Optional.of(number(at)).filter(time -> time > 0).map(time -> Duration.ofMillis(Math.max(0, now - time)));
    }

    private static long number(String text) {
        boolean natural =
                !text.isEmpty() && text.length() <= DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return natural ? Long.parseLong(text) : 0;
    }

    private static <T> List<List<T>> pages(List<T> all, int size) {
        List<List<T>> pages = new ArrayList<>();
        for (int from = 0; from < all.size(); from += size) {
            pages.add(all.subList(from, Math.min(all.size(), from + size)));
        }
        return pages;
    }
}
