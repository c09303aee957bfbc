package dev.quiver.lifecycle.task.commands;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * Runs the commands that scripts about Tasks leave behind: whatever passed their bounds, names a pool that they did not
 * declare, or is due later. Any process may run any command, any number of times: Redis does each once.
 */
public final class TaskCommands {

    /** Commands of one call at most. */
    public static final int COMMANDS = 64;

    private static final int POOL_FIELD = 3;

    private static final Logger LOG = LoggerFactory.getLogger(TaskCommands.class);

    private final RedisStore store;
    private final TaskKeys keys;
    private final ScheduleFire schedules;
    private final ChunkCommands chunks;
    private final RecordCommands records;
    private final PlaceCommands places;

    /** The commands of a keyspace. */
    public TaskCommands(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keys = new TaskKeys(keyspace);
        this.schedules = new ScheduleFire(store, keyspace);
        this.chunks = new ChunkCommands(store, keyspace);
        this.records = new RecordCommands(store, keyspace);
        this.places = new PlaceCommands(store, keyspace);
    }

    /**
     * Runs these commands and those that they leave to be run at once, while the budget has calls left. A command of a
     * newer program, or one that cannot be run, stays.
     *
     * @return how many were run
     */
    public int run(Collection<String> commands, CallBudget budget) {
        return run(commands, budget, new Stuck());
    }

    /** The commands that could not be run. */
    static final class Stuck {

        private final Set<String> commands = new LinkedHashSet<>();
        private final Set<String> withoutMemory = new HashSet<>();

        /** These commands, and some that somebody else has run. */
        Set<String> commands() {
            return commands;
        }

        /** Redis refuses a script for want of memory before it does anything: so it would all others of the kind. */
        private boolean hasNoMemory(String command) {
            return withoutMemory.contains(kind(command));
        }

        private void refused(String command, StoreRefusedException why) {
            commands.add(command);
            if (why.kind() == StoreRefusedException.Kind.OUT_OF_MEMORY) {
                withoutMemory.add(kind(command));
            }
        }
    }

    /** The word that a command begins with. */
    static String kind(String command) {
        int tab = command.indexOf('\t');
        return tab < 0 ? command : command.substring(0, tab);
    }

    /** Whether Redis cannot run this one together with others. */
    static boolean isAlone(String command) {
        return ScheduleFire.is(command)
                || ChunkCommands.is(command)
                || RecordCommands.is(command)
                || PlaceCommands.is(command);
    }

    /** As above, and notes what could not be run. */
    public int run(Collection<String> commands, CallBudget budget, Stuck stuck) {
        Deque<String> left = new ArrayDeque<>(commands);
        int ran = 0;
        while (!left.isEmpty() && budget.take(1)) {
            Set<String> pools = new LinkedHashSet<>();
            List<String> now = new ArrayList<>();
            List<String> later = new ArrayList<>();
            while (!left.isEmpty() && now.size() < COMMANDS) {
                String command = left.remove();
                if (isAlone(command)) {
                    ran += alone(command, budget, left, stuck);
                    continue;
                }
                String pool = pool(command);
                if (!pool.isEmpty() && !TaskKeys.isPool(pool)) {
                    LOG.debug("command {} names no pool", command);
                    stuck.commands.add(command);
                } else if (pool.isEmpty()
                        || pools.contains(pool)
                        || pools.size() < TaskKeys.POOLS_OF_CALL && pools.add(pool)) {
                    now.add(command);
                } else {
                    later.add(command);
                }
            }
            left.addAll(later);
            ran += now.isEmpty() ? 0 : attempt(now, pools, left, stuck);
        }
        return ran;
    }

    /** Where one of several is refused each is tried alone, so that it keeps no other one back. */
    private int attempt(List<String> now, Set<String> pools, Deque<String> left, Stuck stuck) {
        try {
            ScriptReply reply = call(now, pools);
            List<String> more = reply.texts("commands");
            left.addAll(more);
            if (reply.number("ran") < now.size()) { // which of them, Redis knows
                now.stream().filter(command -> !more.contains(command)).forEach(stuck.commands::add);
            }
            return reply.count("ran");
        } catch (StoreRefusedException refused) {
            if (refused.passing()) {
                throw refused;
            }
            if (now.size() > 1) {
                return now.stream()
                        .mapToInt(command -> attempt(List.of(command), pools, left, stuck))
                        .sum();
            }
            LOG.warn("command {} cannot be run: {}", now.getFirst(), refused.getMessage());
            stuck.refused(now.getFirst(), refused);
            return 0;
        }
    }

    /**
     * Redis cannot run these by itself. The next time of a schedule is computed here. The keys of chunks are those of a
     * source of their own, as is the hash of a source that gets its place. The record of a run has bytes that are made here.
     */
    private int alone(String command, CallBudget budget, Deque<String> left, Stuck stuck) {
        if (stuck.hasNoMemory(command)) {
            stuck.commands.add(command);
            return 0;
        }
        try {
            Optional<List<String>> more = soon(command, budget);
            more.ifPresentOrElse(left::addAll, () -> stuck.commands.add(command));
            return more.isPresent() ? 1 : 0;
        } catch (StoreRefusedException refused) {
            if (refused.passing()) {
                throw refused;
            }
            LOG.warn("command {} cannot be run: {}", command, refused.getMessage());
            stuck.refused(command, refused);
            return 0;
        }
    }

    private Optional<List<String>> soon(String command, CallBudget budget) {
        if (ScheduleFire.is(command)) {
            return schedules.fire(command, budget);
        }
        if (PlaceCommands.is(command)) {
            return places.run(command, budget);
        }
        return RecordCommands.is(command) ? records.run(command, budget) : chunks.run(command, budget);
    }

    private static String pool(String command) {
        String[] fields = command.split("\t", -1);
        return fields.length > POOL_FIELD ? fields[POOL_FIELD] : "";
    }

    private ScriptReply call(List<String> commands, Set<String> pools) {
        return store.run(
                TaskScripts.RUN_COMMANDS,
                TaskScripts.RUN_COMMANDS.keys(
                        TaskScriptKeys.of(keys.keyspace(), "")::key,
                        pools.stream()
                                .flatMap(pool -> keys.queue(pool).stream())
                                .toList()),
                commands.toArray(String[]::new));
    }
}
