package dev.quiver.lifecycle.task.commands;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.NodeRange;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.task.rows.NodeEnds;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * The record of a tree's run, as commands that any process may run. {@code opened} comes after a schedule that has
 * begun a run, {@code ranged} after a forEach that has numbered its children. {@code recorded} comes after the end of a
 * tree.
 */
public record RecordCommands(RedisStore store, Keyspace keyspace) {

    private static final String OPENED = "opened\t";
    private static final String RANGED = "ranged\t";
    private static final String ENDED = "recorded\t";
    private static final int FIELDS = 3;
    private static final String NO_TERM = "";

    /** Bytes of the opening of a schedule's runs, and of the names of their nodes. */
    private static final int BYTES = 1 << 20;

    /** Entries of names of one tree at most. */
    private static final int PAGES = 64;

    /** Whether a command is one of these. */
    static boolean is(String command) {
        return command.startsWith(OPENED) || command.startsWith(RANGED) || command.startsWith(ENDED);
    }

    /**
     * Runs such a command.
     *
     * @return the commands that may run now; absent where this process cannot run it
     */
    Optional<List<String>> run(String command, CallBudget budget) {
        String[] fields = command.split("\t", -1);
        if (command.startsWith(RANGED)) {
            return fields.length < FIELDS || !TaskKeys.isNode(fields[1]) || !budget.take(1)
                    ? Optional.empty()
                    : ranged(command, fields[1], fields[2]);
        }
        if (fields.length < FIELDS
                || !TaskKeys.isTree(fields[1]) && !(command.startsWith(ENDED) && QueueRun.is(fields[1]))
                || !budget.take(2)) {
            return Optional.empty();
        }
        if (command.startsWith(ENDED)) {
            return ended(command, fields[1], budget);
        }
        return opened(command, fields[1], fields[2].split(" ", 2));
    }

    /** An hour of a queue has no nodes. */
    private Optional<List<String>> ended(String command, String tree, CallBudget budget) {
        Optional<List<RunNames>> nodes =
                QueueRun.is(tree) ? Optional.of(List.of()) : new NodeEnds(store, keyspace).of(tree, budget);
        return nodes.map(pages -> {
            List<String> arguments = new ArrayList<>(List.of(command, tree));
            pages.forEach(page -> arguments.add(BinaryText.marked(page.encode())));
            store.run(TaskScripts.RECORD_END, keys(TaskScripts.RECORD_END, tree), arguments.toArray(String[]::new));
            return List.of();
        });
    }

    /** The data of the command has the first number, how many elements, the numbers of each, and the template. */
    private Optional<List<String>> ranged(String command, String node, String data) {
        String tree = TaskKeys.treeOf(node);
        String range = NodeRange.Kind.EACH.word() + " " + TaskKeys.ordinalOf(node) + " " + data;
        store.run(TaskScripts.RECORD_RANGE, keys(TaskScripts.RECORD_RANGE, tree), command, tree, range);
        return Optional.of(List.of());
    }

    /** The data of the command has the version of the template, and when the run was due. */
    private Optional<List<String>> opened(String command, String tree, String[] data) {
        List<String> arguments = new ArrayList<>(List.of(NO_TERM, command, tree));
        int dash = tree.lastIndexOf('-');
        List<String> entries = data.length < 2 || dash < 0 ? List.of() : entries(tree, dash, data[0], data[1]);
        arguments.addAll(entries.isEmpty() ? List.of("") : entries);
        store.run(TaskScripts.RECORD_BEGIN, keys(TaskScripts.RECORD_BEGIN, tree), arguments.toArray(String[]::new));
        return Optional.of(List.of());
    }

    /**
     * The opening of a schedule's run and the names of its nodes. They are made of the template that the run was made
     * of, or of the one that took its place. Empty if the schedule is gone, or if no program of ours wrote it.
     */
    private List<String> entries(String tree, int dash, String version, String due) {
        TaskKeys keys = new TaskKeys(keyspace);
        String uid = tree.substring(0, dash);
        List<String> entries = entries(keys.template(uid), version, uid, tree.substring(dash), due);
        if (!entries.isEmpty()) {
            return entries;
        }
        return new BoundedReads(store)
                .fields(keys.schedule(uid), BYTES, "template")
                .getFirst()
                .map(present -> entries(keys.template(uid), present, uid, tree.substring(dash), due))
                .orElse(List.of());
    }

    private List<String> entries(String template, String version, String uid, String run, String due) {
        List<String> names = new ArrayList<>(List.of(field(version, -1)));
        for (int page = 0; page < PAGES; page++) {
            names.add(field(version, page));
        }
        List<Optional<String>> found = new BoundedReads(store).fields(template, BYTES, names.toArray(String[]::new));
        List<String> entries = new ArrayList<>();
        try {
            RunOpening shared = RunOpening.decode(bytes(found.getFirst().orElse("")));
            Instant fired = Instant.ofEpochMilli(Long.parseLong(due));
            entries.add(BinaryText.marked(
                    shared.firing(uid, shared.name() + run, fired).encode()));
            found.subList(1, found.size())
                    .forEach(page -> page.map(RecordCommands::bytes)
                            .map(BinaryText::marked)
                            .ifPresent(entries::add));
        } catch (MalformedEntryException | IllegalArgumentException senseless) {
            return List.of();
        }
        return entries;
    }

    private String[] keys(Script script, String tree) {
        return script.keys(TaskScriptKeys.of(keyspace, tree)::key, List.of());
    }

    /** The field of a template with the opening, or with a page of names: bytes in base64, as a schedule's texts are. */
    public static String field(String version, int page) {
        return version + (page < 0 ? ".record" : ".named" + page);
    }

    private static byte[] bytes(String base64) {
        return Base64.getDecoder().decode(base64);
    }
}
