package dev.quiver.history.query;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;

import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.text.PrintableText;

/**
 * The log of a run, the seed's log of a taskset. It tells when the run was accepted, when its first task was given
 * out, and how the run ended. Between these stands each decision about a trial that did not simply pass. All of it
 * follows from the record, so the same log can be made at any time. The sealing stores it; a run that goes on has it
 * made when somebody asks. Stateless.
 */
public final class RunLog {

    /** Decisions that a log has, the first ones; further ones are counted. */
    static final int DECISIONS = 1000;

    /** Characters of a name, a reason or a message. */
    private static final int CHARACTERS = 200;

    /** Bytes of a log: its lines have four such texts of at most four bytes a character, and some words. */
    private static final int MOST_BYTES = (DECISIONS + 4) * (4 * 4 * CHARACTERS + 300);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private static final String DECIDED =
            " FROM trials t WHERE t.run_id = ? AND (t.status <> " + TrialStatus.PASSED.ordinal() + " OR t.trial > 1)";

    private RunLog() {}

    /** The stored log of a sealed run, or the present one. */
    public static byte[] of(Connection connection, Run run) throws SQLException {
        Optional<byte[]> stored = Rows.first(
                connection,
                "SELECT log FROM runs WHERE id = ? AND sealed = 1 AND log IS NOT NULL",
                row -> row.getBytes(1),
                run.id());
        try {
            return stored.isPresent() ? Tails.unpack(stored.get(), MOST_BYTES) : text(connection, run);
        } catch (MalformedEntryException damaged) {
            return text(connection, run);
        }
    }

    /** The log as it is stored. */
    public static byte[] packed(Connection connection, long run) throws SQLException {
        Optional<Run> known =
                Rows.first(connection, "SELECT " + Run.COLUMNS + Run.FROM + " WHERE runs.id = ?", Run::of, run);
        return known.isPresent() ? Tails.pack(text(connection, known.get())) : new byte[0];
    }

    private static byte[] text(Connection connection, Run run) throws SQLException {
        StringBuilder log = new StringBuilder();
        line(log, run.createdAt(), "accepted: " + run.kind() + " " + said(run.name()) + tasks(run));
        run.startedAt().ifPresent(at -> line(log, at, "dispatched: the first task was given out"));
        Names names = new Names(connection, run);
        List<Decision> decisions = Rows.all(
                connection,
                "SELECT t.task, t.trial, t.status, t.finished_at, t.exit_code, t.signal, t.reason, t.message,"
                        + " (SELECT k.over FROM tasks k WHERE k.run_id = t.run_id AND k.task = t.task"
                        + " AND k.trials = t.trial AND k.status = t.status) AS over,"
                        + " (SELECT w.pod FROM workers w WHERE w.id = t.worker_id) AS pod"
                        + DECIDED + " ORDER BY t.finished_at, t.task, t.trial, t.copy LIMIT " + DECISIONS,
                Decision::of,
                run.id());
        for (Decision decision : decisions) {
            line(log, decision.at(), decision.words(names.of(decision.task())));
        }
        if (decisions.size() == DECISIONS) {
            long all = Rows.first(connection, "SELECT COUNT(*)" + DECIDED, row -> row.getLong(1), run.id())
                    .orElse(0L);
            if (all > DECISIONS) {
                log.append("… ").append(all - DECISIONS).append(" more decisions: the trials have them\n");
            }
        }
        run.finishedAt().ifPresent(at -> line(log, at, ended(run)));
        return log.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String tasks(Run run) {
        return run.tasks().map(tasks -> ", " + tasks + " tasks").orElse("");
    }

    private static String ended(Run run) {
        return "finished: " + run.status().map(RunLog::said).orElse("")
                + run.reason().map(reason -> ", " + said(reason)).orElse("")
                + run.message().map(message -> ": " + said(message)).orElse("")
                + run.failed().map(failed -> "; " + failed + " failed").orElse("")
                + run.lost().map(lost -> ", " + lost + " lost").orElse("");
    }

    private static void line(StringBuilder log, long at, String words) {
        log.append(TIME.format(Instant.ofEpochMilli(at)))
                .append(' ')
                .append(words)
                .append('\n');
    }

    private static String said(String text) {
        return PrintableText.line(text, CHARACTERS);
    }

    /**
     * The end of one trial.
     *
     * @param over whether its task ended with it
     */
    private record Decision(
            long task,
            int trial,
            TrialStatus status,
            long at,
            Optional<Long> exitCode,
            Optional<Long> signal,
            Optional<String> reason,
            Optional<String> message,
            boolean over,
            Optional<String> pod) {

        static Decision of(ResultSet row) throws SQLException {
            return new Decision(
                    row.getLong("task"),
                    row.getInt("trial"),
                    TrialStatus.values()[row.getInt("status")],
                    row.getLong("finished_at"),
                    Rows.number(row, "exit_code"),
                    Rows.number(row, "signal"),
                    Rows.text(row, "reason").filter(text -> !text.isEmpty()),
                    Rows.text(row, "message").filter(text -> !text.isEmpty()),
                    row.getInt("over") != 0,
                    Rows.text(row, "pod").filter(text -> !text.isEmpty()));
        }

        String words(Optional<String> name) {
            return "task " + task + name.map(its -> " " + said(its)).orElse("")
                    + ", trial " + trial
                    + pod.map(its -> " on " + said(its)).orElse("")
                    + ": " + status.word()
                    + reason.map(its -> ", " + said(its)).orElse("")
                    + exitCode.map(code -> ", exit code " + code).orElse("")
                    + signal.map(number -> ", signal " + number).orElse("")
                    + message.map(its -> ": " + said(its)).orElse("")
                    + decided();
        }

        private String decided() {
            return switch (status) {
                case PASSED, PENDING, CANCELLED -> "";
                case FAILED, ERROR, TIMEOUT -> over ? "; the task failed" : "; to be tried again";
                case LOST -> over ? "; the task failed" : "; to be run again";
            };
        }
    }
}
