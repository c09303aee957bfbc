package dev.quiver.lifecycle.task.commands;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScoredValue;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * A tick's look at the commands that are due. A command that cannot be run now is put off, each time for longer, ten
 * seconds at most. The memory may be used up, for example, or only a newer program may know the command. The score of
 * such a command has a fraction, which no other time has. So what comes due for the first time goes before all that
 * were put off, however many they are.
 */
public final class DueCommands {

    private static final int PAGE = 1000;

    /** Due commands that one tick looks at: {@code PAGES * PAGE}. */
    private static final int PAGES = 50;

    /** A part of a tick's calls, one of so many, is not for what is due for the first time. */
    private static final int PARTS = 4;

    /** The longest that a command is put off, ms, as put_off.lua has it. */
    private static final long LONGEST = 10_000;

    /** How many of the commands that take a call each are tried early. */
    private static final int PROBES = 4;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final TaskCommands commands;

    /** Looks at the commands of a keyspace, and runs them by these. */
    public DueCommands(RedisStore store, Keyspace keyspace, TaskCommands commands) {
        this.store = store;
        this.keyspace = keyspace;
        this.commands = commands;
    }

    /** Runs what is due, as far as the budget goes, and puts off what cannot be run. */
    public void run(CallBudget budget) {
        List<String> first = new ArrayList<>();
        List<String> again = new ArrayList<>();
        long now = now();
        boolean all = look(0, now, budget, first, again);
        CallBudget kept = budget.part(PARTS);
        TaskCommands.Stuck stuck = new TaskCommands.Stuck();
        run(first, now, budget, stuck);
        budget.join(kept);
        Collections.shuffle(again); // their times say nothing of who has waited longest
        run(again, now, budget, stuck);
        Set<String> late = new LinkedHashSet<>(stuck.commands());
        if (!all) {
            late.addAll(again); // or they would hide what comes behind them; those that were run are not there any more
        }
        probe(budget);
        putOff(late);
    }

    /**
     * Runs these, and what they leave behind: a script answers some of its further commands, and a sweep of a large tree
     * leaves more. They have no earlier time than the tick's look.
     */
    private void run(List<String> due, long since, CallBudget budget, TaskCommands.Stuck stuck) {
        int ran = commands.run(inTurns(due), budget, stuck);
        while (ran > 0) {
            List<String> further = new ArrayList<>();
            look(since, now(), budget, further, new ArrayList<>());
            further.removeAll(stuck.commands());
            ran = commands.run(inTurns(further), budget, stuck);
        }
    }

    /** Tries a few of the commands that wait early, and more while that helps, since the reason may be gone. */
    private void probe(CallBudget budget) {
        int ran;
        do {
            if (!budget.take(1)) {
                return;
            }
            long now = now();
            List<String> waiting = found(
                            Range.from(Range.Boundary.excluding(now), Range.Boundary.including(now + LONGEST)),
                            Limit.create(0, PAGE))
                    .stream()
                    .filter(DueCommands::wasPutOff)
                    .map(ScoredValue::getValue)
                    .toList();
            List<String> some = Stream.concat(
                            waiting.stream()
                                    .filter(command -> !TaskCommands.isAlone(command))
                                    .limit(TaskCommands.COMMANDS),
                            inTurns(waiting.stream()
                                            .filter(TaskCommands::isAlone)
                                            .toList())
                                    .stream()
                                    .limit(PROBES))
                    .toList();
            ran = some.isEmpty() ? 0 : commands.run(some, budget, new TaskCommands.Stuck());
        } while (ran > 0);
    }

    private List<ScoredValue<String>> found(Range<Long> times, Limit limit) {
        String key = keyspace.commands();
        return store.ask(redis -> redis.zrangebyscoreWithScores(key, times, limit));
    }

    private static boolean wasPutOff(ScoredValue<String> command) {
        return command.getScore() != Math.rint(command.getScore());
    }

    private long now() {
        return ScheduleFire.now(store).toEpochMilli();
    }

    /** Whether these are all between two times, ms of Redis. */
    private boolean look(long from, long to, CallBudget budget, List<String> first, List<String> again) {
        for (int page = 0; page < PAGES && budget.take(1); page++) {
            List<ScoredValue<String>> found = found(Range.create(from, to), Limit.create((long) page * PAGE, PAGE));
            found.forEach(command -> (wasPutOff(command) ? again : first).add(command.getValue()));
            if (found.size() < PAGE) {
                return true;
            }
        }
        return false;
    }

    /** First those of which a call runs many. The others take turns by their kinds, so that none hides another one. */
    private static List<String> inTurns(Collection<String> commands) {
        List<String> all = new ArrayList<>();
        Map<String, Deque<String>> alone = new LinkedHashMap<>();
        for (String command : commands) {
            if (TaskCommands.isAlone(command)) {
                alone.computeIfAbsent(TaskCommands.kind(command), kind -> new ArrayDeque<>())
                        .add(command);
            } else {
                all.add(command);
            }
        }
        while (!alone.isEmpty()) {
            alone.values().forEach(kind -> all.add(kind.remove()));
            alone.values().removeIf(Deque::isEmpty);
        }
        return all;
    }

    /** Also sets the time of the next tick, which scripts that take one command away leave as it is. */
    private void putOff(Collection<String> late) {
        List<String> all = List.copyOf(late);
        int from = 0;
        do {
            int to = Math.min(from + PAGE, all.size());
            store.run(
                    TaskScripts.PUT_OFF,
                    TaskScripts.PUT_OFF.keys(TaskScriptKeys.of(keyspace, "")::key, List.of()),
                    all.subList(from, to).toArray(String[]::new));
            from = to;
        } while (from < all.size());
    }
}
