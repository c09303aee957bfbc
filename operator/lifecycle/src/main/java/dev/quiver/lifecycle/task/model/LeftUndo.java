package dev.quiver.lifecycle.task.model;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.execution.RawJson;

/**
 * The tasks that plans of a tree left, and that would undo it. All of them are made as one tree. No I/O.
 *
 * @param taker the one who undoes it; absent: nobody yet
 * @param lists in the order in which the plans left them
 */
public record LeftUndo(Optional<Taker> taker, List<Left> lists) {

    /** The undo of a tree whose plans left none, and that nobody undoes. */
    public static final LeftUndo NOTHING = new LeftUndo(Optional.empty(), List.of());

    private static final Set<String> ARGS = Set.of("args");

    private static final String TAKEN = "=";

    /** The name of the tree's root; and where the one that is undone was cancelled for that, before it had begun. */
    public static final String NAME = "undo", NAME_CANCELLED = "cancelled";

    /** The longest name and uid. */
    private static final int LONGEST = 63;

    /** Copies the list. */
    public LeftUndo {
        lists = List.copyOf(lists);
    }

    /**
     * The one who undoes a tree.
     *
     * @param uid of the resource
     * @param name of it
     * @param cancelled whether the tree waited, and was cancelled for that
     */
    public record Taker(String uid, String name, boolean cancelled) {}

    /**
     * The list of one node.
     *
     * @param at when its plan left it, in ms
     * @param node the node's number
     * @param tasks the nodes that would undo it, at least one
     */
    public record Left(long at, long node, List<TreeNode> tasks) {}

    /**
     * The lists as the scripts keep them, each on a line. Above them stands who takes them.
     *
     * @param rank of tasks that name none
     * @throws IllegalArgumentException for what a plan of ours did not leave
     */
    public static LeftUndo read(String text, Rank rank) {
        Optional<Taker> taker = Optional.empty();
        List<Left> lists = new ArrayList<>();
        for (String line : text.lines().toList()) {
            if (line.startsWith(TAKEN)) {
                String[] words = line.substring(TAKEN.length()).split(" ", -1);
                if (words.length != 3 || words[0].length() > LONGEST || words[1].length() > LONGEST) {
                    throw new IllegalArgumentException("the one who undoes it is no uid with a name");
                }
                taker = Optional.of(new Taker(words[0], words[1], words[2].equals("1")));
            } else {
                lists.add(list(line, rank));
            }
        }
        return new LeftUndo(taker, lists);
    }

    private static Left list(String line, Rank rank) {
        JsonNode left = RawJson.tree(line, Set.of());
        String pool = left.path("pool").asText();
        Rank ofNode = Rank.below(
                rank,
                Optional.empty(),
                Optional.empty(),
                rank.fairnessKey()
                        .or(() -> Optional.of(left.path("share").asText("")).filter(key -> !key.isEmpty())),
                Optional.empty());
        JsonNode tasks = RawJson.tree(left.path("tasks").asText(), ARGS);
        return new Left(left.path("at").asLong(), left.path("node").asLong(), nodes("undo", tasks, pool, ofNode));
    }

    /**
     * The nodes of a list.
     *
     * @param field names it in messages
     * @param pool of nodes that name none
     * @param rank of nodes that have none
     * @throws IllegalArgumentException naming field and value
     */
    public static List<TreeNode> nodes(String field, JsonNode tasks, String pool, Rank rank) {
        TreeNodeJson reader = new TreeNodeJson(pool);
        List<TreeNode> all = new ArrayList<>();
        for (JsonNode task : tasks) {
            all.add(reader.read(field + "[" + all.size() + "]", task, rank));
        }
        return all;
    }

    /**
     * The same composite, whose plans are asked for what would undo it, to be made as one tree.
     *
     * @throws IllegalArgumentException where no node of it has a plan
     */
    public static TreeNode undoable(TreeNode composite) {
        if (!hasPlan(composite)) {
            throw new IllegalArgumentException(
                    "undo is true, and no task of the composite has a plan, which says what" + " would undo it");
        }
        return among(composite, "", _ -> TaskBody.Undo.AS_ONE_TREE);
    }

    private static boolean hasPlan(TreeNode node) {
        return node instanceof TreeNode.ForEach each
                ? hasPlan(each.template())
                : node.body().plan().isPresent() || node.children().stream().anyMatch(LeftUndo::hasPlan);
    }

    /** The number of tasks. */
    public int tasks() {
        return lists.stream().mapToInt(left -> left.tasks().size()).sum();
    }

    /** The functions of them, each once. */
    public List<String> handlers() {
        Set<String> names = new LinkedHashSet<>();
        lists.forEach(left -> left.tasks().stream().flatMap(LeftUndo::leaves).forEach(names::add));
        return List.copyOf(names);
    }

    private static Stream<String> leaves(TreeNode node) {
        return switch (node) {
            case TreeNode.Leaf leaf -> leaf.handler().stream();
            case TreeNode.ForEach each -> leaves(each.template());
            default -> node.children().stream().flatMap(LeftUndo::leaves);
        };
    }

    /**
     * All tasks as one tree. The tasks of one node stand beside one another, and the node that was planned last comes
     * first. A task that fails for good stops no other.
     *
     * @param how their own undo is kept, where they have plans
     */
    public TreeNode tree(TaskBody.Undo how) {
        return tree(_ -> how);
    }

    /** The same tree for programs: the undo of a task is kept where its own words ask for it. */
    public TreeNode tree() {
        return tree(body -> body.undo() == TaskBody.Undo.NOT ? TaskBody.Undo.NOT : TaskBody.Undo.AS_ONE_TREE);
    }

    private TreeNode tree(Function<TaskBody, TaskBody.Undo> how) {
        List<TreeNode> groups = new ArrayList<>();
        String name = taker.filter(Taker::cancelled).isPresent() ? NAME_CANCELLED : NAME;
        for (Left left : lists.reversed()) { // by their order, since clocks step
            List<TreeNode> tasks = new ArrayList<>();
            for (TreeNode task : left.tasks()) {
                String end = refers(task) ? "." + groups.size() + "." + tasks.size() : "";
                tasks.add(among(task, end, how));
            }
            groups.add(group(tasks, 0, name));
        }
        return groups.size() == 1 ? groups.getFirst() : group(groups, 1, name);
    }

    /** A chain would give each of them the result of the one before it. */
    private static TreeNode group(List<TreeNode> tasks, int window, String name) {
        return new TreeNode.Group(
                tasks, window, TreeNode.OnChildError.CONTINUE, Optional.empty(), TaskBody.named(name));
    }

    private static boolean refers(TreeNode node) {
        return node instanceof TreeNode.ForEach each
                ? refers(each.template())
                : node.body().refers() || node.children().stream().anyMatch(LeftUndo::refers);
    }

    /** The same node in a tree with others: only names that an argument refers to need to be its own. */
    private static TreeNode among(TreeNode node, String end, Function<TaskBody, TaskBody.Undo> how) {
        TaskBody body = end.isEmpty() ? node.body() : node.body().among(end);
        List<TreeNode> children =
                node.children().stream().map(child -> among(child, end, how)).toList();
        return switch (node) {
            case TreeNode.Leaf leaf ->
                new TreeNode.Leaf(
                        leaf.pool(),
                        leaf.handler(),
                        leaf.maxTrials(),
                        leaf.total(),
                        leaf.rank(),
                        body.undoable(body.plan().isPresent() ? how.apply(body) : TaskBody.Undo.NOT));
            case TreeNode.Chain chain -> new TreeNode.Chain(children, chain.onChildError(), chain.deadline(), body);
            case TreeNode.Group group ->
                new TreeNode.Group(children, group.window(), group.onChildError(), group.deadline(), body);
            case TreeNode.ForEach each ->
                new TreeNode.ForEach(
                        among(each.template(), end, how), each.window(), each.onChildError(), each.deadline(), body);
            case TreeNode.IteratorNode _, TreeNode.Chunks _ -> node; // a list has none
        };
    }
}
