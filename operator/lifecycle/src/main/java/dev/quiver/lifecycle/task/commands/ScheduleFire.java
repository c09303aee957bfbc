package dev.quiver.lifecycle.task.commands;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.cron.CronTimes;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * Fires schedules that are due. Any process may fire one, any number of times. The times are computed here, and Redis
 * takes them only from the one that saw the present state.
 */
public record ScheduleFire(RedisStore store, Keyspace keyspace) {

    /** Missed runs that one call counts. */
    static final int MOST_MISSED = 10_000;

    private static final String KIND = "fire\t";
    private static final int FIELDS = 4;
    private static final int CALLS = 3;
    private static final int BYTES = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(ScheduleFire.class);

    /** Whether a command fires a schedule. */
    static boolean is(String command) {
        return command.startsWith(KIND);
    }

    /**
     * Runs such a command.
     *
     * @return the commands that may run now; absent where this process cannot run it, or not yet
     */
    public Optional<List<String>> fire(String command, CallBudget budget) {
        String[] fields = command.split("\t", -1);
        if (fields.length < FIELDS || !TaskKeys.isTree(fields[1]) || !budget.take(CALLS)) {
            return Optional.empty();
        }
        String uid = fields[1];
        TaskKeys keys = new TaskKeys(keyspace);
        List<Optional<String>> schedule =
                new BoundedReads(store).fields(keys.schedule(uid), BYTES, "cron", "zone", "next_at", "pools");
        CronTimes.Due due = new CronTimes.Due(0, Instant.EPOCH, Optional.of(Instant.EPOCH));
        if (schedule.get(2).filter(fields[2]::equals).isPresent()) {
            Optional<CronTimes.Due> computed =
                    due(uid, schedule.get(0).orElse(""), schedule.get(1).orElse(""), fields[2]);
            if (computed.isEmpty()) {
                return Optional.empty();
            }
            due = computed.get();
        }
        List<String> queues = schedule.get(3).stream()
                .flatMap(pools -> Arrays.stream(pools.split(" ")))
                .filter(TaskKeys::isPool)
                .distinct()
                .limit(TaskKeys.POOLS_OF_CALL)
                .flatMap(pool -> keys.queue(pool).stream())
                .toList();
        ScriptReply reply = store.run(
                TaskScripts.FIRE,
                TaskScripts.FIRE.keys(TaskScriptKeys.of(keyspace, uid)::key, queues),
                uid,
                fields[2],
                millis(due.next().orElseThrow()),
                millis(due.last()),
                Long.toString(due.count()));
        if (reply.number("run") > 0) {
            LOG.debug("schedule {} began run {}, which was due at {}", uid, reply.number("run"), due.last());
        }
        return Optional.of(reply.texts("commands"));
    }

    /** The times that have passed; absent where there are none, or where they cannot be computed. */
    private Optional<CronTimes.Due> due(String uid, String cron, String zone, String next) {
        try {
            Instant first = Instant.ofEpochMilli(Long.parseLong(next));
            Instant now = now(store);
            return first.isAfter(now)
                    ? Optional.empty()
                    : Optional.of(CronTimes.of(cron, zone).due(first, now, MOST_MISSED))
                            .filter(due -> due.next().isPresent());
        } catch (IllegalArgumentException senseless) {
            LOG.warn("schedule {} cannot be computed here: {}", uid, senseless.getMessage());
            return Optional.empty();
        }
    }

    /** The time of Redis, to the microsecond. */
    public static Instant now(RedisStore store) {
        List<String> time = store.ask(redis -> redis.time());
        return Instant.ofEpochSecond(Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * 1000);
    }

    private static String millis(Instant time) {
        return Long.toString(time.toEpochMilli());
    }
}
