package dev.quiver.lifecycle;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A keyspace whose keys a tenant has written by hand, and the names of its keys by those that scripts give them. Some
 * numbers stay sensible, or every script would end at its first line.
 */
final class HostileKeyspace {

    static final String P = "quiver:{team}:";
    static final String PREFIX = "legacy:";
    private static final String QUEUE = P + "pool:p:tasks";
    /** Fields of a source whose values are numbers. */
    static final List<String> SOURCE_NUMBERS = List.of(
            "max_trials",
            "max_lost",
            "max_failed",
            "max_workers",
            "deadline_at",
            "max_payload",
            "count",
            "cursor",
            "left",
            "running",
            "delayed",
            "succeeded_count",
            "failed_count",
            "lost_count",
            "trials",
            "run_ms",
            "passed_ms",
            "ended_samples",
            "priority",
            "virtual_time",
            "fan_in",
            "combine_trials",
            "results_size",
            "bytes",
            "skipped_count",
            "combines_done",
            "combines_run",
            "started_at",
            "active_deadline",
            "joined",
            "ordered",
            "tail",
            "fresh_ms",
            "quick_until",
            "seq");

    private final Hostile hostile;
    private final List<List<String>> writes = new ArrayList<>();

    HostileKeyspace(Hostile hostile) {
        this.hostile = hostile;
    }

    /** The keys of the queues that a script of Tasks declares. */
    static List<String> queue(String pool) {
        String queue = P + "pool:" + pool + ":tasks";
        return List.of(
                queue,
                queue + ":plain",
                queue + ":handlers",
                queue + ":waiting",
                P + "pool:" + pool + ":ready",
                P + "pool:" + pool + ":wake",
                queue + ":ranks",
                queue + ":classes",
                queue + ":turns");
    }

    /** The key that a script knows under this name. */
    static String key(String folder, String name) {
        String source = switch (folder) {
            case "task" -> QUEUE;
            case "chunks", "mapreduce" -> P + "chunks:T.2";
            case "idoit" -> P + "pool:p:idoit";
            case "queue" -> P + "pool:p:queue";
            case "ordinals" -> P + "chunks:T.2";
            default -> P + "taskset:u";
        };
        return switch (name) {
            case "meta", "sets", "dirty", "delayed", "sessions", "fenced", "history" -> P + name;
            case "task_reports", "reports" -> P + "dirty";
            case "session" -> P + "session:s";
            case "pool", "workers", "pods", "draining", "ready", "wake" ->
                P + "pool:p" + (name.equals("pool") ? "" : ":" + name);
            case "trees" -> P + "task:roots";
            case "source" -> source;
            case "source_sessions" -> source + ":sessions";
            case "held" -> source + ":held:s";
            case "earlier_held" -> source + ":held:s2";
            case "feeder_held" -> QUEUE + ":held:s";
            case "source_delayed" -> source + ":delayed";
            case "task_queue", "payload", "trouble", "failures", "combines", "skipped", "order" -> source + ":" + name;
            case "results" -> folder.equals("task") ? P + "task:results" : source + ":results";
            case "tombstone", "producer" -> P + "task:" + name + ":x";
            case "schedule", "template", "runs" -> P + "task:" + name + ":uid";
            case "iterations", "iterating", "deadlines", "ends" -> P + "pool:p:" + name;
            default -> P + "task:" + name;
        };
    }

    /** Commands that write it, in the words of Redis. */
    List<List<String>> writes() {
        writes.clear();
        hash(
                P + "meta",
                20,
                () -> hostile.of(List.of(
                        "term",
                        "schema",
                        "history_most",
                        "history_bytes",
                        "changes",
                        "commands",
                        "reap_due",
                        "watched_at",
                        "reap_after",
                        "beat")),
                hostile::digits);
        write(
                "HSET",
                P + "meta",
                "schema",
                "1",
                "epoch",
                "e",
                "history_most",
                hostile.chance(50) ? "1000000" : hostile.number());
        for (String tree : List.of("T", "AAAAAAAAAAAAAA", "uid-1")) {
            write("HSET", P + "task:roots", tree, hostile.chance(10) ? "" : hostile.facts());
            for (int i = 0; i < 24; i++) {
                write(
                        "HSET",
                        P + "task:nodes",
                        i == 0 ? tree : tree + "." + i,
                        i == 0 ? hostile.root() : hostile.record());
            }
        }
        hash(P + "task:results", 20, hostile::node, hostile::result);
        hash(P + "task:body", 20, hostile::node, () -> "{\"name\":\"n\",\"results\":{\"a\":1}}");
        hash(P + "task:names", 4, () -> "n:name", hostile::tree);
        hash(P + "task:records", 6, () -> hostile.tree() + hostile.of(List.of("", " s", " m", " x")), hostile::digits);
        zset(P + "task:commands", 40, hostile::command);
        zset(P + "task:children", 12, () -> hostile.node() + hostile.of(List.of("/", "#")) + hostile.digits());
        zset(P + "task:parked", 8, () -> hostile.node() + "/" + hostile.node());
        schedule();
        for (String queue : List.of(QUEUE, P + "pool:q:tasks", P + "pool:p:idoit", P + "pool:p:queue")) {
            source(queue);
            zset(queue + ":plain", 20, hostile::node);
            zset(queue + ":handlers", 2, () -> hostile.of(List.of("h", "other")));
            zset(
                    queue + ":waiting",
                    8,
                    () -> hostile.of(List.of("h", "other")) + "\0"
                            + hostile.of(List.of("000000000000001", "999999999999999", "            nan"))
                            + hostile.node());
            held(queue, hostile::node);
            zset(queue + ":ranks", 16, hostile::rankMember);
            hash(queue + ":classes", 10, hostile::classField, hostile::classValue);
            zset(queue + ":turns", 3, () -> hostile.of(List.of("acme", "", "other")));
            hash(
                    queue,
                    2,
                    () -> hostile.of(List.of("ranks", "fair", "ageing", "ordering", "ordering", "held", "limited")),
                    hostile::ordering);
        }
        for (String source : List.of(P + "taskset:u", P + "chunks:T.2")) {
            source(source);
            held(source, hostile::digits);
            hash(source + ":payload", 6, hostile::digits, hostile::text);
            hash(source + ":trouble", 6, hostile::digits, () -> hostile.digits() + ":" + hostile.digits());
            hash(source + ":failures", hostile.chance(10) ? 30 : 5, hostile::digits, () -> "R" + hostile.text());
            hash(source + ":results", 12, hostile::digits, hostile::result);
            hash(source + ":combines", 6, hostile::digits, hostile::digits);
            zset(source + ":delayed", 4, hostile::digits);
            if (hostile.chance(70)) {
                write("SET", source + ":order", "abcdefghijkl".repeat(hostile.below(4)));
            } else {
                write("SET", source + ":order", "\0".repeat(12 * hostile.below(4)));
            }
            write("RPUSH", source + ":task_queue", hostile.digits(), hostile.digits(), hostile.number());
        }
        sessions();
        wire();
        return writes;
    }

    private void schedule() {
        hash(
                P + "task:schedule:uid",
                12,
                () -> hostile.of(
                        List.of("next_at", "run", "size", "missed", "keep_succeeded", "keep_failed", "deadline")),
                hostile::digits);
        write(
                "HSET",
                P + "task:schedule:uid",
                "facts",
                hostile.facts(),
                "template",
                "v",
                "next_at",
                "1000",
                "size",
                "3",
                "run",
                "1",
                "missed",
                "0",
                "policy",
                hostile.of(List.of("Forbid", "Replace", "")));
        for (int i = 0; i < 4; i++) {
            write("HSET", P + "task:template:uid", "v." + i, hostile.record() + "\n{}");
        }
        zset(P + "task:runs:uid", 4, hostile::digits);
    }

    private void source(String key) {
        for (String number : SOURCE_NUMBERS) {
            write("HSET", key, number, hostile.chance(80) ? Integer.toString(hostile.below(4)) : hostile.number());
        }
        write(
                "HSET",
                key,
                "status",
                hostile.of(List.of("running", "running", "suspended", "feeding", "failed")),
                "prefix",
                PREFIX,
                "source_closed",
                "1",
                "fed",
                "1",
                "ready",
                hostile.of(List.of("0", "1")),
                "node",
                "T.2",
                "next_pool",
                "p",
                "recorded",
                hostile.of(List.of("s", "w", "")),
                "feeder_trial",
                "s 1");
        if (hostile.chance(60)) {
            write(
                    "HSET",
                    key,
                    "keeps",
                    "1",
                    "skips",
                    hostile.of(List.of("0", "1")),
                    "fan_in",
                    hostile.of(List.of("0", "2", "3", "256", "1", "0.5")));
        }
        zset(key + ":sessions", 2, () -> hostile.of(List.of("s", "s2")));
    }

    private void held(String source, Supplier<String> id) {
        for (String session : List.of("s", "s2")) {
            hash(
                    source + ":held:" + session,
                    8,
                    id,
                    () -> hostile.below(3) + "@" + hostile.of(List.of("1.1", "-1", "")));
            if (hostile.chance(70)) {
                write("HSET", source + ":held:" + session, "#", hostile.below(3) + "ct");
            }
        }
    }

    private void sessions() {
        write("ZADD", P + "sessions", hostile.chance(80) ? "9e15" : "1", "s");
        write("ZADD", P + "fenced", "1", "s2");
        if (hostile.chance(40)) {
            write("ZADD", P + "fenced", "1", "s");
        }
        for (String session : List.of("s", "s2")) {
            write(
                    "HSET",
                    P + "session:" + session,
                    "calls",
                    hostile.chance(70) ? "3" : hostile.number(),
                    "floor",
                    hostile.chance(70) ? "0" : hostile.number(),
                    "pod_uid",
                    "pod",
                    "set:tasks:p",
                    "1");
        }
        write("HSET", P + "pool:p", "uid", "pu", "history", hostile.of(List.of("", "x")), "opening", "o");
        write("HSET", P + "pool:p:pods", "pod", "s2");
        zset(P + "pool:p:ready", 4, () -> hostile.of(List.of("u", "tasks:p", "chunks:T.2", "idoit:p", "queue:p")));
        zset(P + "delayed", 4, () -> hostile.of(List.of("u", "tasks:", "chunks:T.2")));
        write("XADD", P + "history", "*", "k", "o", "b", hostile.text());
    }

    /** Tasks of both wires under the granted prefix. */
    private void wire() {
        for (int i = 0; i < 12; i++) {
            List<String> task = new ArrayList<>(List.of("HSET", PREFIX + "t" + i));
            task.addAll(hostile.wireTask("t" + i));
            writes.add(task);
            write("SADD", PREFIX + "ichunks:t" + i, "t" + hostile.below(12), "t" + hostile.below(12));
        }
        write("SADD", PREFIX + "p:startable", "t1", "t2", "t3");
        zset(PREFIX + "p:commands", 6, () -> "c" + hostile.below(9));
        zset(PREFIX + "locked", 4, () -> "t" + hostile.below(12));
        zset(P + "pool:p:deadlines", 4, () -> "t" + hostile.below(12));
        hash(
                P + "pool:p:iterations",
                4,
                () -> "t" + hostile.below(12),
                () -> hostile.digits() + "/c" + hostile.below(9));
        for (int i = 0; i < 4; i++) {
            String job = PREFIX + "h:" + i;
            write(
                    "HSET",
                    job,
                    "type",
                    "h",
                    "state",
                    hostile.of(List.of("pending", "mapping", "aggregating")),
                    "retries",
                    hostile.number(),
                    "data",
                    hostile.text(),
                    "quiver",
                    hostile.number());
            write("SADD", PREFIX + hostile.of(List.of("pending", "aggregating")), job);
            write("ZADD", PREFIX + hostile.of(List.of("mapping", "reducing")), "1", job);
            write("SADD", job + ":chunks:" + hostile.of(List.of("pending", "done")), job + ":1", job + ":2", "none");
            write("HSET", job + ":1", "retries", hostile.number(), "data", "1");
        }
    }

    private void hash(String key, int entries, Supplier<String> field, Supplier<String> value) {
        for (int i = 0; i < entries; i++) {
            write("HSET", key, field.get(), value.get());
        }
    }

    private void zset(String key, int entries, Supplier<String> member) {
        for (int i = 0; i < entries; i++) {
            write("ZADD", key, hostile.of(List.of("0", "1", "2", "1e300", "-inf", "inf", "9e15")), member.get());
        }
    }

    private void write(String... words) {
        writes.add(List.of(words));
    }
}
