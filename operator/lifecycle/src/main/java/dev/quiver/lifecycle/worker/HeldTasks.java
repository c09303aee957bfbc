package dev.quiver.lifecycle.worker;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.quiver.lifecycle.redis.RedisStore;

/** The hash of the tasks that a session holds of one source: id to {@code <call>@<place>}. */
public final class HeldTasks {

    /** The field of the session's last call; no task has this id. */
    private static final String LAST_CALL = "#";

    private HeldTasks() {}

    /**
     * The ids of the tasks, each with its place.
     *
     * @param held the key of the hash
     * @throws IllegalArgumentException for a place that cannot be read
     */
    public static Map<String, Place> read(RedisStore store, String held) {
        Map<String, Place> places = new LinkedHashMap<>();
        store.<Map<String, String>>ask(redis -> redis.hgetall(held)).forEach((id, entry) -> {
            if (!id.equals(LAST_CALL)) {
                places.put(id, Place.parse(entry.substring(entry.indexOf('@') + 1)));
            }
        });
        return places;
    }
}
