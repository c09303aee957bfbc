package dev.quiver.lifecycle;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Values as somebody writes them who wants a script to run for ever. The drawn values follow from the seed alone. */
final class Hostile {

    private static final List<String> NUMBERS = List.of(
            "0",
            "1",
            "2",
            "3",
            "-1",
            "255",
            "256",
            "1000",
            "10000",
            "100000",
            "2147483648",
            "999999999999999",
            "1000000000000000",
            "9007199254740991",
            "9007199254740992",
            "99999999999999999999",
            "1e15",
            "1e308",
            "-1e308",
            "nan",
            "-nan",
            "inf",
            "-inf",
            "0.5",
            "1e-300",
            "0x7fffffff",
            " 7",
            "",
            "x",
            "1".repeat(400));

    /** Place of the first field of a record that is a number. */
    private static final int FIRST_NUMBER = 5;

    private static final int FIRST_COUNT = 14;

    /** Numbers to which a loop counts for ever. */
    private static final List<String> ENDLESS =
            List.of("1e308", "inf", "999999999999999", "99999999999999999999", "-1e308", "1".repeat(400));

    private final Random random;

    Hostile(Random random) {
        this.random = random;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    <T> T of(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** Any number, sensible or not. */
    String number() {
        return of(NUMBERS);
    }

    /** Mostly a small whole number; now and then digits that a record may have, however many; seldom no number at all. */
    String digits() {
        int kind = random.nextInt(10);
        if (kind < 7) {
            return Integer.toString(random.nextInt(6));
        }
        return kind < 9 ? of(List.of("0", "1000", "10000", "100000", "999999999999999", "99999999999999")) : number();
    }

    String text() {
        return switch (random.nextInt(6)) {
            case 0 -> "";
            case 1 -> "x".repeat(random.nextInt(20_000));
            case 2 -> "\u0000\n\t\uFFFF";
            case 3 -> "[[[[{\"a\":" + "[".repeat(random.nextInt(2000));
            default -> number();
        };
    }

    /** A node's id in the trees of the keyspace. */
    String node() {
        int ordinal = random.nextInt(24);
        return ordinal == 0 ? tree() : tree() + "." + (chance(3) ? number() : Integer.toString(ordinal));
    }

    String tree() {
        return of(List.of("T", "T", "T", "AAAAAAAAAAAAAA", "uid-1"));
    }

    /** The record of a node: any kind, with parents and children that may lead in a circle. */
    String record() {
        return record(
                of(List.of("L", "L", "C", "G", "E", "I", "K", "Z")),
                of(List.of("w", "i", "s", "l", "r", "f", "x", "t", "w", "i")));
    }

    /** The record of a root, mostly of one that runs and has children. */
    String root() {
        return chance(70) ? record(of(List.of("C", "G", "E", "I")), "i") : record();
    }

    private String record(String kind, String state) {
        List<String> fields = new ArrayList<>(List.of(
                kind,
                state,
                chance(20) ? "" : chance(5) ? "F" : Integer.toString(random.nextInt(24)),
                of(List.of("p", "p", "q", "", "none")),
                of(List.of("h", "", "other"))));
        for (int i = 0; i < 8; i++) { // trials … progress, then seq, origin, element
            fields.add(i >= 5 && chance(60) ? "" : Integer.toString(random.nextInt(6)));
        }
        fields.add(chance(15) ? "1" : "");
        if (!kind.equals("L")) {
            for (int i = 0; i < 6; i++) { // first, count, stride, created, finished, window
                fields.add(Integer.toString(random.nextInt(6)));
            }
            fields.addAll(List.of(
                    of(List.of("", "", "b", "d", "r")),
                    chance(30) ? "C" : "",
                    chance(20) ? digits() : "",
                    chance(60) ? digits() : ""));
        }
        if (!kind.equals("L") && chance(30)) {
            fields.set(FIRST_COUNT + random.nextInt(6), of(ENDLESS));
        }
        for (int odd = random.nextInt(4); odd > 1; odd--) {
            fields.set(FIRST_NUMBER + random.nextInt(fields.size() - FIRST_NUMBER), chance(50) ? number() : digits());
        }
        if (chance(30)) {
            fields.addAll(List.of(rank(), chance(70) ? "" : of(List.of("acme", text()))));
        }
        while (chance(2) && fields.size() > 3) {
            fields.removeLast();
        }
        return String.join("\t", fields) + "\t";
    }

    /** The rank of a node, as it stands in its record. */
    private String rank() {
        return of(List.of(
                "",
                "0\u001fview\u001f",
                "5\u001fview\u001e" + "other\u001f",
                "0\u001f\u001f\u001fonline\u001etenant!acme",
                "0\u001fview\u001f\u001f" + "r\u001e".repeat(20),
                "-99999@60000\u001f\u001f7\u001eview\u001d0",
                "99999@999999999999999\u001f\u001f-5",
                "1e308\u001f\u001f",
                "1\u001f" + "t".repeat(3100) + "\u001f",
                "7\u001f\u001fnan\u001eview\u001d" + number(),
                text()));
    }

    private String fifteen() {
        return of(
                List.of("500000000000000", "499999999995000", "000000000000001", "999999999999999", "            nan"));
    }

    /** The name of a class of tasks with a rank; that of a real one among them. */
    private String taskClass() {
        return of(List.of("a1b2c3d4e5f60718", "aaf4c6" + "0000000000", "aaf4c60000000000+", "x", ""));
    }

    /** A member of the sorted set of what has a rank. */
    String rankMember() {
        return switch (below(10)) {
            case 0 -> "t" + taskClass() + "\0" + fifteen() + fifteen() + node();
            case 1 -> "o\0" + fifteen() + fifteen() + "\0" + taskClass();
            case 2 ->
                "g" + resource() + "\0" + of(List.of("aaf4c6", "a1b2c3", "", text())) + "\0" + fifteen() + fifteen()
                        + "\0" + taskClass();
            case 3 -> "r" + resource() + "\0" + taskClass();
            case 4 -> "d" + resource();
            case 6 -> "p" + resource() + "\0" + of(List.of(node(), "a b", ""));
            case 7 -> "k" + node() + "\0" + resource() + "\0" + of(List.of(digits(), number(), "", text()));
            case 8 -> "h" + taskClass();
            case 5 -> "i" + of(List.of("view", "other", "")) + "\0" + taskClass();
            default ->
                "b" + of(List.of("spec", "me", "")) + "\0" + of(List.of("view", "other")) + "\0"
                        + of(List.of("5", "-7", "1e9", number()));
        };
    }

    /** The name of a resource, or a pattern. */
    private String resource() {
        return of(List.of("online", "tenant!acme", "tenant!*", "", "a b", text()));
    }

    /** A field of the hash of classes. */
    String classField() {
        return of(List.of(
                "c" + taskClass(),
                "+view",
                "+other",
                ">view",
                "@me",
                "sacme",
                "weights",
                "=",
                "a",
                "t",
                of(List.of("=", "!", "g", "a", "<", "u", "v")) + resource()));
    }

    /** A value there. */
    String classValue() {
        if (chance(30)) {
            return of(List.of(
                    "o 5 o",
                    "x 5 x",
                    "o 5 o2",
                    "o 5 o1/60",
                    "o 5 o" + digits() + "/" + digits(),
                    digits() + " " + digits(),
                    "o",
                    "3 1700000000000",
                    "me\u001f5\u001f",
                    "me\u001f5\u001f9\u001eyou\u001f1e9\u001f",
                    "online\u001ehappy!*",
                    "%1\u001e" + text(),
                    text()));
        }
        return chance(50)
                ? digits()
                : of(List.of("0", "-5", number())) + "\u001f999999999999999\u001f" + fifteen() + "\u001f" + fifteen()
                        + "\u001f" + fifteen() + of(List.of("", "\u001eonline", "\u001donline", "\u001d" + resource()))
                        + "\u001fh"
                        + of(List.of("\u001fview\u001f", "\u001f\u001f\u001fonline", "\u001f\u001f", ""));
    }

    /** How a queue orders what comes. */
    String ordering() {
        return of(List.of("1", "0", "5 0 0", "1000 0 399999999999999", "9 nan 1", number()));
    }

    /** The facts of a tree. */
    String facts() {
        return String.join(
                        "\t",
                        chance(50) ? "" : digits(),
                        chance(50) ? "1" : "0",
                        chance(70) ? "24" : digits(),
                        chance(70) ? "" : digits(),
                        chance(70) ? "" : digits(),
                        chance(50) ? "" : digits() + ",1,1,1,1,1,1," + digits(),
                        chance(50) ? "" : digits(),
                        chance(70) ? "" : digits(),
                        chance(80) ? "" : digits())
                + "\t"
                + (chance(30) ? "R" : "");
    }

    /** A command on trees, as it stands in its key. */
    String command() {
        String kind = of(List.of(
                "activate",
                "advance",
                "iterate",
                "retry",
                "expire",
                "result",
                "error",
                "prune",
                "sweep",
                "unpark",
                "abandon",
                "unqueue",
                "replace",
                "lease",
                "regate",
                "reopen",
                "offer",
                "begin",
                "follow",
                "remove",
                "recorded",
                "ranged",
                "newer"));
        String data = chance(40)
                ? ""
                : chance(20) ? digits() + " h" : chance(20) ? digits() + " " + digits() + " " + digits() : number();
        if (List.of("regate", "reopen", "offer").contains(kind)) {
            String of = of(List.of("", "", "me", "3 ", "2 aaf4c6", "2 aaf4c6~", digits() + " a", number()));
            return kind + "\t" + resource() + "\t" + of + "\t" + of(List.of("p", "p", "", "q")) + "\t" + digits();
        }
        return kind + "\t" + (chance(30) ? tree() : node()) + "\t" + data + "\t" + of(List.of("p", "p", "", "q")) + "\t"
                + digits();
    }

    /** A result or an error of a node. */
    String result() {
        return switch (random.nextInt(8)) {
            case 0 -> "@" + random.nextInt(24);
            case 1 -> "!" + random.nextInt(24);
            case 2 -> "*";
            case 3 -> "#" + digits() + " 2 3";
            case 4 -> "J" + number() + "\n[" + "[1],".repeat(random.nextInt(2000)) + "[2]]";
            case 5 -> "E{\"reason\":\"r\",\"message\":\"m\"}";
            case 6 -> "J3\n[{},{},{}]";
            default -> text();
        };
    }

    /** A task of the wire of idoit, names and values in turn. */
    List<String> wireTask(String id) {
        List<String> fields =
                new ArrayList<>(List.of("id", "\"" + id + "\"", "uid", "\"u\"", "name", "\"chain\"", "pool", "\"p\""));
        fields.set(5, of(List.of("\"chain\"", "\"group\"", "\"h\"", "1")));
        fields.addAll(List.of(
                "state", of(List.of("\"waiting\"", "\"idle\"", "\"startable\"", "\"locked\"", "\"finished\""))));
        if (chance(70)) {
            List<String> children = new ArrayList<>();
            for (int i = random.nextInt(chance(10) ? 3000 : 6); i > 0; i--) {
                children.add("\"t" + random.nextInt(12) + "\"");
            }
            fields.addAll(List.of("children_finished", digits(), "children", "[" + String.join(",", children) + "]"));
        } else if (chance(50)) {
            fields.addAll(List.of("children_created", digits(), "children_finished", digits(), "user_data", text()));
        }
        if (chance(50)) {
            fields.addAll(List.of(
                    "parent", "\"t" + random.nextInt(12) + "\"", "parent_uid", "\"u\"", "parent_pool", "\"p\""));
        }
        fields.addAll(List.of(
                "total",
                number(),
                "progress",
                number(),
                "removeDelay",
                digits(),
                "quiver_tries",
                number(),
                "quiver_lost",
                number()));
        fields.addAll(List.of(
                "args",
                chance(80) ? "[1]" : text(),
                "retries",
                number(),
                "quiver",
                "{\"maxTrials\":" + digits() + "}"));
        return fields;
    }
}
