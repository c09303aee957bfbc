package dev.quiver.history.web;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import dev.quiver.history.query.Names;
import dev.quiver.history.query.Run;
import dev.quiver.history.query.Trial;
import dev.quiver.history.query.TrialCursor;

/** A whole run as CSV, NDJSON or JUnit XML, a task at a time: memory does not grow with the run. Stateless. */
final class Exports {

    private static final String HEAD =
            "task,name,trial,copy,status,worker,slot,started_at,finished_at,run_ms,exit_code,"
                    + "signal,reason,message,cpu_ms,max_rss_kib,out_bytes\r\n";

    private Exports() {}

    /** Takes the trials of one task. */
    @FunctionalInterface
    interface TaskWriter {

        void task(Optional<String> name, List<Trial> trials) throws IOException;
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

    static void ndjson(Connection connection, Run run, OutputStream out) throws SQLException, IOException {
        Writer to = utf8(out);
        each(connection, run, (name, trials) -> {
            for (Trial trial : trials) {
                to.write(Documents.MAPPER.writeValueAsString(Documents.trial(trial, name)));
                to.write('\n');
            }
        });
        to.flush();
    }
}
