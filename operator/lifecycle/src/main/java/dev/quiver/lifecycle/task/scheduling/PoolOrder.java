package dev.quiver.lifecycle.task.scheduling;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.model.NumberBounds;
import dev.quiver.lifecycle.task.model.Permits;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.worker.CallBudget;

/** How the pools of a keyspace order their Tasks, as their WorkerPools say; changed under the leader's term. */
public final class PoolOrder {

    /** The most that a waiting task may gain in a minute. */
    public static final int MOST_AGEING = 1000;

    /** The highest weight of a key of fairness. */
    public static final int MOST_WEIGHT = 1000;

    /** Keys with a weight at most. */
    public static final int MOST_WEIGHTS = 256;

    /** The owner of what the operator's probes close. */
    public static final String PROBE = "probe";

    /** Pages of boosts that a pool which goes takes back at most: all that it may have. */
    private static final int MOST_PAGES = 64;

    private final LeaderCalls calls;
    private final TaskKeys keys;

    /** Orders of a keyspace. */
    public PoolOrder(LeaderCalls calls) {
        this.calls = calls;
        this.keys = new TaskKeys(calls.keyspace());
    }

    /**
     * The wishes of a WorkerPool.
     *
     * @param boosts of its tags, at most {@value Boosts#MOST_TAGS}
     * @param ageingPerMinute what a waiting task gains in a minute, 0 to {@value #MOST_AGEING}
     * @param weights of keys of fairness, whose tasks take turns then; absent: tasks go in order of arrival
     * @param resources that its Tasks may name, or patterns of them, at most {@value Resources#MOST_DECLARED}
     * @param aliases names, or patterns of them, at most {@value Resources#MOST_ALIASES}, to the resources in their place
     */
    public record Wishes(
            Map<String, Integer> boosts,
            int ageingPerMinute,
            Optional<Map<String, Integer>> weights,
            Map<String, Declared> resources,
            Map<String, List<String>> aliases) {

        /** The order of arrival, which most pools want. */
        public static final Wishes NONE = new Wishes(Map.of(), 0, Optional.empty());

        /** Without resources. */
        public Wishes(Map<String, Integer> boosts, int ageingPerMinute, Optional<Map<String, Integer>> weights) {
            this(boosts, ageingPerMinute, weights, Map.of(), Map.of());
        }

        /**
         * Checks the bounds.
         *
         * @throws IllegalArgumentException naming field and value
         */
        public Wishes {
            boosts = Map.copyOf(boosts);
            NumberBounds.check("ageingPerMinute", ageingPerMinute, 0, MOST_AGEING);
            weights.ifPresent(all -> {
                NumberBounds.check("the number of weights", all.size(), 0, MOST_WEIGHTS);
                all.forEach((key, weight) -> {
                    Rank.checkName("fairness.weights", key);
                    NumberBounds.check("the weight of \"" + key + "\"", weight, 1, MOST_WEIGHT);
                });
            });
            resources = Map.copyOf(resources);
            NumberBounds.check("the number of resources", resources.size(), 0, Resources.MOST_DECLARED);
            resources.keySet().forEach(name -> Rank.checkName("resources", name));
            aliases = Map.copyOf(aliases);
            NumberBounds.check("the number of aliases", aliases.size(), 0, Resources.MOST_ALIASES);
            aliases.forEach((name, others) -> {
                Rank.checkName("resourceAliases", name);
                NumberBounds.check("the resources of " + name, others.size(), 1, Rank.MOST_RESOURCES);
                others.forEach(other -> Rank.checkName("resourceAliases", other));
            });
        }
    }

    /**
     * The word of a WorkerPool on a resource, or on each name of a pattern.
     *
     * @param there at first
     * @param permits how many Tasks may run with it at a time, 1 to {@value Permits#MOST}; absent: any number
     * @param perSeconds a window in which so many may start instead, 1 to {@value Permits#LONGEST_SECONDS}
     * @param cancels whether Tasks that run with it are stopped when it goes
     * @param probed whether {@link #PROBE} closes and opens it; of another one, what that owner closed is open again
     */
    public record Declared(
            boolean there, Optional<Integer> permits, Optional<Integer> perSeconds, boolean cancels, boolean probed) {

        /** Checks the bounds. */
        public Declared {
            permits.ifPresent(most -> NumberBounds.check("permits", most, 1, Permits.MOST));
            perSeconds.ifPresent(seconds -> NumberBounds.check("perSeconds", seconds, 1, Permits.LONGEST_SECONDS));
            if (perSeconds.isPresent() && permits.isEmpty()) {
                throw new IllegalArgumentException("perSeconds needs permits");
            }
        }

        /** Without a number of permits; what runs goes on. */
        public static Declared uncounted(boolean there) {
            return new Declared(there, Optional.empty(), Optional.empty(), false, false);
        }

        private String text() {
            return (there ? "o" : "x")
                    + permits.map(String::valueOf).orElse("")
                    + perSeconds.map(seconds -> "/" + seconds).orElse("")
                    + (cancels ? "c" : "")
                    + (probed ? "p" : "");
        }
    }

    /** Writes the wishes of a pool. Waiting tasks keep their place but for boosts, which move them at once. Idempotent. */
    public void arrange(String pool, Wishes wishes) {
        List<String> arguments = new ArrayList<>(List.of(
                Integer.toString(wishes.ageingPerMinute()), wishes.weights().isPresent() ? "1" : "0"));
        wishes.weights()
                .ifPresent(all -> all.forEach((key, weight) -> {
                    arguments.add(key);
                    arguments.add(weight.toString());
                }));
        List<String> queue = keys.queue(TaskKeys.checkPool(pool));
        TaskScriptKeys names = TaskScriptKeys.of(calls.keyspace(), "");
        ScriptReply reply = calls.run(TaskScripts.ARRANGE, names::key, queue, arguments.toArray());
        if (reply.code() != ScriptCode.OK) {
            throw reply.unexpected();
        }
        Boosts.replace(
                calls.store(),
                calls.keyspace(),
                Boosts.SPEC,
                wishes.boosts(),
                Optional.empty(),
                all -> calls.run(TaskScripts.BOOST, names::key, queue, all.toArray()));
        declare(names, queue, wishes);
    }

    private void declare(TaskScriptKeys names, List<String> queue, Wishes wishes) {
        List<String> arguments =
                new ArrayList<>(List.of(Integer.toString(wishes.resources().size())));
        wishes.resources().forEach((name, declared) -> arguments.addAll(List.of(name, declared.text())));
        wishes.aliases().forEach((name, others) -> arguments.addAll(List.of(name, String.join(" ", others))));
        ScriptReply reply = calls.run(TaskScripts.DECLARE, names::key, queue, arguments.toArray());
        if (reply.code() != ScriptCode.OK) {
            throw reply.unexpected();
        }
        new TaskCommands(calls.store(), calls.keyspace())
                .run(reply.texts("commands"), new CallBudget(Boosts.MOST_CALLS));
    }

    /**
     * Says what probes found, as the owner {@link #PROBE}. Idempotent.
     *
     * @param there whether each of some resources is there, by name
     * @return those that Redis did not take: the pool does not declare them, or too many owners have closed them
     */
    public Set<String> probed(String pool, Map<String, Boolean> there) {
        NumberBounds.check("the number of resources", there.size(), 0, Resources.MOST_DECLARED);
        List<String> rows = new ArrayList<>();
        there.forEach((name, is) -> rows.addAll(List.of(name, is ? "o" : "x")));
        TaskScriptKeys names = TaskScriptKeys.of(calls.keyspace(), "");
        ScriptReply reply =
                calls.run(TaskScripts.PROBE, names::key, keys.queue(TaskKeys.checkPool(pool)), rows.toArray());
        if (reply.code() != ScriptCode.OK) {
            throw reply.unexpected();
        }
        new TaskCommands(calls.store(), calls.keyspace())
                .run(reply.texts("commands"), new CallBudget(Boosts.MOST_CALLS));
        return Set.of(reply.text("untold").split("\u001e"));
    }

    /** Takes back what a pool that goes has of an order, all boosts of its tags and what is closed. Tasks that wait keep their ranks. */
    public void forget(String pool) {
        arrange(pool, Wishes.NONE);
        List<String> queue = keys.queue(TaskKeys.checkPool(pool));
        TaskScriptKeys names = TaskScriptKeys.of(calls.keyspace(), "");
        TaskCommands commands = new TaskCommands(calls.store(), calls.keyspace());
        long cleared = 1;
        for (int page = 0; cleared > 0 && page < MOST_PAGES; page++) { // a program may go on to set some
            ScriptReply reply = calls.run(TaskScripts.CLEAR_BOOSTS, names::key, queue);
            if (reply.code() != ScriptCode.OK) {
                throw reply.unexpected();
            }
            cleared = reply.number("cleared");
            commands.run(reply.texts("commands"), new CallBudget(Boosts.MOST_CALLS));
        }
    }
}
