package dev.quiver.lifecycle.history.stream;

import java.util.Collection;

import dev.quiver.lifecycle.keyspace.LeaderCalls;

/** Tells the record which resources are deleted, under the leader's term. Thread-safe. */
public final class RunDeletions {

    private final LeaderCalls calls;

    /** With these calls. */
    public RunDeletions(LeaderCalls calls) {
        this.calls = calls;
    }

    /**
     * The reader forgets the record of those whose opening asked for that. Call it behind the drop of their keys; a repeat
     * changes nothing.
     *
     * @param uids of runs, 1,000 at most; of a schedule its own, which stands for all of its runs
     */
    public void report(Collection<String> uids) {
        if (!uids.isEmpty()) {
            calls.run(HistoryScripts.DELETED, calls.keyspace()::key, uids.toArray());
        }
    }
}
