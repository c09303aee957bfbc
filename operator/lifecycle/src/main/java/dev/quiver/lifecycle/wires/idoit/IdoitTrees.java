package dev.quiver.lifecycle.wires.idoit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.SessionKeys;

/**
 * Trees of Tasks on the wire. The wire has no suspended trees, no nodes at the end, and none that are made from results.
 * Thread-safe.
 */
public final class IdoitTrees implements Trees {

    private static final Duration TOMBSTONE = Duration.ofMinutes(10);
    private static final int NODES = 200;
    private static final int BYTES = 64 * 1024;
    private static final int LOOK = 1000;

    private final LeaderCalls calls;
    private final String prefix;
    private final String pool;

    /**
     * Those under a granted prefix, changed under the leader's term.
     *
     * @param pool that composites belong to
     */
    public IdoitTrees(LeaderCalls calls, String prefix, String pool) {
        this.calls = calls;
        this.prefix = prefix;
        this.pool = pool;
    }

    /**
     * Creates a tree. A tree that is cut off in the middle never begins, and a repeat creates the whole.
     *
     * @throws IllegalArgumentException for a node that the wire has no form for
     */
    @Override
    public Created create(TaskTree tree) {
        if (tree.atEnd().isPresent()) {
            throw new IllegalArgumentException("the wire of idoit has no node that runs at the end");
        }
        if (tree.once().isPresent()) {
            throw new IllegalArgumentException("the wire of idoit has no names that one tree has at a time");
        }
        List<String> time = calls.store().ask(redis -> redis.time());
        long began = Long.parseLong(time.get(0)) * 1000
                + Long.parseLong(time.get(1)) / 1000
                + tree.delay().toMillis();
        List<IdoitRows.Row> rows = IdoitRows.of(
                        tree.id(),
                        tree.root(),
                        pool,
                        Optional.empty(),
                        tree.keep().orElse(IdoitRows.KEEP),
                        OptionalLong.of(began))
                .all();
        List<String> piece = new ArrayList<>();
        int bytes = 0;
        for (IdoitRows.Row row : rows.subList(1, rows.size())) {
            String fields = row.json();
            int size = Utf8.length(fields);
            if (piece.size() == 2 * NODES || !piece.isEmpty() && bytes + size > BYTES) {
                if (create(tree, rows.getFirst(), piece).code() == ScriptCode.BURIED) {
                    return Created.BURIED;
                }
                piece.clear();
                bytes = 0;
            }
            piece.addAll(List.of(row.key(), fields));
            bytes += size;
        }
        piece.addAll(List.of(rows.getFirst().key(), rows.getFirst().json()));
        ScriptReply reply = create(tree, rows.getFirst(), piece);
        if (reply.code() == ScriptCode.BURIED) {
            return Created.BURIED;
        }
        return reply.flag("begun") ? Created.BEGUN : Created.KNOWN;
    }

    private ScriptReply create(TaskTree tree, IdoitRows.Row root, List<String> rows) {
        List<String> arguments = new ArrayList<>(List.of(
                tree.id(),
                Long.toString(tree.delay().toMillis()),
                tree.deadline().map(Duration::toMillis).map(String::valueOf).orElse(""),
                prefix,
                IdoitSalt.fresh(),
                root.pool()));
        arguments.addAll(rows);
        return calls.run(IdoitScripts.CREATE, keys(root.pool(), tree.id())::key, arguments.toArray());
    }

    /**
     * Cancels a tree.
     *
     * @param id of its root: idoit cancels no other task
     * @param change only {@link Change#CANCEL}
     * @return whether this call changed it
     */
    @Override
    public boolean change(String id, Change change) {
        if (change != Change.CANCEL) {
            throw new IllegalArgumentException("the wire of idoit has no suspended trees");
        }
        return control("cancel", id, "");
    }

    /** Changes the time that a tree may take from its start. */
    @Override
    public boolean limit(String tree, Optional<Duration> deadline) {
        return control(
                "deadline",
                tree,
                deadline.map(Duration::toMillis).map(String::valueOf).orElse(""));
    }

    private boolean control(String what, String id, String deadline) {
        ScriptReply reply =
                calls.run(IdoitScripts.CONTROL, keys(pool, id)::key, what, id, deadline, prefix, IdoitSalt.fresh());
        return reply.code() == ScriptCode.OK && reply.flag("changed");
    }

    /**
     * Deletes a tree and refuses its id for a while.
     *
     * @param nodes that {@link #create} may have brought, for a tree that never began
     * @return always true: it is one call
     */
    @Override
    public boolean drop(String tree, long nodes) {
        calls.run(
                IdoitScripts.DROP, keys(pool, tree)::key, tree, TOMBSTONE.toMillis(), nodes, prefix, IdoitSalt.fresh());
        return true;
    }

    /**
     * A tree for people, in one call. Looks at its first 1,000 nodes.
     *
     * @param most nodes that are shown, the root included
     * @return absent for one that is not there, or that never began
     */
    @Override
    public Optional<TreeReport> report(String tree, int most) {
        ScriptReply reply = calls.store()
                .run(
                        IdoitScripts.REPORT,
                        IdoitScripts.REPORT.keys(keys(pool, tree)::key, List.of()),
                        tree,
                        Integer.toString(LOOK),
                        prefix,
                        IdoitSalt.fresh());
        return reply.code() == ScriptCode.GONE
                ? Optional.empty()
                : Optional.of(BoundedReads.understood("tree " + tree, () -> IdoitReports.read(reply, most)));
    }

    /**
     * The result of a tree with its size.
     *
     * @param most bytes of it that are wanted
     */
    @Override
    public Measured measure(String tree, long most) {
        ScriptReply reply = calls.store()
                .run(
                        IdoitScripts.RESULT,
                        IdoitScripts.RESULT.keys(keys(pool, tree)::key, List.of()),
                        prefix,
                        tree,
                        Long.toString(most));
        if (reply.code() != ScriptCode.OK) {
            return new Measured(Optional.of(4L), Optional.of("null"));
        }
        long bytes = reply.number("bytes");
        return new Measured(Optional.of(bytes), bytes <= most ? Optional.of(reply.text("text")) : Optional.empty());
    }

    private IdoitKeys keys(String of, String tree) {
        return new IdoitKeys(SessionKeys.ofPool(calls.keyspace(), of), tree);
    }
}
