package dev.quiver.lifecycle.ordinals;

/**
 * The keys of one source of numbered tasks; no other class builds them.
 *
 * @param source name of the source in the pool's order
 * @param hash the source's hash; the names of its other keys begin with this one
 * @param reports the sorted set to which the source reports each change
 * @param commands the sorted set to which a source that stands in a tree reports its end
 */
public record OrdinalKeys(String source, String hash, String reports, String commands) {

    String taskQueue() {
        return hash + ":task_queue";
    }

    String payload() {
        return hash + ":payload";
    }

    String trouble() {
        return hash + ":trouble";
    }

    /** Sorted set: tasks that wait for their retry time, by that time. */
    public String delayed() {
        return hash + ":delayed";
    }

    /** Hash: samples of failed trials, by the number of the task. */
    public String failures() {
        return hash + ":failures";
    }

    /** Hash: results of its tasks, of a source that keeps them. */
    public String results() {
        return hash + ":results";
    }

    String combines() {
        return hash + ":combines";
    }

    /** Sorted set: tasks that were given up, by their numbers. */
    public String skipped() {
        return hash + ":skipped";
    }

    /** String: the tasks in the order in which they are given out, and how long each takes. */
    public String order() {
        return hash + ":order";
    }

    String unpassed() {
        return hash + ":unpassed";
    }

    /** Sorted set: sessions that work at the source, in the order of joining. */
    public String sessions() {
        return hash + ":sessions";
    }

    /** Hash: the tasks that a session holds, and its last call. */
    public String held(String session) {
        return hash + ":held:" + session;
    }
}
