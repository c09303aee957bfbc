package dev.quiver.lifecycle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.redis.Script;

/**
 * A call of a script's function over a {@link HostileKeyspace}. In some calls all arguments are sensible, so that the script
 * goes on to what the keys hold. In others one or all of them are not.
 *
 * @param keys of the call
 * @param arguments of the call
 */
record HostileCall(List<String> keys, List<String> arguments) {

    private static final Pattern BOUNDS =
            Pattern.compile("(?m)^-- (?:ARGV|KEYS) ([\\w.]+): (?:empty or )?(-?\\d+)\\.\\.(\\d+); ");
    private static final Pattern USES = Pattern.compile("(?m)^-- USES ([\\w/ ]+)$");

    private record Range(long least, long most) {}

    static HostileCall of(Script script, Hostile hostile) {
        String folder = script.name().split("/")[0];
        Map<String, Range> ranges = ranges(script.name().replaceFirst("_drain$", ""));
        List<String> keys = new ArrayList<>();
        script.keys().forEach(name -> keys.add(HostileKeyspace.key(folder, name)));
        script.restKey().ifPresent(rest -> keys.addAll(restKeys(rest, hostile)));
        int mode = hostile.below(10); // below 5: all sensible; below 8: one is not; else each may not be
        int odd = mode < 5 ? -1 : hostile.below(Math.max(1, script.arguments().size()));
        List<String> arguments = new ArrayList<>();
        for (int i = 0; i < script.arguments().size(); i++) {
            String name = script.arguments().get(i);
            boolean sensible = mode < 8 ? i != odd : hostile.chance(50);
            arguments.add(sensible ? sensible(name, ranges.get(name), hostile) : odd(hostile));
        }
        script.restArgument().ifPresent(rest -> {
            List<String> rows = rows(script.name().replaceFirst("_drain$", ""), hostile);
            int settles = script.arguments().indexOf("settles");
            if (settles >= 0 && mode < 8 && settles != odd) {
                arguments.set(settles, Integer.toString(hostile.below(6)));
                rows = stepRows(Integer.parseInt(arguments.get(settles)), folder, arguments, script, hostile);
            }
            if (hostile.chance(10)) {
                rows.add(odd(hostile));
            }
            if (hostile.chance(2)) {
                while (rows.size() < 20_000) {
                    rows.add(odd(hostile));
                }
            }
            arguments.addAll(rows);
        });
        return new HostileCall(keys, arguments);
    }

    /** Tags or keys of fairness, each with a number. */
    private static List<String> named(Hostile hostile, List<String> numbers) {
        List<String> rows = new ArrayList<>();
        for (int i = hostile.below(5); i > 0; i--) {
            rows.add(hostile.of(List.of("view", "other", "acme", "a b", "")));
            rows.add(hostile.chance(80) ? hostile.of(numbers) : hostile.number());
        }
        return rows;
    }

    private static String odd(Hostile hostile) {
        return hostile.chance(70) ? hostile.number() : hostile.text();
    }

    private static List<String> restKeys(String rest, Hostile hostile) {
        List<String> keys = new ArrayList<>();
        if (rest.equals("pools")) {
            keys.addAll(HostileKeyspace.queue("p"));
            if (hostile.chance(50)) {
                keys.addAll(HostileKeyspace.queue("q"));
            }
        } else {
            String source = hostile.of(List.of("taskset:u", "chunks:T.2", "pool:p:tasks"));
            for (int i = hostile.below(4); i > 0; i--) {
                keys.addAll(
                        switch (rest) {
                            case "of_sessions" ->
                                List.of(HostileKeyspace.P + source + ":held:s", HostileKeyspace.P + "session:s");
                            case "of_sets" ->
                                List.of(
                                        HostileKeyspace.P + source,
                                        HostileKeyspace.P + source + ":failures",
                                        HostileKeyspace.P + source + ":sessions");
                            case "registries" -> List.of(HostileKeyspace.P + "pool:p:workers");
                            default -> List.of(HostileKeyspace.P + source);
                        });
            }
        }
        if (hostile.chance(3) && !keys.isEmpty()) {
            keys.removeLast();
        }
        return keys;
    }

    private static String sensible(String name, Range range, Hostile hostile) {
        if (range != null) {
            if (name.equals("term") && hostile.chance(50)) {
                return "";
            }
            long most = Math.min(range.most(), 1L << 53);
            return switch (hostile.below(4)) {
                case 0 -> Long.toString(range.least());
                case 1 -> Long.toString(most);
                default -> Long.toString(Math.clamp(hostile.below(8), range.least(), most));
            };
        }
        return switch (name) {
            case "session" -> "s";
            case "owner" -> hostile.of(List.of("me", "spec", "front-end-7"));
            case "resource" -> hostile.of(List.of("online", "tenant!acme", "tenant!*", "a b"));
            case "earlier" -> "s2";
            case "source" -> hostile.of(List.of("u", "chunks:T.2"));
            case "tree" -> hostile.tree();
            case "id", "node", "feeder" -> hostile.node();
            case "root" -> "t" + hostile.below(12);
            case "job" -> HostileKeyspace.PREFIX + "h:" + hostile.below(4);
            case "uid" -> "uid";
            case "pool" -> "p";
            case "pool_uid" -> "pu";
            case "pod_uid" -> "pod";
            case "prefix" -> HostileKeyspace.PREFIX;
            case "command" -> hostile.command();
            case "next_at" -> "1000";
            case "facts" -> hostile.facts();
            case "marks" -> "r".repeat(hostile.below(6));
            case "what" ->
                hostile.of(List.of(
                        "close",
                        "open",
                        "open_all",
                        "cancel",
                        "suspend",
                        "resume",
                        "deadline",
                        "tidy",
                        "stop",
                        "drop",
                        "forget",
                        "fail",
                        "expire"));
            case "fence" -> Integer.toString(hostile.below(3));
            case "cursor" -> "0";
            case "form" -> "*";
            default -> "";
        };
    }

    private static List<String> stepRows(
            int settles, String folder, List<String> arguments, Script script, Hostile hostile) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < settles; i++) {
            rows.add(
                    switch (folder) {
                        case "task" -> hostile.node();
                        case "idoit" -> "t" + hostile.below(12);
                        case "queue" -> hostile.of(List.of("m", "c", "r")) + HostileKeyspace.PREFIX + "h:1";
                        default -> hostile.digits();
                    });
            rows.add(Integer.toString(hostile.below(3)));
            rows.add(hostile.of(List.of(
                    "p",
                    "f",
                    "x",
                    "l",
                    "r",
                    "m",
                    "i",
                    "n",
                    "e",
                    "t",
                    "b",
                    "b9",
                    "b" + "9".repeat(300),
                    "d5",
                    "d" + "9".repeat(300))));
            rows.add(hostile.digits());
            rows.add(hostile.chance(30) ? answer(hostile) : hostile.text());
        }
        int serving = script.arguments().indexOf("serving");
        if (serving >= 0) {
            arguments.set(serving, "1");
            rows.addAll(
                    switch (folder) {
                        case "task" -> List.of("h");
                        case "idoit" -> List.of("\"h\"", hostile.digits());
                        default -> List.of("h", hostile.digits(), "mpr");
                    });
        }
        for (int i = hostile.below(20); i > 0; i--) {
            rows.add("1.1");
        }
        return rows;
    }

    /** An answer that an iterator might give. */
    private static String answer(Hostile hostile) {
        StringBuilder trees = new StringBuilder();
        for (int i = hostile.below(4); i > 0; i--) {
            trees.append(trees.isEmpty() ? "" : ",")
                    .append("[\"")
                    .append(hostile.record().replace("\t", "\\t").replace("\u0000", ""))
                    .append("\",\"{}\"]");
        }
        return "{\"state\":\"J\\n1\",\"trees\":[" + trees + "],\"chunks\":"
                + hostile.of(List.of("0", "3", "1e308", "-5", "0.5"))
                + ",\"was\":\"x\",\"now\":\"y\",\"tops\":[\"t1\"],\"tasks\":[{\"key\":\"t13\",\"fields\":[\"id\",\"1\"]}]}";
    }

    private static List<String> rows(String script, Hostile hostile) {
        List<String> rows = new ArrayList<>();
        for (int i = 1 + hostile.below(4); i > 0; i--) {
            rows.addAll(
                    switch (script) {
                        case "task/run_commands" -> List.of(hostile.command());
                        case "task/boost" -> named(hostile, List.of("5", "-10000000", "0", "10000001"));
                        case "task/declare" ->
                            named(hostile, List.of("o", "x", "o2", "x1/60", "o0", "o7/0", "online happy!*", "\u001e"));
                        case "task/probe" -> named(hostile, List.of("o", "x", "x", "oo"));
                        case "task/arrange" -> named(hostile, List.of("1", "1000", "0", "1001"));
                        case "task/submit" -> submitted(hostile);
                        case "task/create" -> List.of("new" + (i == 1 ? "" : "." + i), hostile.record(), "{}");
                        case "task/attend" -> List.of(hostile.node(), hostile.digits());
                        case "idoit/attend" -> List.of("t" + hostile.below(12), hostile.digits());
                        case "idoit/consume" ->
                            List.of(
                                    "c" + hostile.below(9),
                                    "t" + hostile.below(12),
                                    "\"u\"",
                                    hostile.of(List.of(
                                            "activate", "result", "group_check", "iterate", "error", "progress")),
                                    "t1",
                                    hostile.number());
                        case "task/results", "task/ended" -> List.of(hostile.node());
                        default ->
                            script.endsWith("adopt")
                                    ? List.of(hostile.node(), hostile.of(List.of("1.1", "-1")))
                                    : List.of(hostile.number(), hostile.digits());
                    });
        }
        return rows;
    }

    private static List<String> submitted(Hostile hostile) {
        int nodes = hostile.below(4);
        List<String> tree = new ArrayList<>(List.of(
                "new" + hostile.below(9) + (hostile.chance(20) ? " name" : ""),
                hostile.chance(80) ? "\t0\t24\t\t\t\t\t\t\t" : hostile.facts(),
                hostile.chance(90) ? "0" : hostile.number(),
                hostile.chance(90) ? "24" : hostile.number(),
                hostile.chance(90) ? Integer.toString(nodes) : hostile.number()));
        String id = tree.getFirst().split(" ")[0];
        for (int i = 0; i < nodes; i++) {
            tree.addAll(List.of(i == 0 ? id : id + "." + i, hostile.record(), "{}"));
        }
        return tree;
    }

    private static Map<String, Range> ranges(String script) {
        String text = text(script);
        Matcher includes = USES.matcher(text);
        StringBuilder all = new StringBuilder(text);
        while (includes.find()) {
            for (String include : includes.group(1).split(" ")) {
                all.append(text("include/" + include));
            }
        }
        Map<String, Range> ranges = new HashMap<>();
        Matcher stated = BOUNDS.matcher(all);
        while (stated.find()) {
            ranges.put(stated.group(1), new Range(Long.parseLong(stated.group(2)), Long.parseLong(stated.group(3))));
        }
        return ranges;
    }

    private static String text(String name) {
        try (var in = Script.class.getResourceAsStream("/dev/quiver/lifecycle/lua/" + name + ".lua")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
