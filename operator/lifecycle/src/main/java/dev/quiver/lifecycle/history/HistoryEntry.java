package dev.quiver.lifecycle.history;

import java.util.List;
import java.util.Optional;

/** One entry of the stream as its writer meant it. Everything in it may be forged by the tenant of its keyspace. */
public sealed interface HistoryEntry {

    /** The run, or the source of work that it is about; a pool's name for a worker that serves no run yet. */
    String uid();

    /** Time of Redis, milliseconds since 1970. */
    long at();

    /** Kind {@code o}: a run was opened. */
    record Opened(String uid, long at, RunOpening opening) implements HistoryEntry {}

    /** Kind {@code w}: a worker joined, prepared a run's workspace, or left. */
    record Worker(String uid, long at, String session, WorkerEvent event) implements HistoryEntry {}

    /**
     * Kind {@code t}: a step settled trials.
     *
     * @param source whose tasks they are
     * @param call number of the step in its session
     * @param verdicts a letter for each settlement; c and t count
     * @param rows see {@link StepRows}
     */
    record Step(String uid, long at, Source source, String session, long call, String verdicts, byte[] rows)
            implements HistoryEntry {}

    /** Kind {@code n}: names and nodes of a run. */
    record Named(String uid, long at, RunNames names) implements HistoryEntry {}

    /** Kind {@code r}: a node made tasks in a row of numbers. */
    record Ranged(String uid, long at, NodeRange range) implements HistoryEntry {}

    /** Kind {@code l}: the reaper took tasks of a dead session back. */
    record Reaped(String uid, long at, String session, List<Loss> losses) implements HistoryEntry {}

    /** Kind {@code e}: the run is over. */
    record Ended(String uid, long at, RunEnd end) implements HistoryEntry {}

    /** Kind {@code d}: the resource of the run was deleted; of a schedule the uid of its runs' parent. */
    record Deleted(String uid, long at) implements HistoryEntry {}

    /**
     * Kind {@code x}: the keyspace lost a part of its past; it is about no run, so its uid is empty.
     *
     * @param loss what was lost
     */
    record Rewound(long at, Past loss) implements HistoryEntry {

        @Override
        public String uid() {
            return "";
        }
    }

    /** The kind of a keyspace's loss. */
    enum Past {
        /** Its latest writes. */
        REWOUND,
        /** All of it. */
        EMPTIED;

        /** The word of the entry. */
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        static Past of(String word) throws MalformedEntryException {
            return switch (word) {
                case "rewound" -> REWOUND;
                case "emptied" -> EMPTIED;
                default -> throw MalformedEntryException.newer("no keyspace is " + word);
            };
        }
    }

    /** Whose tasks a step settles. */
    enum Source {
        /** A TaskSet; the uid is its own. */
        SET,
        /** A pool's queue of Tasks; the rows name the trees. */
        QUEUE,
        /** The chunks of a MapReduceJob. */
        CHUNKS
    }

    /**
     * A task that was lost with its session.
     *
     * @param task its number
     * @param trial the trial that was lost
     * @param ended whether the task ended by it
     * @param earlier whether it was recorded before, and the task has ended by it now
     * @param id of a task of a queue's run, which nothing else names; absent of others
     */
    record Loss(long task, int trial, boolean ended, boolean earlier, Optional<String> id) {

        /** A loss of a task that its run names. */
        public Loss(long task, int trial, boolean ended) {
            this(task, trial, ended, false, Optional.empty());
        }

        /** A loss of a task of a queue's run. */
        public static Loss of(String id, int trial, boolean ended) {
            return new Loss(QueueTaskNumber.number(id), trial, ended, false, Optional.of(id));
        }

        /** A loss that ended a task of a queue's run, and that was recorded before. */
        public static Loss earlier(String id, int trial) {
            return new Loss(QueueTaskNumber.number(id), trial, true, true, Optional.of(id));
        }
    }

    /**
     * An action of a worker.
     *
     * @param phase which of the three
     * @param pool its pool
     * @param pod name of its pod
     * @param podUid uid of its pod
     * @param node where it runs
     * @param slots how many tasks it runs at a time
     * @param speedMilli its speed against the class of its pool, 1,000 for the usual one
     * @param startedAt milliseconds since 1970 when the preparation began; absent times have not come
     * @param rsyncFinishedAt when the files were there
     * @param setupFinishedAt when the set-up command had ended
     * @param finishedAt when it left
     * @param reason why it left, or why its set-up failed
     * @param log deflated end of the worker's log and of its slots' logs
     */
    record WorkerEvent(
            Phase phase,
            String pool,
            String pod,
            String podUid,
            String node,
            int slots,
            long speedMilli,
            Optional<Long> startedAt,
            Optional<Long> rsyncFinishedAt,
            Optional<Long> setupFinishedAt,
            Optional<Long> finishedAt,
            Optional<String> reason,
            byte[] log) {}

    /** The phase of a worker. The order is part of the format. */
    enum Phase {
        /** Its session begins. */
        JOIN,
        /** It prepares a run's workspace, or has done so. */
        PREPARE,
        /** Its session ends. */
        LEAVE
    }
}
