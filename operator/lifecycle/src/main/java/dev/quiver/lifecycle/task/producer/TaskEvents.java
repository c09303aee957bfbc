package dev.quiver.lifecycle.task.producer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisLink;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.NodeOutcome;
import dev.quiver.lifecycle.task.model.NumberBounds;
import dev.quiver.lifecycle.task.rows.StoredResult;

/**
 * The events of the tasks of a keyspace, in the order in which they happen. They are written while somebody follows
 * them; else they cost nothing. Each end of a node is one, and each plan that was made. A node that goes with the
 * composite above it has none. Thread-safe.
 */
public final class TaskEvents implements AutoCloseable {

    /** Events that are told at once, at most. */
    public static final int MOST = 1000;

    /** For so long events are written at most, after the last call of those that follow. */
    public static final Duration LONGEST_LEASE = Duration.ofMinutes(10);

    private static final String FROM_NOW_ON = "";

    private final RedisStore store;
    private final Keyspace keyspace;
    private final RedisLink waiting;

    /** The events of a keyspace. */
    public TaskEvents(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
        this.waiting = store.blocking();
    }

    /** The kinds of events. */
    public enum Kind {
        /** Its plan is made, and it waits to be executed. */
        PLANNED,
        /** It ended well. */
        EXECUTED,
        /** It failed, or was cancelled. */
        FAILED;

        private static Kind of(String word) {
            return switch (word) {
                case "planned" -> PLANNED;
                case "executed" -> EXECUTED;
                case "failed" -> FAILED;
                default -> throw new IllegalStateException("no event is called " + word);
            };
        }
    }

    /**
     * One event.
     *
     * @param position behind it others follow
     * @param at when it happened, by Redis' clock
     * @param node id of the node
     * @param handler the function of a node that calls one; empty for others
     * @param outcome its value or error; absent for a plan, and where {@code TaskOutcomes} has to read it. That is an outcome of
     *     more than 4 KiB, and one that is made of other nodes'
     */
    public record Event(
            String position, Instant at, Kind kind, String node, String handler, Optional<NodeOutcome> outcome) {

        private static Event of(ScriptReply.Row row) {
            String position = row.text("position");
            String node = row.text("id");
            Kind kind = Kind.of(row.text("kind"));
            return new Event(
                    position,
                    Instant.ofEpochMilli(Long.parseLong(position.substring(0, position.indexOf('-')))),
                    kind,
                    node,
                    row.text("handler"),
                    kind == Kind.PLANNED ? Optional.empty() : outcome(node, row.text("outcome")));
        }

        private static Optional<NodeOutcome> outcome(String node, String text) {
            if (text.isEmpty()) {
                return Optional.of(new NodeOutcome.Value("null"));
            }
            if (text.equals("?")) {
                return Optional.empty();
            }
            try {
                return StoredResult.parse(text).flatMap(stored -> outcome(node, stored));
            } catch (IllegalArgumentException | IllegalStateException unreadable) {
                return Optional.empty(); // whatever a worker wrote: the others are told all the same
            }
        }

        private static Optional<NodeOutcome> outcome(String node, StoredResult stored) {
            return switch (stored) {
                case StoredResult.Value(var value) -> Optional.of(new NodeOutcome.Value(value.json()));
                case StoredResult.Error(String json) -> Optional.of(new NodeOutcome.Failed(NodeError.read(node, json)));
                default -> Optional.empty();
            };
        }
    }

    /**
     * Events that follow a position.
     *
     * @param position of the last one; the same as before where there is none
     */
    public record Page(String position, List<Event> events) {}

    /**
     * The end of what is there. Events are written from now on.
     *
     * @param lease for how long, if nobody asks again
     */
    public String begin(Duration lease) {
        return ask(FROM_NOW_ON, 1, lease).text("position");
    }

    /**
     * The events behind a position, which are written for another while.
     *
     * @param position as an event, a page or {@link #begin} has it
     * @param most at most {@link #MOST}
     * @throws EventsLostException where some of them are gone
     */
    public Page after(String position, int most, Duration lease) {
        NumberBounds.check("most", most, 1, MOST);
        ScriptReply reply = ask(position, most, lease);
        if (reply.code() == ScriptCode.GAP) {
            throw new EventsLostException(reply.text("position"));
        }
        return new Page(
                reply.text("position"),
                List.copyOf(reply.rows("events").stream().map(Event::of).toList()));
    }

    private ScriptReply ask(String position, int most, Duration lease) {
        NumberBounds.check("lease", lease.toMillis(), 1, LONGEST_LEASE.toMillis());
        return store.run(
                TaskScripts.EVENTS,
                TaskScripts.EVENTS.keys(TaskScriptKeys.of(keyspace, "")::key, List.of()),
                position,
                Integer.toString(most),
                Long.toString(lease.toMillis()));
    }

    /**
     * Waits for an event behind a position.
     *
     * @param atMost five seconds at most count
     * @return whether there is one; it may have been there before
     */
    @SuppressWarnings("unchecked") // the driver takes its streams as an array
    public boolean await(String position, Duration atMost) {
        Duration wait = atMost.compareTo(RedisStore.LONGEST_BLOCK) > 0 ? RedisStore.LONGEST_BLOCK : atMost;
        XReadArgs once = XReadArgs.Builder.count(1).block(Math.max(1, wait.toMillis())); // zero would block for ever
        StreamOffset<String> behind = StreamOffset.from(
                new TaskKeys(keyspace).events(), position.substring(0, Math.max(0, position.indexOf('/'))));
        return !waiting.ask(redis -> redis.xread(once, behind)).isEmpty();
    }

    @Override
    public void close() {
        waiting.close();
    }
}
