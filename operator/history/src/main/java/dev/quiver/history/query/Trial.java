package dev.quiver.history.query;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

import dev.quiver.history.store.Pass;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * A trial: one that has a row, or a first-time pass, of which only task, worker, slot and times are known.
 *
 * @param copy 0; 1 for a second holder; from 16 on a loss
 * @param stdout deflated tail, empty where none is kept
 * @param resultBytes bytes of a result that was too large for its row
 * @param pack where the result is, that was too large for its row
 * @param allStdout where all of stdout is
 * @param allStderr the same of stderr
 * @param packsRefused why a pack of the run found no room
 */
public record Trial(
        long task,
        int trial,
        int copy,
        TrialStatus status,
        long worker,
        int slot,
        long startedAt,
        long finishedAt,
        long runMillis,
        Optional<Long> exitCode,
        Optional<Long> signal,
        Optional<String> reason,
        Optional<String> message,
        Optional<Long> passed,
        Optional<Long> pending,
        Optional<Long> failed,
        Optional<Long> cpuMillis,
        Optional<Long> maxRssKib,
        Optional<Long> outputBytes,
        boolean outputCut,
        byte[] stdout,
        byte[] stderr,
        Optional<ResultFormat> resultFormat,
        byte[] result,
        Optional<Long> resultBytes,
        Optional<Pack> pack,
        Optional<Pack> allStdout,
        Optional<Pack> allStderr,
        Optional<String> packsRefused) {

    private static final byte[] NONE = {};

    /** Columns of a trial, and whether its packs are stored. */
    static final String COLUMNS =
            "trials.*, " + stored("pack") + ", " + stored("stdout_pack") + ", " + stored("stderr_pack")
                    + ", (SELECT packs_refused FROM runs WHERE runs.id = trials.run_id) AS packs_refused";

    /** The place of a result or of output, and whether the pack has come that comes last. */
    public record Pack(PackPlace place, boolean stored) {}

    private static String stored(String column) {
        return "CASE WHEN trials." + column + " IS NULL THEN 0 ELSE (SELECT COUNT(*) FROM packs JOIN runs"
                + " ON runs.id = packs.run_id WHERE packs.id = runs.keyspace || trials." + column
                + " AND runs.id = trials.run_id) END AS " + column + "_stored";
    }

    private static Optional<Pack> pack(ResultSet row, String column, String at, String length) throws SQLException {
        Optional<String> id = Rows.text(row, column);
        return id.isPresent()
                ? Optional.of(new Pack(
                        new PackPlace(id.get(), row.getLong(at), row.getLong(length)),
                        row.getInt(column + "_stored") > 0))
                : Optional.empty();
    }

    static Trial of(ResultSet row) throws SQLException {
        return new Trial(
                row.getLong("task"),
                row.getInt("trial"),
                row.getInt("copy"),
                TrialStatus.values()[row.getInt("status")],
                row.getLong("worker_id"),
                row.getInt("slot"),
                row.getLong("started_at"),
                row.getLong("finished_at"),
                row.getLong("run_ms"),
                Rows.number(row, "exit_code"),
                Rows.number(row, "signal"),
                Rows.text(row, "reason"),
                Rows.text(row, "message"),
                Rows.number(row, "passed"),
                Rows.number(row, "pending"),
                Rows.number(row, "failed"),
                Rows.number(row, "cpu_ms"),
                Rows.number(row, "max_rss_kib"),
                Rows.number(row, "out_bytes"),
                row.getInt("output_cut") != 0,
                Rows.bytes(row, "stdout"),
                Rows.bytes(row, "stderr"),
                Rows.number(row, "result_format").map(format -> ResultFormat.values()[format.intValue()]),
                Rows.bytes(row, "result"),
                Rows.number(row, "result_bytes"),
                pack(row, "pack", "pack_at", "pack_len"),
                pack(row, "stdout_pack", "stdout_at", "stdout_len"),
                pack(row, "stderr_pack", "stderr_at", "stderr_len"),
                Rows.text(row, "packs_refused"));
    }

    static Trial of(Pass pass) {
        return new Trial(
                pass.task(),
                1,
                0,
                TrialStatus.PASSED,
                pass.worker(),
                pass.slot(),
                pass.finishedAt() - pass.runMillis(),
                pass.finishedAt(),
                pass.runMillis(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                NONE,
                NONE,
                Optional.empty(),
                NONE,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** Whether it counted nothing, since another worker finished its task first. */
    public boolean isSuperseded() {
        return status == TrialStatus.CANCELLED
                && reason.filter(TrialRow.SUPERSEDED::equals).isPresent();
    }

    /** Whether it is a trial that passed. */
    public boolean isPass() {
        return status == TrialStatus.PASSED;
    }
}
