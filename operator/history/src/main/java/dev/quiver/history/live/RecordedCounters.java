package dev.quiver.history.live;

import java.util.List;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/**
 * The numbers at the end of a recorded run that no TaskSet counts, as its keyspace has counted them.
 *
 * @param succeeded tasks that passed
 * @param failed tasks that ended otherwise
 * @param trials trials that counted
 * @param lost losses
 */
record RecordedCounters(long succeeded, long failed, long trials, long lost) {

    private static final int FIELDS_BYTES = 4096;
    private static final String[] COUNTERS = {"s", "f", "t", "l"};

    /** The counters of a run; zeros if the run is not there. */
    static RecordedCounters of(RedisStore store, Keyspace keyspace, String uid) {
        String[] names = new String[COUNTERS.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = uid + " " + COUNTERS[i];
        }
        List<Long> found = numbers(store, keyspace.records(), names);
        return new RecordedCounters(found.get(0), found.get(1), found.get(2), found.get(3));
    }

    /** Fields of a hash; what is absent, or no number, counts as 0. */
    static List<Long> numbers(RedisStore store, String hash, String... names) {
        return new BoundedReads(store)
                .fields(hash, FIELDS_BYTES, names).stream()
                        .map(text -> text.filter(it -> it.matches("\\d{1,15}"))
                                .map(Long::parseLong)
                                .orElse(0L))
                        .toList();
    }
}
