package dev.quiver.history.store;

import dev.quiver.lifecycle.history.TrialStatus;

/** The tables that are written in batches. */
final class Tables {

    /** Numbers of the statuses that are no failure. */
    private static final String NO_FAILURES =
            "(" + TrialStatus.PASSED.ordinal() + ", " + TrialStatus.PENDING.ordinal() + ")";

    static final Table CLASSES = Table.of("classes", 2, Table.NOTHING, "namespace:t", "name:t");

    /** A run that is named before its opening comes, or whose opening never came. */
    static final Table MENTIONED_RUNS =
            Table.of("runs", 2, Table.NOTHING, "keyspace:t", "uid:t", "kind:t", "namespace:t", "name:t", "created_at");

    static final Table OPENED_RUNS = Table.overwriting(
            "runs",
            2,
            "keyspace:t",
            "uid:t",
            "kind:t",
            "namespace:t",
            "namespace_uid:t",
            "name:t",
            "parent_run:t",
            "parent_task",
            "fired_at",
            "class_id",
            "pool:t",
            "labels:t",
            "spec:b",
            "source_hash:t",
            "created_at",
            "tasks",
            "keep_days",
            "keep_runs",
            "forget_on_delete");

    static final Table NODES = Table.of(
            "nodes",
            2,
            // An entry that tells only how a node ended keeps its name and its place.
            "UPDATE SET parent = excluded.parent, kind = excluded.kind, state = excluded.state, first = excluded.first,"
                    + " n = excluded.n, name = CASE WHEN excluded.name = '' THEN nodes.name ELSE excluded.name END",
            "run_id",
            "ordinal",
            "parent",
            "kind:t",
            "name:t",
            "state:t",
            "first",
            "n");

    static final Table NODE_RANGES =
            Table.of("node_ranges", 2, Table.NOTHING, "run_id", "first", "kind", "parent", "n", "stride", "origin");

    /** A session that a step names before its own entry came. */
    static final Table MENTIONED_WORKERS =
            Table.of("workers", 2, Table.NOTHING, "keyspace:t", "session:t", "opened_at");

    static final Table WORKERS = Table.of(
            "workers",
            2,
            "UPDATE SET pool = COALESCE(excluded.pool, workers.pool), pod = COALESCE(excluded.pod, workers.pod),"
                    + " pod_uid = COALESCE(excluded.pod_uid, workers.pod_uid),"
                    + " node = COALESCE(excluded.node, workers.node),"
                    + " slots = COALESCE(excluded.slots, workers.slots),"
                    + " speed = COALESCE(excluded.speed, workers.speed),"
                    + " opened_at = COALESCE(excluded.opened_at, workers.opened_at),"
                    + " closed_at = COALESCE(excluded.closed_at, workers.closed_at),"
                    + " ended = COALESCE(excluded.ended, workers.ended)",
            "keyspace:t",
            "session:t",
            "pool:t",
            "pod:t",
            "pod_uid:t",
            "node:t",
            "slots",
            "speed",
            "opened_at",
            "closed_at",
            "ended:t");

    static final Table RUN_WORKERS = Table.of("run_workers", 2, Table.NOTHING, "run_id", "worker_id");

    static final Table SEALED_WORKERS =
            Table.overwriting("run_workers", 2, "run_id", "worker_id", "passed", "run_ms", "first_at", "last_at");

    /** A worker that came back to a run began when it came first; entries without a log leave the one that is there. */
    static final Table WORKER_LOGS = Table.of(
            "worker_logs",
            2,
            "UPDATE SET started_at = COALESCE(worker_logs.started_at, excluded.started_at),"
                    + " rsync_finished_at = COALESCE(worker_logs.rsync_finished_at, excluded.rsync_finished_at),"
                    + " setup_finished_at = COALESCE(worker_logs.setup_finished_at, excluded.setup_finished_at),"
                    + " finished_at = excluded.finished_at, reason = excluded.reason,"
                    + " log = COALESCE(excluded.log, worker_logs.log)",
            "run_id",
            "worker_id",
            "started_at",
            "rsync_finished_at",
            "setup_finished_at",
            "finished_at",
            "reason:t",
            "log:b");

    static final Table PASSES = Table.of(
            "passes",
            3,
            Table.NOTHING,
            "run_id",
            "worker_id",
            "call",
            "first_task",
            "last_task",
            "n",
            "base_at",
            "ms_sum",
            "ms_max",
            "packed:b");

    static final Table TRIALS = Table.overwriting(
            "trials",
            4,
            "run_id",
            "task",
            "trial",
            "copy",
            "status",
            "worker_id",
            "slot",
            "started_at",
            "finished_at",
            "run_ms",
            "exit_code",
            "signal",
            "reason:t",
            "message:t",
            "passed",
            "pending",
            "failed",
            "cpu_ms",
            "max_rss_kib",
            "stdout:b",
            "stderr:b",
            "out_bytes",
            "output_cut",
            "result:b",
            "result_format",
            "result_bytes",
            "pack:t",
            "pack_at",
            "pack_len",
            "stdout_pack:t",
            "stdout_at",
            "stdout_len",
            "stderr_pack:t",
            "stderr_at",
            "stderr_len");

    /**
     * A trial that ended its task stands against one that did not, and of two the later one. A pass that comes later, or
     * an end as pending, takes the place of any. The last trial may have failed while a copy with a lower number ran.
     */
    static final Table TASKS = Table.of(
            "tasks",
            2,
            "UPDATE SET status = excluded.status, trials = excluded.trials, run_ms = excluded.run_ms,"
                    + " reason = excluded.reason, over = excluded.over,"
                    + " estimate_sec = COALESCE(excluded.estimate_sec, tasks.estimate_sec)"
                    + " WHERE excluded.over > tasks.over OR excluded.over = tasks.over AND (excluded.trials >= tasks.trials"
                    + " OR excluded.over = 1 AND excluded.status IN " + NO_FAILURES + ")",
            "run_id",
            "task",
            "status",
            "trials",
            "estimate_sec",
            "run_ms",
            "reason:t",
            "over");

    /** Cases of reports that did not pass. */
    static final Table CASES =
            Table.overwriting("cases", 4, "run_id", "task", "trial", "n", "name:t", "status", "ms", "message:t");

    static final Table NAMES = Table.of(
            "names", 3, Table.NOTHING, "namespace:t", "source_hash:t", "first_task", "n", "packed:b", "hashes:b");

    static final Table UNREAD = Table.of(
            "unread", 2, Table.NOTHING, "keyspace:t", "entry:t", "uid:t", "kind:t", "fields:b", "error:t", "stored_at");

    static final Table TESTS =
            Table.overwriting("tests", 2, "class_id", "name:t", "log_mean", "n", "ran", "hurt", "failed", "last_run");

    /** Runs that somebody removed for good. */
    static final Table REMOVED_RUNS = Table.of("removed_runs", 2, Table.NOTHING, "keyspace:t", "uid:t", "removed_at");

    private Tables() {}
}
