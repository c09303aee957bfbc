package dev.quiver.sdk;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks the tasks that an answer brings as the worker does, which would say it when the work is done. The SDK for Python has
 * the same checks with the same words, see brought.json beside its tests.
 */
final class Nodes {
    /** Ends the name under which a worker asks for the plan of a function. */
    static final String PLAN = "#plan";

    /** Ends the name under which it asks for the contingency. */
    static final String CONTINGENCY = "#contingency";

    private static final List<String> KINDS = List.of("handler", "command", "chain", "group", "forEach");

    /** Fields of a call alone, and what other tasks have not. */
    private static final Map<String, String> OF_CALLS = Map.of(
            "plan", "plan",
            "planSeconds", "plan",
            "undo", "plan",
            "contingency", "contingency",
            "complexKey", "complexKey");

    private static final List<String> OF_CALLS_IN_ORDER =
            List.of("plan", "planSeconds", "undo", "contingency", "complexKey");
    private static final List<String> OF_BACKOFF = List.of("initialSeconds", "factor", "maxSeconds", "jitterPercent");
    private static final Pattern POOL = Pattern.compile("[a-z0-9.-]{1,253}");
    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f]");
    private static final Pattern REFERENCE = Pattern.compile("\\$\\(results\\.([^)]+)\\)");
    private static final int MOST_LEVELS = 16;
    private static final int MOST_OF_TEMPLATE = 1000;
    private static final int MOST_CHILDREN = 10_000;
    private static final int MOST_NAMES = 8;
    private static final int MOST_PRIORITY = 99_999;
    private static final int MOST_TRIALS = 100;
    private static final int MOST_PLAN_SECONDS = 60;
    private static final int MOST_HANDLER_BYTES = 128;
    private static final int WEEK = 604_800; // seconds

    private final Set<String> names = new HashSet<>();
    private final List<Reference> references = new ArrayList<>();

    /** Facts of a node with all below it: its nodes, and those of them that are in no template. */
    private record Seen(int all, int beside, boolean hasPlan, boolean undo) {}

    private record Reference(String where, String of, String argument, String name) {}

    private Nodes() {}

    /**
     * Checks a whole task.
     *
     * @param task a JSON object
     * @return how many nodes it has
     * @throws IllegalArgumentException naming field and value
     */
    static int count(String where, String task) {
        Map<String, String> said = JsonValues.members(task);
        String once = said.remove("once");
        Nodes nodes = new Nodes();
        Seen seen = nodes.node(where, said, 1);
        if (once != null) {
            OnceWords.check(where, once, said.containsKey("handler") || said.containsKey("command"));
        }
        for (Reference reference : nodes.references) {
            if (!nodes.names.contains(reference.name)) {
                throw fault(
                        reference.where,
                        "args of \"" + reference.of + "\" have " + reference.argument + ", and no node is called so");
            }
        }
        return seen.all;
    }

    /** Checks what every task has to be, of one that an iterator makes, and none of its fields but those of a plan. */
    static void checkKind(String where, String task) {
        kind(where, JsonValues.members(task));
    }

    private static String kind(String where, Map<String, String> said) {
        List<String> kinds = KINDS.stream().filter(said::containsKey).toList();
        if (kinds.size() != 1) {
            throw fault(
                    where,
                    "an object of " + (said.isEmpty() ? "nothing" : String.join(", ", said.keySet()))
                            + " is no task: exactly one of " + String.join(", ", KINDS) + " is needed");
        }
        String kind = kinds.getFirst();
        boolean isOfComposite = kind.equals("chain") || kind.equals("group");
        if (isOfComposite) {
            checkUndo(where, true, said);
        }
        for (String field : OF_CALLS_IN_ORDER) {
            if (said.containsKey(field) && !kind.equals("handler") && !(isOfComposite && field.equals("undo"))) {
                throw fault(where, field + " is a field of a call alone: a " + kind + " has no " + OF_CALLS.get(field));
            }
        }
        if (kind.equals("handler")) {
            checkCall(where, said);
        }
        return kind;
    }

    private static void checkCall(String where, Map<String, String> said) {
        choice(where, "contingency", said);
        choice(where, "plan", said);
        String seconds = said.get("planSeconds");
        if (seconds != null) {
            OptionalLong number = JsonValues.whole(seconds);
            if (number.isEmpty()) {
                throw fault(where, "planSeconds is a whole number of seconds, not " + JsonValues.shown(seconds));
            }
            if (number.getAsLong() < 1 || number.getAsLong() > MOST_PLAN_SECONDS) {
                throw fault(where, "planSeconds is 1 to " + MOST_PLAN_SECONDS + ", not " + seconds);
            }
        }
        boolean isRequest = said.containsKey("complexKey");
        checkUndo(where, isTrue(said, "plan") || isRequest, said);
        if (isRequest) {
            Requests.check(where, said);
        }
    }

    private static void checkUndo(String where, boolean canHave, Map<String, String> said) {
        String undo = said.getOrDefault("undo", "false");
        if (!isChoice(undo) || undo.equals("true") && !canHave) {
            throw fault(
                    where,
                    "undo is " + JsonValues.shown(undo)
                            + ": it is true or false, and true with a plan alone, which says"
                            + " what would undo the task");
        }
    }

    private Seen node(String where, Map<String, String> said, int depth) {
        String kind = kind(where, said);
        if (said.containsKey("once")) {
            throw fault(
                    where,
                    "once is " + JsonValues.shown(said.get("once")) + ": it is of a whole task, not of one within a"
                            + " composite");
        }
        if (depth > MOST_LEVELS) {
            throw fault(where, "tasks are nested deeper than " + MOST_LEVELS + " levels");
        }
        checkRank(where, said);
        whole(where, "activeDeadlineSeconds", said, 1, Integer.MAX_VALUE);
        if (said.containsKey("name")) {
            names.add(text(where, "name", said.get("name")));
        }
        return kind.equals("handler") || kind.equals("command")
                ? leaf(where, kind, said)
                : composite(where, kind, said, depth);
    }

    private Seen composite(String where, String kind, Map<String, String> said, int depth) {
        List<Seen> below = new ArrayList<>();
        if (kind.equals("forEach")) {
            below.add(child(where + ".forEach", said.get(kind), depth));
        } else {
            List<String> children = elements(where, kind, said.get(kind));
            for (int i = 0; i < children.size(); i++) {
                below.add(child(where + "." + kind + "[" + i + "]", children.get(i), depth));
            }
        }
        if (below.stream().anyMatch(Seen::undo)) {
            throw fault(where, "undo is true: it is of a whole task, not of one within a composite");
        }
        boolean hasPlan = below.stream().anyMatch(Seen::hasPlan);
        if (!kind.equals("chain")) {
            whole(where, "window", said, 0, MOST_CHILDREN);
        }
        String reaction = said.getOrDefault("onChildError", "\"Fail\"");
        if (!reaction.equals("\"Fail\"") && !reaction.equals("\"Continue\"")) {
            throw fault(where, "onChildError is Fail or Continue, not " + JsonValues.shown(reaction));
        }
        boolean undo = isTrue(said, "undo");
        if (undo && !hasPlan) {
            throw fault(where, "undo is true, and no task of the composite has a plan, which says what would undo it");
        }
        int all = 1 + below.stream().mapToInt(Seen::all).sum();
        int beside = 1 + below.stream().mapToInt(Seen::beside).sum();
        if (!kind.equals("forEach")) {
            return new Seen(all, beside, hasPlan, undo);
        }
        if (beside - 1 > MOST_OF_TEMPLATE) {
            throw fault(
                    where,
                    "the task of a forEach has " + (beside - 1) + " nodes, at most " + MOST_OF_TEMPLATE
                            + " are allowed");
        }
        return new Seen(all, 1, hasPlan, undo);
    }

    private Seen child(String where, String text, int depth) {
        if (!text.startsWith("{")) {
            throw fault(where, JsonValues.shown(text) + " is no task: an object is needed");
        }
        return node(where, JsonValues.members(text), depth + 1);
    }

    private Seen leaf(String where, String kind, Map<String, String> said) {
        Optional.ofNullable(said.get("pool"))
                .filter(pool ->
                        JsonValues.text(pool).filter(POOL.asMatchPredicate()).isEmpty())
                .ifPresent(pool -> {
                    throw fault(where, "pool " + JsonValues.shown(pool) + " is no name of a WorkerPool");
                });
        whole(where, "maxTrials", said, 1, MOST_TRIALS);
        whole(where, "total", said, 1, Integer.MAX_VALUE);
        String own = kind;
        if (kind.equals("handler")) {
            own = handler(where, said);
        } else if (elements(where, kind, said.get(kind)).isEmpty()) {
            throw fault(where, "command must have at least one word");
        }
        String name = said.containsKey("name") ? text(where, "name", said.get("name")) : own;
        names.add(name);
        backoff(where, said);
        boolean hasPlan = said.containsKey("complexKey") || isTrue(said, "plan");
        if (!hasPlan && said.containsKey("planSeconds")) {
            throw fault(where, "planSeconds is " + said.get("planSeconds") + ", and there is no plan");
        }
        beside(where, own, "plan", PLAN, hasPlan);
        beside(where, own, "contingency", CONTINGENCY, isTrue(said, "contingency"));
        for (String argument : elements(where, "args", said.getOrDefault("args", "[]"))) {
            JsonValues.text(argument)
                    .map(REFERENCE::matcher)
                    .filter(Matcher::matches)
                    .ifPresent(found -> references.add(new Reference(where, name, found.group(), found.group(1))));
        }
        return new Seen(1, 1, hasPlan, isTrue(said, "undo"));
    }

    private static String handler(String where, Map<String, String> said) {
        String handler = text(where, "handler", said.get("handler"));
        int bytes = bytes(handler);
        if (bytes < 1 || bytes > MOST_HANDLER_BYTES) {
            throw fault(
                    where,
                    "handler " + beginning(handler) + " has " + bytes + " bytes, 1 to " + MOST_HANDLER_BYTES
                            + " are allowed");
        }
        if (CONTROL.matcher(handler).find()) {
            throw fault(where, "handler " + said.get("handler") + " has a control character");
        }
        for (String ending : List.of(PLAN, CONTINGENCY)) {
            if (handler.endsWith(ending)) {
                throw fault(
                        where,
                        "handler " + beginning(handler) + " ends in " + ending + ", which only workers say: name the"
                                + " function, with " + ending.substring(1) + ": true");
            }
        }
        return handler;
    }

    private static void beside(String where, String handler, String word, String suffix, boolean asked) {
        int most = MOST_HANDLER_BYTES - suffix.length();
        if (asked && bytes(handler) > most) {
            throw fault(
                    where,
                    "handler " + beginning(handler) + " has a " + word + ", so it has " + most + " bytes at most");
        }
    }

    private static void backoff(String where, Map<String, String> said) {
        String backoff = said.get("backoff");
        if (backoff == null) {
            return;
        }
        if (!backoff.startsWith("{")) {
            throw fault(where, "backoff is " + JsonValues.shown(backoff) + ", an object is needed");
        }
        Map<String, String> members = JsonValues.members(backoff);
        members.keySet().stream()
                .filter(field -> !OF_BACKOFF.contains(field))
                .sorted()
                .findFirst()
                .ifPresent(field -> {
                    throw fault(where, "backoff has no \"" + JsonValues.shown(field) + "\"");
                });
        whole(where, "initialSeconds", members, 0, WEEK);
        whole(where, "factor", members, 1, 10);
        whole(where, "maxSeconds", members, 0, WEEK);
        whole(where, "jitterPercent", members, 0, 100);
    }

    private static void checkRank(String where, Map<String, String> said) {
        whole(where, "relPriority", said, -MOST_PRIORITY, MOST_PRIORITY);
        for (String field : List.of("tags", "resources")) {
            if (said.containsKey(field)) {
                Set<String> all = new LinkedHashSet<>();
                for (String name : elements(where, field, said.get(field))) {
                    all.add(name(where, field, name));
                }
                if (all.size() > MOST_NAMES) {
                    throw fault(where, field + " has " + all.size() + " names, at most " + MOST_NAMES + " are allowed");
                }
            }
        }
        if (said.containsKey("fairnessKey")) {
            name(where, "fairnessKey", said.get("fairnessKey"));
        }
    }

    private static String name(String where, String field, String value) {
        return JsonValues.text(value)
                .filter(Change::isName)
                .orElseThrow(() -> fault(
                        where,
                        field + " has " + JsonValues.shown(value)
                                + ", 1 to 128 printable characters of ASCII without blanks are allowed"));
    }

    private static void whole(String where, String field, Map<String, String> said, long least, long most) {
        String value = said.get(field);
        OptionalLong number = value == null ? OptionalLong.of(least) : JsonValues.whole(value);
        if (number.isEmpty() || number.getAsLong() < least || number.getAsLong() > most) {
            throw fault(
                    where,
                    field + " is a whole number from " + least + " to " + most + ", not " + JsonValues.shown(value));
        }
    }

    private static void choice(String where, String field, Map<String, String> said) {
        if (said.containsKey(field) && !isChoice(said.get(field))) {
            throw fault(where, field + " is true or false, not " + JsonValues.shown(said.get(field)));
        }
    }

    private static boolean isChoice(String value) {
        return value.equals("true") || value.equals("false");
    }

    private static boolean isTrue(Map<String, String> said, String field) {
        return "true".equals(said.get(field));
    }

    private static String text(String where, String field, String value) {
        return JsonValues.text(value)
                .orElseThrow(() -> fault(where, field + " is a text, not " + JsonValues.shown(value)));
    }

    private static List<String> elements(String where, String field, String value) {
        if (!value.startsWith("[")) {
            throw fault(where, field + " is " + JsonValues.shown(value) + ", a list is needed");
        }
        return JsonText.elements(value);
    }

    private static String beginning(String handler) {
        return "\""
                + handler.substring(
                        0, handler.offsetByCodePoints(0, Math.min(40, handler.codePointCount(0, handler.length()))))
                + "\"";
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    static IllegalArgumentException fault(String where, String words) {
        return new IllegalArgumentException(where + ": " + words);
    }
}
