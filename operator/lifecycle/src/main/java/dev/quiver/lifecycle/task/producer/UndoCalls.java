package dev.quiver.lifecycle.task.producer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.LeftUndo;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.rows.SubmitCall;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * The undo of tasks of programs. Redis tells what the plans of a composite left, and takes the tree that is made of it
 * only while nothing has come to that.
 */
record UndoCalls(RedisStore store, Keyspace keyspace) {

    /** How long the tree stays after its end, as single tasks do that undo one. */
    private static final Duration KEPT = Duration.ofHours(1);

    /** Another plan of a composite that waits may leave something between two calls. */
    private static final int TURNS = 10;

    private static final int CALLS = 1000;

    Optional<Undone> undo(String id) {
        ScriptReply reply = call(id, List.of());
        for (int turn = 0; reply.code() == ScriptCode.INCOMPLETE; turn++) {
            if (turn == TURNS) {
                throw new StoreUnreachableException(
                        "the plans of task " + id + " go on leaving tasks that would undo it: try again", null);
            }
            reply = bring(id, reply.text("left"));
        }
        return switch (reply.code()) {
            case GONE -> Optional.empty();
            case AGAIN ->
                throw new IllegalStateException(
                        "task " + id + " runs, or is about to stop: it can be undone ten seconds after its end");
            case NOTHING ->
                throw new IllegalArgumentException(
                        "task " + id + " is no whole task of a program: a chain or a group is"
                                + " undone as a whole, and a Task resource by another one");
            case OK -> {
                String made = reply.text("made");
                yield Optional.of(
                        new Undone(reply.flag("cancelled"), made.isEmpty() ? List.of() : List.of(made.split(" "))));
            }
            default -> throw reply.unexpected();
        };
    }

    /** The answer to the tree that is made of what is left, or to a piece of it that came too late. */
    private ScriptReply bring(String id, String left) {
        List<SubmitCall> pieces =
                BoundedReads.understood("the undo of task " + id, () -> SubmitCall.of(List.of(tree(left))));
        ScriptReply reply = null;
        for (SubmitCall piece : pieces) {
            List<String> rows = new ArrayList<>(List.of(Integer.toString(Utf8.length(left))));
            rows.addAll(piece.trees());
            reply = call(id, rows);
            if (reply.code() != ScriptCode.OK || !reply.text("made").isEmpty()) {
                break;
            }
        }
        return reply;
    }

    private static TaskTree tree(String left) {
        return new TaskTree(
                TreeIds.fresh(),
                LeftUndo.read(left, Rank.NONE).tree(),
                Optional.empty(),
                false,
                Optional.empty(),
                Duration.ZERO,
                Optional.of(KEPT));
    }

    private ScriptReply call(String id, List<String> rows) {
        List<String> arguments = new ArrayList<>(List.of(id));
        arguments.addAll(rows);
        ScriptReply reply = store.run(
                TaskScripts.UNDO,
                TaskScripts.UNDO.keys(TaskScriptKeys.of(keyspace, "")::key, List.of()),
                arguments.toArray(String[]::new));
        if (reply.code() == ScriptCode.OK) {
            new TaskCommands(store, keyspace).run(reply.texts("commands"), new CallBudget(CALLS));
        }
        return reply;
    }
}
