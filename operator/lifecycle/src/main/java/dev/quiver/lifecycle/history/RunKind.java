package dev.quiver.lifecycle.history;

/** Which resource a run belongs to. The order is part of the format: append only. */
public enum RunKind {
    /** A TaskSet. */
    TASK_SET("TaskSet"),
    /** A Task, or a firing of its schedule. */
    TASK("Task"),
    /** A MapReduceJob. */
    MAP_REDUCE_JOB("MapReduceJob"),
    /** Trees of programs without a resource: one run for each keyspace, pool and hour. */
    QUEUE("Queue");

    private static final RunKind[] ALL = values();
    private final String word;

    RunKind(String word) {
        this.word = word;
    }

    /** The word of the API and of the database. */
    public String word() {
        return word;
    }

    static RunKind of(int code) throws MalformedEntryException {
        if (code >= ALL.length) {
            throw MalformedEntryException.newer("no kind of run has the number " + code);
        }
        return ALL[code];
    }
}
