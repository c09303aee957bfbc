package dev.quiver.lifecycle.keyspace;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A tenant's part of Redis. Every key starts with {@link #prefix()}, whose hash tag keeps all keys of a script in one
 * slot of a Redis Cluster. No other class builds keys of the keyspace itself.
 *
 * @param prefix for example {@code quiver:{team-a}:} or {@code quiver:{team-a/nightly}:}
 */
public record Keyspace(String prefix) {

    private static final Pattern PREFIX = Pattern.compile("quiver:\\{[a-z0-9.-]{1,63}(/[a-z0-9-]{1,63})?}:");

    /** Refuses a prefix that is not {@code quiver:{namespace}:} or {@code quiver:{namespace/name}:}. */
    public Keyspace {
        Objects.requireNonNull(prefix, "prefix");
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "keyspace prefix must be quiver:{namespace}: or quiver:{namespace/name}:, not " + prefix);
        }
    }

    /** The default keyspace of a Kubernetes namespace. */
    public static Keyspace ofNamespace(String namespace) {
        return new Keyspace("quiver:{" + namespace + "}:");
    }

    /** A named keyspace inside a Kubernetes namespace ({@code spec.keyspace} of a WorkerPool). */
    public static Keyspace of(String namespace, String name) {
        return new Keyspace("quiver:{" + namespace + "/" + name + "}:");
    }

    /** The Kubernetes namespace of the keyspace. */
    public String namespace() {
        String tag = prefix.substring(prefix.indexOf('{') + 1, prefix.indexOf('}'));
        int slash = tag.indexOf('/');
        return slash < 0 ? tag : tag.substring(0, slash);
    }

    /** Hash: schema, epoch, beat, run id, leader's term, times of the reaper, counter of changes. */
    public String meta() {
        return prefix + "meta";
    }

    /** Set: uids of every TaskSet that has keys here. */
    public String sets() {
        return prefix + "sets";
    }

    /** Hash: tree of a Task to facts of the whole. */
    public String trees() {
        return prefix + "task:roots";
    }

    /** Hash: uids of the schedules of Tasks that have keys here. */
    public String schedules() {
        return prefix + "task:schedules";
    }

    /** Sorted set: uid of a changed TaskSet, or a changed tree, by the counter of its last change. */
    public String dirty() {
        return prefix + "dirty";
    }

    /** Sorted set: live session by the expiry of its lease, ms of Redis time. */
    public String sessions() {
        return prefix + "sessions";
    }

    /** Sorted set: expired session whose tasks are being taken back. */
    public String fenced() {
        return prefix + "fenced";
    }

    /** Sorted set: uid of a TaskSet with delayed tasks by the time, ms of Redis, at which the first is due. */
    public String delayed() {
        return prefix + "delayed";
    }

    /** Hash: the record of one session, and the sets it works at. */
    public String session(String session) {
        return prefix + "session:" + session;
    }

    /** Hash: the present owner of a pool's name. */
    public String pool(String pool) {
        return prefix + "pool:" + pool;
    }

    /** Sorted set: sets with claimable work and room for a worker. */
    public String poolReady(String pool) {
        return pool(pool) + ":ready";
    }

    /** List with at most one token: {@link #poolReady} has an entry. */
    public String poolWake(String pool) {
        return pool(pool) + ":wake";
    }

    /** Sorted set: tasks of a pool with a rank, their classes, boosts, and the sources that boosts concern. */
    public String poolRanks(String pool) {
        return pool(pool) + ":tasks:ranks";
    }

    /** Hash: the registry of a pool's sessions. */
    public String poolWorkers(String pool) {
        return pool(pool) + ":workers";
    }

    /** Hash: uid of a pod to the session it opened last, while that lives. */
    public String poolPods(String pool) {
        return pool(pool) + ":pods";
    }

    /** Set: uids of pods that shall take no more work. */
    public String poolDraining(String pool) {
        return pool(pool) + ":draining";
    }

    /** Stream of settled trials; written only when history is switched on. */
    public String history() {
        return prefix + "history";
    }

    /** Hash: what complex tasks keep, and leaves to their markers. */
    public String states() {
        return prefix + "task:states";
    }

    /** Sorted set, in the order of its members: the names of what complex tasks keep. */
    public String stateNames() {
        return prefix + "task:state-names";
    }

    /** Hash: trees whose runs are recorded, with their counters. */
    public String records() {
        return prefix + "task:records";
    }

    /** Sorted set: commands on trees, by the time from when they may run, ms of Redis. */
    public String commands() {
        return prefix + "task:commands";
    }

    /** The key of the keyspace as a whole that scripts call by this name. An unknown name is a bug: unchecked. */
    public String key(String name) {
        return switch (name) {
            case "meta" -> meta();
            case "sets" -> sets();
            case "trees" -> trees();
            case "schedules" -> schedules();
            case "dirty" -> dirty();
            case "sessions" -> sessions();
            case "fenced" -> fenced();
            case "delayed" -> delayed();
            case "history" -> history();
            case "records" -> records();
            case "states" -> states();
            case "state_names" -> stateNames();
            default -> throw new IllegalStateException("no key is called " + name);
        };
    }
}
