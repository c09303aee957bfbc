package dev.quiver.lifecycle.task.keys;

import java.util.List;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.keyspace.Keyspace;

/** The keys of all Tasks of a keyspace; no other class builds them. */
public record TaskKeys(Keyspace keyspace) {

    private static final Pattern TREE = Pattern.compile("[A-Za-z0-9-]{1,80}");

    private static final Pattern NODE = Pattern.compile("[A-Za-z0-9-]{1,80}(\\.[0-9]{1,16})?");

    private static final Pattern POOL = Pattern.compile("[a-z0-9.-]{1,253}");

    /** The beginning of the name that a pool's queue of Tasks has as a source. */
    public static final String SOURCE = "tasks:";

    /** Pools that one call declares at most. */
    public static final int POOLS_OF_CALL = 8;

    /** The pool of such a source. */
    public static String poolOf(String source) {
        return source.substring(SOURCE.length());
    }

    /** Whether the text can be the name of a WorkerPool. */
    public static boolean isPool(String name) {
        return POOL.matcher(name).matches();
    }

    /**
     * The same name.
     *
     * @throws IllegalArgumentException for a text that is no name of a WorkerPool
     */
    public static String checkPool(String name) {
        if (!isPool(name)) {
            throw new IllegalArgumentException("pool \"" + name + "\" is no name of a WorkerPool");
        }
        return name;
    }

    /** The tree of a node's id. */
    public static String treeOf(String id) {
        int dot = id.indexOf('.');
        return dot < 0 ? id : id.substring(0, dot);
    }

    /** The number of a node in its tree, 0 for the root. */
    public static long ordinalOf(String id) {
        int dot = id.indexOf('.');
        return dot < 0 ? 0 : Long.parseLong(id.substring(dot + 1));
    }

    /** The node after this one in its tree: its next sibling where there is one. */
    public static String following(String id) {
        String tree = treeOf(id);
        long ordinal = id.equals(tree) ? 0 : Long.parseLong(id.substring(tree.length() + 1));
        return TreeIds.node(tree, ordinal + 1);
    }

    /** Whether the text can be the id of a node. */
    public static boolean isNode(String id) {
        return NODE.matcher(id).matches();
    }

    /** Whether the text can be the id of a tree. */
    public static boolean isTree(String id) {
        return TREE.matcher(id).matches();
    }

    /**
     * The same id.
     *
     * @throws IllegalArgumentException for a text that cannot be the id of a tree
     */
    public static String checkTree(String tree) {
        if (!isTree(tree)) {
            throw new IllegalArgumentException("the id of a tree must be 1 to 80 letters, digits or dashes: " + tree);
        }
        return tree;
    }

    /** Hash: id of a node to its record. */
    public String nodes() {
        return of("nodes");
    }

    /** Hash: id of a node to the document that it executes. */
    public String body() {
        return of("body");
    }

    /** Hash: id of a node to its result or error. */
    public String results() {
        return of("results");
    }

    /** Hash: {@code n:<name>} to the tree that has this name, {@code t:<tree>} to its name. */
    public String names() {
        return of("names");
    }

    /** Stream: what became of tasks, while a program follows it. */
    public String events() {
        return of("events");
    }

    /** Hash: what complex tasks keep, and leaves to their markers. */
    public String states() {
        return keyspace.states();
    }

    /** Hash: tree to the facts of the whole; empty while it is being created. */
    public String roots() {
        return keyspace.trees();
    }

    /** Sorted set: commands by the time from when they may run, ms of Redis. */
    public String commands() {
        return keyspace.commands();
    }

    /** Sorted set: nodes whose chunks come, or wait for memory, by the time of the last try, ms of Redis. */
    String feeding() {
        return keyspace.prefix() + "task:feeding";
    }

    /** Sorted set, in the order of its members: live children of iterators. */
    String children() {
        return of("children");
    }

    /** Sorted set, in the order of its members: leaves that wait for a suspended node. */
    public String parked() {
        return of("parked");
    }

    /** Sorted set: changed tree by the counter of its last change. */
    public String reports() {
        return keyspace.dirty();
    }

    /** Hash: uids of the schedules that have keys. */
    public String schedules() {
        return keyspace.schedules();
    }

    /** Hash: a schedule. */
    public String schedule(String uid) {
        return of("schedule:" + uid);
    }

    /** Hash: the nodes from which a schedule makes its runs. */
    public String template(String uid) {
        return of("template:" + uid);
    }

    /** Sorted set: number of a run of a schedule by the time at which it was due, ms. */
    public String runs(String uid) {
        return of("runs:" + uid);
    }

    String tombstone(String tree) {
        return of("tombstone:" + tree);
    }

    /** Number of the last batch of a producer. */
    public String producer(String producer) {
        return of("producer:" + producer);
    }

    private String of(String name) {
        return keyspace.prefix() + "task:" + name;
    }

    /** The keys of a pool's queue, in the order in which scripts take them. */
    public List<String> queue(String pool) {
        String queue = hash(pool);
        return List.of(
                queue,
                queue + ":plain",
                queue + ":handlers",
                queue + ":waiting",
                keyspace.poolReady(pool),
                keyspace.poolWake(pool),
                keyspace.poolRanks(pool),
                queue + ":classes",
                queue + ":turns");
    }

    /** Hash: the pool's queue as a source. */
    public String hash(String pool) {
        return keyspace.pool(pool) + ":tasks";
    }

    /** Sorted set: sessions that work at the pool's queue, in the order of joining. */
    public String sessions(String pool) {
        return hash(pool) + ":sessions";
    }

    /** Hash: the Tasks that a session holds, and its last call. */
    public String held(String pool, String session) {
        return hash(pool) + ":held:" + session;
    }
}
