package dev.quiver.lifecycle.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.CallBudget;

/** Creates, changes and drops trees of Tasks. Each call may be repeated, by anybody. Thread-safe. */
public final class TaskTrees {

    /** Nodes of one call at most. */
    private static final int NODES = 200;

    /** Bytes of one call at most, a single larger node aside. */
    private static final int BYTES = 64 * 1024;

    private static final Duration TOMBSTONE = Duration.ofMinutes(10);

    /** Calls after a change; the rest is left to the workers and the reaper. */
    private static final int CALLS = 1000;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final TaskKeys keys;
    private final TaskCommands commands;
    private final TaskResults results;

    /** Those of one keyspace. */
    public TaskTrees(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
        this.keys = new TaskKeys(keyspace);
        this.commands = new TaskCommands(store, keyspace);
        this.results = new TaskResults(store, keyspace);
    }

    /** The outcome of {@link #create}. */
    public enum Created {
        /** This call began it. */
        BEGUN,
        /** An earlier one did. */
        KNOWN,
        /** It was dropped a short while ago. */
        BURIED
    }

    /** Creates a tree. A tree that is cut off in the middle never begins, and a repeat creates the whole. */
    public Created create(TaskTree tree) {
        TreeRows all = TreeRows.of(tree.root(), tree.atEnd());
        List<String> queues = all.pools().stream()
                .limit(TaskCommands.POOLS)
                .flatMap(pool -> keys.queue(pool).stream())
                .toList();
        List<TreeRows.Row> rows = all.rows();
        List<String> piece = new ArrayList<>();
        int bytes = 0;
        for (TreeRows.Row row : rows.subList(1, rows.size())) {
            String document = all.document(row);
            int size = Utf8.length(document);
            if (piece.size() == 3 * NODES || !piece.isEmpty() && bytes + size > BYTES) {
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
        run(reply, 2);
        return reply.number(1) == 1 ? Created.BEGUN : Created.KNOWN;
    }

    private static void add(List<String> piece, String tree, TreeRows.Row row, String document) {
        piece.addAll(List.of(id(tree, row.ordinal()), row.text(), document));
    }

    /** The id of a tree's node: {@code tree} for the root, else {@code tree.ordinal}. */
    public static String id(String tree, long ordinal) {
        return ordinal == 0 ? tree : tree + "." + ordinal;
    }

    private ScriptReply create(TaskTree tree, String facts, List<String> rows, List<String> queues) {
        List<String> arguments = new ArrayList<>(
                List.of(tree.id(), facts, Long.toString(tree.delay().toMillis())));
        arguments.addAll(rows);
        return store.run(
                TaskScripts.CREATE,
                TaskScripts.CREATE.keys(TaskScriptKeys.of(keyspace, tree.id())::key, queues),
                arguments.toArray(String[]::new));
    }

    /** A change of a node and of all below it. */
    public enum Change {
        /** It ends with the error Cancelled; what runs below counts nothing. */
        CANCEL,
        /** Nothing below it is given out. */
        SUSPEND,
        /** What was withheld is given out again. */
        RESUME
    }

    /**
     * Changes a node.
     *
     * @param id of any node
     * @return whether this call changed it: a node that is not there, or has ended, stays as it is
     */
    public boolean change(String id, Change change) {
        ScriptReply reply = store.run(
                TaskScripts.CONTROL,
                TaskScripts.CONTROL.keys(TaskScriptKeys.of(keyspace, "")::key, List.of()),
                change.name().toLowerCase(Locale.ROOT),
                id);
        if (reply.code() == ScriptCode.GONE) {
            return false;
        }
        run(reply, 2);
        return reply.number(1) == 1;
    }

    /**
     * Deletes a tree and refuses its id for a while.
     *
     * @param nodes that {@link #create} may have brought, for a tree that never began
     * @return whether it is gone; else call again
     */
    public boolean drop(String tree, long nodes) {
        ScriptReply reply = store.run(
                TaskScripts.DROP,
                TaskScripts.DROP.keys(TaskScriptKeys.of(keyspace, tree)::key, List.of()),
                tree,
                Long.toString(TOMBSTONE.toMillis()),
                Long.toString(nodes));
        if (reply.code() == ScriptCode.GONE) {
            return true;
        }
        run(reply, 1);
        String roots = keys.roots();
        return !store.ask(redis -> redis.hexists(roots, tree));
    }

    /** The state of a tree; absent for one that is not there, or that never began. */
    public Optional<TreeState> find(String tree) {
        String nodes = keys.nodes();
        String roots = keys.roots();
        Optional<NodeRecord> root = text(nodes, tree).map(NodeRecord::parse);
        Optional<RootFacts> facts = text(roots, tree).map(RootFacts::parse);
        if (root.isEmpty() || facts.isEmpty()) {
            return Optional.empty();
        }
        TreeState.State state = root.get().state();
        boolean endOver = facts.get()
                .atEnd()
                .flatMap(ordinal -> text(nodes, id(tree, ordinal)))
                .map(NodeRecord::parse)
                .map(node -> node.state().isOver())
                .orElse(true);
        return Optional.of(new TreeState(
                state,
                root.get().progress(),
                root.get().total(),
                facts.get().counts(),
                state.isOver() && endOver,
                state == TreeState.State.FAILED ? results.error(tree) : Optional.empty()));
    }

    /**
     * Nodes of a tree for people: the root, then those that failed, those that run, the others breadth first. Looks at
     * the first 1,000 at most.
     */
    public List<NodeState> nodes(String tree, int most) {
        return new TreeView(store, keyspace, results).nodes(tree, most);
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

    private Optional<String> text(String hash, String field) {
        return Optional.of(store.ask(redis -> redis.hget(hash, field).thenApply(text -> text == null ? "" : text)))
                .filter(text -> !text.isEmpty());
    }

    private void run(ScriptReply reply, int from) {
        commands.run(Set.copyOf(BoundedReads.texts(reply, from)), new CallBudget(CALLS));
    }
}
