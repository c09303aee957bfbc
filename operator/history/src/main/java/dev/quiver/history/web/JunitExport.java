package dev.quiver.history.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import dev.quiver.history.query.Cases;
import dev.quiver.history.query.Run;
import dev.quiver.history.query.Trial;
import dev.quiver.history.store.Rows;
import dev.quiver.history.store.TrialCopies;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * A run as JUnit XML, in Surefire's words for repeated trials: {@code flakyFailure} where a later trial passed, else
 * {@code failure} and {@code rerunFailure}. Error stands for error, lost and timeout; skipped for pending and cancelled.
 * The cases of its last trial's report that did not pass follow a task, with the task as their class. Stateless.
 */
final class JunitExport {

    private JunitExport() {}

    static void write(Connection connection, Run run, OutputStream out) throws SQLException, IOException {
        Writer to = Exports.utf8(out);
        to.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        to.write("<testsuite name=\"" + Text.xml(run.name()) + "\"");
        Map<String, Long> counts = counts(connection, run);
        long cases = addCases(connection, run, counts);
        attribute(to, "tests", run.tasks().map(tasks -> tasks + cases));
        for (Map.Entry<String, Long> count : counts.entrySet()) {
            attribute(to, count.getKey(), Optional.of(count.getValue()));
        }
        to.write(" time=\"" + seconds(run.runMillis().orElse(0L)) + "\"");
        to.write(" timestamp=\"" + Documents.time(run.startedAt().orElse(run.createdAt())) + "\">\n");
        Exports.each(connection, run, (name, trials) -> {
            testcase(to, run, name, trials);
            Trial last = last(trials);
            if (last.failed().orElse(0L) + last.pending().orElse(0L) > 0) {
                String called = called(name, last);
                for (Cases.Case each : Cases.of(connection, run.id(), last)) {
                    testcase(to, called, each);
                }
            }
        });
        to.write("</testsuite>\n");
        to.flush();
    }

    /** The trial that decided a task, or is its last one: not one that another worker was quicker than. */
    private static Trial last(List<Trial> trials) {
        return trials.reversed().stream()
                .filter(trial -> !trial.isSuperseded())
                .findFirst()
                .orElseGet(trials::getLast);
    }

    /** As the elements of the test cases are, by the last trial of each. */
    private static Map<String, Long> counts(Connection connection, Run run) throws SQLException {
        Map<String, Long> counts = new LinkedHashMap<>();
        List.of("failures", "errors", "skipped").forEach(name -> counts.put(name, 0L));
        Rows.all(
                connection,
                "SELECT status, COUNT(*) FROM tasks WHERE run_id = ? AND status <> 0 GROUP BY status",
                row -> counts.merge(element(TrialStatus.values()[row.getInt(1)]), row.getLong(2), Long::sum),
                run.id());
        return counts;
    }

    /** Adds the cases that follow tasks; returns how many they are. */
    private static long addCases(Connection connection, Run run, Map<String, Long> counts) throws SQLException {
        return Rows.all(
                        connection,
                        "SELECT c.status, COUNT(*) FROM cases c JOIN tasks t ON t.run_id = c.run_id AND t.task = c.task"
                                + " AND t.trials = c.trial WHERE c.run_id = ? AND c.n / " + TrialCopies.CASES
                                + " = (SELECT d.copy FROM trials d WHERE d.run_id = c.run_id AND d.task = c.task"
                                + " AND d.trial = c.trial AND d.copy < " + TrialCopies.FIRST_LOSS
                                + " ORDER BY d.finished_at DESC, d.copy DESC LIMIT 1) GROUP BY c.status",
                        row -> {
                            long n = row.getLong(2);
                            counts.merge(element(TrialStatus.values()[row.getInt(1)]), n, Long::sum);
                            return n;
                        },
                        run.id())
                .stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static void testcase(Writer to, String task, Cases.Case each) throws IOException {
        to.write("<testcase name=\"" + Text.xml(each.name()) + "\" classname=\"" + Text.xml(task) + "\" time=\""
                + seconds(each.runMillis()) + "\">");
        String element = switch (each.status()) {
            case PENDING -> "skipped";
            case ERROR -> "error";
            default -> "failure";
        };
        to.write("<" + element + " message=\"" + Text.xml(each.message()) + "\"/></testcase>\n");
    }

    private static String called(Optional<String> name, Trial trial) {
        return name.orElseGet(() -> Long.toString(trial.task()));
    }

    private static String element(TrialStatus status) {
        return switch (status) {
            case FAILED -> "failures";
            case PENDING, CANCELLED -> "skipped";
            default -> "errors";
        };
    }

    private static void attribute(Writer to, String name, Optional<Long> value) throws IOException {
        if (value.isPresent()) {
            to.write(" " + name + "=\"" + value.get() + "\"");
        }
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%d.%03d", millis / 1000, millis % 1000);
    }

    private static void testcase(Writer to, Run run, Optional<String> name, List<Trial> trials) throws IOException {
        Trial last = last(trials);
        boolean passed = trials.stream().anyMatch(Trial::isPass);
        String called = called(name, last);
        to.write("<testcase name=\"" + Text.xml(called) + "\" classname=\"" + Text.xml(run.name()) + "\" time=\""
                + seconds(last.runMillis()) + "\"");
        if (trials.size() == 1 && passed && last.stdout().length + last.stderr().length == 0) {
            to.write("/>\n");
            return;
        }
        to.write(">\n");
        boolean first = true;
        for (Trial trial : trials) {
            if (skipped(trial)) {
                to.write(passed || trial != last ? "" : "<skipped/>\n");
            } else if (!trial.isPass()) {
                failure(to, trial, passed, first);
                first = false;
            }
        }
        outputs(to, last);
        to.write("</testcase>\n");
    }

    private static boolean skipped(Trial trial) {
        return trial.status() == TrialStatus.PENDING || trial.status() == TrialStatus.CANCELLED;
    }

    private static void failure(Writer to, Trial trial, boolean passed, boolean first) throws IOException {
        String kind = trial.status() == TrialStatus.FAILED ? "ailure" : "rror";
        String word = (passed ? "flaky" : first ? "" : "rerun");
        String initial = kind.equals("ailure") ? "f" : "e";
        String element = word + (word.isEmpty() ? initial : initial.toUpperCase(Locale.ROOT)) + kind;
        String message = trial.message().orElse("");
        to.write("<" + element + " type=\""
                + Text.xml(trial.reason().orElse(trial.status().word())) + "\" message=\"" + Text.xml(message) + "\">");
        if (word.isEmpty()) {
            to.write(Text.xml(message));
        } else {
            to.write("<stackTrace>" + Text.xml(message) + "</stackTrace>");
            outputs(to, trial);
        }
        to.write("</" + element + ">\n");
    }

    private static void outputs(Writer to, Trial trial) throws IOException {
        if (trial.stdout().length > 0) {
            to.write("<system-out>" + Text.xml(Text.tail(trial.stdout())) + "</system-out>\n");
        }
        if (trial.stderr().length > 0) {
            to.write("<system-err>" + Text.xml(Text.tail(trial.stderr())) + "</system-err>\n");
        }
    }
}
