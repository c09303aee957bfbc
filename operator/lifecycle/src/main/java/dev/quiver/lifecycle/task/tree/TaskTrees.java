package dev.quiver.lifecycle.task.tree;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.Permits;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeRecord;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.results.ResultSize;
import dev.quiver.lifecycle.task.results.TaskResults;
import dev.quiver.lifecycle.task.rows.NodeEnds;
import dev.quiver.lifecycle.task.rows.SubmitCall;
import dev.quiver.lifecycle.task.rows.TreeRows;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.SourceRoster;

/** The trees of the own dialect. Thread-safe. */
public final class TaskTrees implements Trees {

    private static final String NO_TERM = "";

    private static final Duration TOMBSTONE = Duration.ofMinutes(10);

    /** Calls after a change; the rest is left to the workers and the reaper. */
    private static final int CALLS = 1000;

    /** Trees of one call that asks which are over. */
    private static final int MOST_ASKED = 1000;

    private static final int LISTED = 2000;

    /** Makes a script's call: with the leader's term or with an empty one. */
    private interface Caller {
        ScriptReply run(Script script, UnaryOperator<String> keys, List<String> restKeys, List<String> arguments);
    }

    private final RedisStore store;
    private final Keyspace keyspace;
    private final TaskKeys keys;
    private final TaskCommands commands;
    private final TaskResults results;
    private final Caller caller;

    /** The trees of one keyspace, for a caller that is no leader. */
    public TaskTrees(RedisStore store, Keyspace keyspace) {
        this(store, keyspace, (script, names, restKeys, arguments) -> {
            List<String> all = new ArrayList<>(List.of(NO_TERM));
            all.addAll(arguments);
            return store.run(script, script.keys(names, restKeys), all.toArray(String[]::new));
        });
    }

    /** The trees of one keyspace, changed under the leader's term. */
    public TaskTrees(LeaderCalls calls) {
        this(
                calls.store(),
                calls.keyspace(),
                (script, names, restKeys, arguments) -> calls.run(script, names, restKeys, arguments.toArray()));
    }

    private TaskTrees(RedisStore store, Keyspace keyspace, Caller caller) {
        this.store = store;
        this.keyspace = keyspace;
        this.keys = new TaskKeys(keyspace);
        this.commands = new TaskCommands(store, keyspace);
        this.results = new TaskResults(store, keyspace);
        this.caller = caller;
    }

    @Override
    public Created create(TaskTree tree) {
        TreeRows all =
                TreeRows.of(tree.root(), tree.atEnd()).recorded(tree.record().map(TreeRecord::recording));
        tree.record().ifPresent(record -> beginRecord(tree.id(), record, all));
        List<String> queues = all.pools().stream()
                .limit(TaskKeys.POOLS_OF_CALL)
                .flatMap(pool -> keys.queue(pool).stream())
                .toList();
        List<TreeRows.Row> rows = all.rows();
        List<String> piece = new ArrayList<>();
        int bytes = 0;
        for (TreeRows.Row row : rows.subList(1, rows.size())) {
            String document = all.document(row);
            int size = Utf8.length(document);
            if (piece.size() == 3 * SubmitCall.NODES || !piece.isEmpty() && bytes + size > SubmitCall.BYTES) {
                if (create(tree, "", piece, List.of()).code() == ScriptCode.BURIED) {
                    return Created.BURIED;
                }
                piece.clear();
                bytes = 0;
            }
            add(piece, tree.id(), row, document);
            bytes += size;
        }
        add(piece, tree.id(), rows.getFirst(), all.document(rows.getFirst()));
        ScriptReply reply = create(tree, all.facts(tree).text(), piece, queues);
        if (reply.code() == ScriptCode.BURIED) {
            return Created.BURIED;
        }
        run(reply);
        return reply.flag("begun") ? Created.BEGUN : Created.KNOWN;
    }

    /** Before the tree begins, so that no trial precedes its run. */
    private void beginRecord(String tree, TreeRecord record, TreeRows rows) {
        List<String> arguments = new ArrayList<>(
                List.of("", tree, BinaryText.marked(record.opening().encode())));
        rows.named().forEach(page -> arguments.add(BinaryText.marked(page.encode())));
        caller.run(TaskScripts.RECORD_BEGIN, TaskScriptKeys.of(keyspace, tree)::key, List.of(), arguments);
    }

    private static void add(List<String> piece, String tree, TreeRows.Row row, String document) {
        piece.addAll(List.of(TreeIds.node(tree, row.ordinal()), row.text(), document));
    }

    /**
     * Refuses the name of a pool that no WorkerPool can have.
     *
     * @throws IllegalArgumentException naming it
     */
    public static String checkPool(String name) {
        return TaskKeys.checkPool(name);
    }

    private static String name(TaskTree tree) {
        return tree.once().map(OnceName::text).orElse("");
    }

    private ScriptReply create(TaskTree tree, String facts, List<String> rows, List<String> queues) {
        List<String> arguments = new ArrayList<>(
                List.of(tree.id(), facts, Long.toString(tree.delay().toMillis()), name(tree), tree.owner()));
        arguments.addAll(rows);
        return caller.run(TaskScripts.CREATE, TaskScriptKeys.of(keyspace, tree.id())::key, queues, arguments);
    }

    @Override
    public boolean change(String id, Change change) {
        return change(change.name().toLowerCase(Locale.ROOT), id, "");
    }

    @Override
    public boolean limit(String tree, Optional<Duration> deadline) {
        return change(
                "deadline",
                tree,
                deadline.map(Duration::toMillis).map(String::valueOf).orElse(""));
    }

    private boolean change(String what, String id, String deadline) {
        ScriptReply reply = caller.run(
                TaskScripts.CONTROL, TaskScriptKeys.of(keyspace, "")::key, List.of(), List.of(what, id, deadline));
        if (reply.code() == ScriptCode.GONE) {
            return false;
        }
        run(reply);
        return reply.flag("changed");
    }

    @Override
    public boolean rank(TaskTree tree) {
        boolean changed = false;
        for (RankCalls.Call call : RankCalls.of(TreeRows.of(tree.root(), tree.atEnd()))) {
            List<String> arguments = new ArrayList<>(List.of(tree.id()));
            call.rows().forEach(row -> arguments.addAll(row.arguments(tree.id())));
            List<String> queues = call.pools().stream()
                    .flatMap(pool -> keys.queue(pool).stream())
                    .toList();
            ScriptReply reply = caller.run(TaskScripts.RANK, TaskScriptKeys.of(keyspace, "")::key, queues, arguments);
            if (reply.code() == ScriptCode.GONE) {
                return changed;
            }
            changed |= reply.number("changed") > 0;
            run(reply);
        }
        return changed;
    }

    @Override
    public Blockage blockage(TaskTree tree) {
        int waiting = 0;
        Map<String, Blockage.Missing> missing = new LinkedHashMap<>();
        int left = Blockage.MOST_NODES;
        Set<String> asked = new HashSet<>(); // copies of a large template are made by one node
        for (RankCalls.Call call : RankCalls.gated(TreeRows.of(tree.root(), tree.atEnd()))) {
            List<String> ids = call.rows().stream()
                    .map(row -> row.waiting(tree.id()))
                    .filter(id -> !asked.contains(id))
                    .distinct()
                    .limit(left)
                    .toList();
            left -= ids.size();
            if (!asked.addAll(ids)) {
                continue;
            }
            ScriptReply reply = store.run(
                    TaskScripts.BLOCKED,
                    TaskScripts.BLOCKED.keys(
                            TaskScriptKeys.of(keyspace, "")::key,
                            call.pools().stream()
                                    .flatMap(pool -> keys.queue(pool).stream())
                                    .toList()),
                    ids.toArray(String[]::new));
            waiting += reply.count("waiting");
            reply.rows("missing").forEach(row -> missing.putIfAbsent(row.text("name"), missing(row)));
        }
        return new Blockage(
                waiting, missing.values().stream().limit(Rank.MOST_RESOURCES).toList());
    }

    private static Blockage.Missing missing(ScriptReply.Row row) {
        return new Blockage.Missing(
                row.text("name"),
                time(row.text("since")),
                time(row.text("first")),
                Optional.of(row.text("by")).filter(owner -> !owner.isEmpty()),
                row.number("declared") == 1,
                Permits.read(row.text("permits"), row.text("used"), row.text("seconds"), row.text("holders")),
                row.number("refused") == 1);
    }

    private static Optional<Instant> time(String millis) {
        return Optional.of(Long.parseLong(millis)).filter(time -> time > 0).map(Instant::ofEpochMilli);
    }

    /**
     * Removes the data in files by tasks of their own. A Redis without memory does not take these tasks, and the files
     * stay.
     */
    private void sweepScratch(String tree) {
        try {
            new ScratchSweep(store, keyspace).of(tree).forEach(this::create);
        } catch (StoreRefusedException refused) {
            boolean lasting = refused.kind() == StoreRefusedException.Kind.OUT_OF_MEMORY
                    || refused.kind() == StoreRefusedException.Kind.OTHER; // too large to be ours
            if (!lasting) {
                throw refused;
            }
        } catch (IllegalArgumentException unreadable) {
            // nobody of ours wrote this tree: it goes as it is
        }
    }

    @Override
    public boolean drop(String tree, long nodes) {
        sweepScratch(tree);
        ScriptReply reply = caller.run(
                TaskScripts.DROP,
                TaskScriptKeys.of(keyspace, tree)::key,
                List.of(),
                List.of(tree, Long.toString(TOMBSTONE.toMillis()), Long.toString(nodes)));
        if (reply.code() == ScriptCode.GONE) {
            return true;
        }
        run(reply);
        String roots = keys.roots();
        return !store.ask(redis -> redis.hexists(roots, tree));
    }

    /** The outcome of {@link #take}. */
    public sealed interface Taken {

        /** Somebody has taken what was left, now or earlier: the one that it names. */
        record Left(LeftUndo undo) implements Taken {}

        /**
         * The tree runs.
         *
         * @param ended nodes of it that have ended
         * @param nodes all of them
         */
        record Runs(long ended, long nodes) implements Taken {}

        /** There is no such tree. */
        record Gone() implements Taken {}
    }

    /**
     * Takes what plans of a tree left that would undo it, for the one resource that does. A tree whose work nobody has begun is
     * cancelled. The first one gets it for good, and may ask again.
     *
     * @param tree one that stays until it is dropped
     * @param uid of the resource that undoes it
     * @param name of that resource
     * @param rank of tasks that name none
     */
    public Taken take(String tree, String uid, String name, Rank rank) {
        ScriptReply reply =
                caller.run(TaskScripts.TAKE, TaskScriptKeys.of(keyspace, "")::key, List.of(), List.of(tree, uid, name));
        return switch (reply.code()) {
            case GONE -> new Taken.Gone();
            case AGAIN -> new Taken.Runs(reply.number("ended"), reply.number("count"));
            case OK -> {
                run(reply);
                yield new Taken.Left(undo(tree, reply, rank));
            }
            default -> throw reply.unexpected();
        };
    }

    /** The tasks that plans of a tree left, and that would undo it. */
    public LeftUndo left(String tree) {
        ScriptReply reply = store.run(
                TaskScripts.LEFT, TaskScripts.LEFT.keys(TaskScriptKeys.of(keyspace, "")::key, List.of()), tree);
        return undo(tree, reply, Rank.NONE);
    }

    private static LeftUndo undo(String tree, ScriptReply reply, Rank rank) {
        return BoundedReads.understood("the undo of tree " + tree, () -> LeftUndo.read(reply.text("left"), rank));
    }

    /** The state of a tree; absent for one that is not there, or that never began. */
    public Optional<TreeState> find(String tree) {
        return report(tree, 0).map(TreeReport::state);
    }

    /**
     * The states of some nodes now, by their numbers; those that are not there are left out.
     *
     * @param tree its id
     * @param nodes at most a thousand
     */
    public Map<Long, TreeState.State> states(String tree, List<Long> nodes) {
        return new NodeEnds(store, keyspace).states(tree, nodes);
    }

    @Override
    public Optional<TreeReport> report(String tree, int most) {
        return new TreeReports(store, keyspace).of(TaskKeys.checkTree(tree), most);
    }

    /** The tasks of a pool's queue that sessions hold: nodes of all trees, by their ids. */
    public SourceRoster.Source queue(String pool) {
        TaskKeys.checkPool(pool);
        return new SourceRoster.Source(pool, keys.sessions(pool), session -> keys.held(pool, session));
    }

    /**
     * The trees among these that are over or gone.
     *
     * @param trees 1,000 at most
     */
    public Set<String> ended(Collection<String> trees) {
        List<String> asked = trees.stream().limit(MOST_ASKED).toList();
        Set<String> ended = new LinkedHashSet<>();
        if (asked.isEmpty()) {
            return ended;
        }
        ScriptReply reply = store.run(TaskScripts.ENDED, new String[] {keys.roots()}, asked.toArray(String[]::new));
        List<Long> over = reply.numbers("ended");
        for (int i = 0; i < asked.size(); i++) {
            if (over.get(i) == 1) {
                ended.add(asked.get(i));
            }
        }
        return ended;
    }

    /**
     * Trees whose ids have a form, whether they began or not. Others, however many, cost time and no memory.
     *
     * @param form with * for any characters and ? for one
     */
    public Set<String> present(String form) {
        Set<String> found = new LinkedHashSet<>();
        String cursor = "0";
        int calls = 0;
        do {
            ScriptReply page =
                    store.run(TaskScripts.TREES, new String[] {keys.roots()}, cursor, form, Integer.toString(LISTED));
            cursor = page.text("cursor");
            page.texts("ids").stream().filter(TaskKeys::isTree).forEach(found::add);
        } while (!cursor.equals("0") && ++calls < CALLS);
        return found;
    }

    @Override
    public Measured measure(String tree, long most) {
        return ResultSize.of(store, keyspace, tree, most);
    }

    /**
     * The result of a node as JSON; {@code null} for one that returned nothing, failed or is gone.
     *
     * @param most bytes at most
     * @throws dev.quiver.lifecycle.execution.InputTooLargeException with both sizes
     */
    public String result(String id, long most) {
        return results.json(id, "", most);
    }

    private void run(ScriptReply reply) {
        commands.run(Set.copyOf(reply.texts("commands")), new CallBudget(CALLS));
    }
}
