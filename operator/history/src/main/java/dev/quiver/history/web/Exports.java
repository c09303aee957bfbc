package dev.quiver.history.web;

import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.query.Names;
import dev.quiver.history.query.Run;
import dev.quiver.history.query.Trial;
import dev.quiver.history.query.TrialCursor;
import dev.quiver.history.store.Packs;
import dev.quiver.history.store.Rows;
import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.ResultFormat;

/** A whole run as CSV, NDJSON or JUnit XML, a task at a time: memory does not grow with the run. Stateless. */
final class Exports {

    private static final String HEAD =
            "task,name,trial,copy,status,worker,slot,started_at,finished_at,run_ms,exit_code,"
                    + "signal,reason,message,cpu_ms,max_rss_kib,out_bytes\r\n";

    private static final Logger LOG = LoggerFactory.getLogger(Exports.class);
    private static final int FETCHED = 200;

    /** Characters of a task's name in the name of a file. */
    private static final int MOST_NAME = 100;

    private Exports() {}

    /** Takes the trials of one task. */
    @FunctionalInterface
    interface TaskWriter {

        void task(Optional<String> name, List<Trial> trials) throws SQLException, IOException;
    }

    static void each(Connection connection, Run run, TaskWriter writer) throws SQLException, IOException {
        Names names = new Names(connection, run);
        try (TrialCursor cursor = new TrialCursor(connection, run.id(), 0)) {
            Optional<List<Trial>> trials = cursor.next();
            while (trials.isPresent()) {
                writer.task(names.of(trials.get().getFirst().task()), trials.get());
                trials = cursor.next();
            }
        }
    }

    static Writer utf8(OutputStream out) {
        return new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 1 << 16);
    }

    static void csv(Connection connection, Run run, OutputStream out) throws SQLException, IOException {
        Writer to = utf8(out);
        to.write(HEAD);
        each(connection, run, (name, trials) -> {
            for (Trial trial : trials) {
                to.write(row(name, trial));
            }
        });
        to.flush();
    }

    private static String row(Optional<String> name, Trial trial) {
        return trial.task() + "," + name.map(Text::csv).orElse("") + "," + trial.trial() + "," + trial.copy() + ","
                + trial.status().word() + "," + trial.worker() + "," + trial.slot() + ","
                + Documents.time(trial.startedAt()) + "," + Documents.time(trial.finishedAt()) + ","
                + trial.runMillis() + "," + number(trial.exitCode()) + "," + number(trial.signal()) + ","
                + trial.reason().map(Text::csv).orElse("") + ","
                + trial.message().map(Text::csv).orElse("") + "," + number(trial.cpuMillis()) + ","
                + number(trial.maxRssKib()) + "," + number(trial.outputBytes()) + "\r\n";
    }

    private static String number(Optional<Long> number) {
        return number.map(Object::toString).orElse("");
    }

    /**
     * Results as files: {@code <task>-<trial>-<name>.json}, of a second holder or a loss with its copy before the name. A
     * pack that has not come, or cannot be read, is left out.
     */
    static void results(Connection connection, Run run, OutputStream out) throws SQLException, IOException {
        OutputStream to = new BufferedOutputStream(out, 1 << 16);
        Names names = new Names(connection, run);
        try (ZipWriter zip = new ZipWriter(to)) {
            try (PreparedStatement question = connection.prepareStatement(
                    "SELECT task, trial, copy, result, result_format, pack, pack_at FROM trials"
                            + " WHERE run_id = ? AND (pack IS NOT NULL OR result_format IS NOT NULL AND result IS NOT NULL)"
                            + " ORDER BY task, trial, copy")) {
                Rows.bind(question, run.id());
                question.setFetchSize(FETCHED);
                try (ResultSet rows = question.executeQuery()) {
                    while (rows.next()) {
                        add(zip, connection, run, names, rows);
                    }
                }
            }
            zip.finish();
        }
        to.flush();
    }

    private static void add(ZipWriter zip, Connection connection, Run run, Names names, ResultSet row)
            throws SQLException, IOException {
        int copy = row.getInt("copy");
        String name = row.getLong("task") + "-" + row.getInt("trial") + (copy == 0 ? "" : "-" + copy)
                + names.of(row.getLong("task")).map(its -> "-" + fileName(its)).orElse("");
        Optional<String> pack = Rows.text(row, "pack");
        if (pack.isEmpty()) {
            ResultFormat format = ResultFormat.values()[row.getInt("result_format")];
            zip.add(name + ending(format), row.getBytes("result"));
            return;
        }
        Optional<PackBody.Member> member = Packs.member(connection, run.id(), pack.get(), row.getLong("pack_at"));
        if (member.isPresent()) {
            try {
                zip.add(name + ending(member.get().format()), member.get().bytes());
            } catch (MalformedEntryException forged) {
                LOG.debug("a result of run {} cannot be read: {}", run.uid(), forged.getMessage());
            }
        }
    }

    /** A name of a tenant as part of a file's name: it leads to no other folder, and no system refuses it. */
    private static String fileName(String name) {
        String part = name.substring(0, Math.min(name.length(), MOST_NAME));
        return part.replaceAll("[^\\p{L}\\p{N}._-]+", "_");
    }

    private static String ending(ResultFormat format) {
        return switch (format) {
            case JSON -> ".json";
            case ARROW -> ".arrow";
            default -> ".bin";
        };
    }

    static void ndjson(Connection connection, Run run, OutputStream out) throws SQLException, IOException {
        Writer to = utf8(out);
        each(connection, run, (name, trials) -> {
            for (Trial trial : trials) {
                to.write(Text.json(Documents.MAPPER.writeValueAsString(Documents.trial(trial, name))));
                to.write('\n');
            }
        });
        to.flush();
    }
}
