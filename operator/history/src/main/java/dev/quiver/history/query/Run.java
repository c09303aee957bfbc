package dev.quiver.history.query;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import dev.quiver.history.store.EstimateError;
import dev.quiver.history.store.Rows;
import dev.quiver.history.store.RunTimes;

/**
 * A run as the record has it. Numbers are those of its end, and absent before it.
 *
 * @param id in the database
 * @param namespaceUid of the namespace at its opening, empty where nobody knows
 * @param status absent while nobody told that it is over
 * @param estimateError of the estimate at half of its time, in thousandths of it; see {@link EstimateError}
 * @param labels JSON
 * @param spec JSON, empty where none was recorded
 * @param times how many trials took how long, see {@link RunTimes}; empty before the run is sealed
 * @param bytes that it takes, about; another number where its record changed
 */
public record Run(
        long id,
        String keyspace,
        String uid,
        String kind,
        String namespace,
        String namespaceUid,
        String name,
        Optional<String> runClass,
        Optional<String> pool,
        Optional<String> parentRun,
        Optional<Long> parentTask,
        Optional<Long> firedAt,
        Optional<String> sourceHash,
        Optional<String> status,
        Optional<String> reason,
        Optional<String> message,
        long createdAt,
        Optional<Long> startedAt,
        Optional<Long> finishedAt,
        Optional<Long> tasks,
        Optional<Long> succeeded,
        Optional<Long> pending,
        Optional<Long> failed,
        Optional<Long> trials,
        Optional<Long> lost,
        Optional<Long> runMillis,
        Optional<Long> notRecorded,
        Optional<Long> estimateError,
        boolean rewound,
        boolean outputRemoved,
        Optional<String> labels,
        byte[] spec,
        List<Long> times,
        long bytes) {

    static final String COLUMNS =
            "runs.id, runs.keyspace, runs.uid, runs.kind, runs.namespace, runs.namespace_uid, runs.name AS run_name,"
                    + " classes.name AS class_name, runs.pool, runs.parent_run, runs.parent_task, runs.fired_at,"
                    + " runs.source_hash, runs.status, runs.reason, runs.message, runs.created_at, runs.started_at,"
                    + " runs.finished_at, runs.tasks, runs.succeeded_count, runs.pending_count, runs.failed_count, runs.trials,"
                    + " runs.lost, runs.run_ms, runs.not_recorded, runs.eta_error_50, runs.rewound, runs.output_removed,"
                    + " runs.labels, runs.spec, runs.run_ms_histogram, runs.bytes";

    static final String FROM = " FROM runs LEFT JOIN classes ON classes.id = runs.class_id";

    static Run of(ResultSet row) throws SQLException {
        return new Run(
                row.getLong("id"),
                row.getString("keyspace"),
                row.getString("uid"),
                row.getString("kind"),
                row.getString("namespace"),
                Rows.text(row, "namespace_uid").orElse(""),
                row.getString("run_name"),
                Rows.text(row, "class_name"),
                filled(row, "pool"),
                Rows.text(row, "parent_run"),
                Rows.number(row, "parent_task"),
                Rows.number(row, "fired_at"),
                Rows.text(row, "source_hash"),
                Rows.text(row, "status"),
                filled(row, "reason"),
                filled(row, "message"),
                row.getLong("created_at"),
                Rows.number(row, "started_at"),
                Rows.number(row, "finished_at"),
                Rows.number(row, "tasks"),
                Rows.number(row, "succeeded_count"),
                Rows.number(row, "pending_count"),
                Rows.number(row, "failed_count"),
                Rows.number(row, "trials"),
                Rows.number(row, "lost"),
                Rows.number(row, "run_ms"),
                Rows.number(row, "not_recorded"),
                Rows.number(row, "eta_error_50"),
                row.getInt("rewound") != 0,
                row.getInt("output_removed") != 0,
                Rows.text(row, "labels"),
                Rows.bytes(row, "spec"),
                RunTimes.read(Rows.bytes(row, "run_ms_histogram")),
                row.getLong("bytes"));
    }

    private static Optional<String> filled(ResultSet row, String column) throws SQLException {
        return Rows.text(row, column).filter(text -> !text.isEmpty());
    }
}
