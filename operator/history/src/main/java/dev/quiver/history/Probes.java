package dev.quiver.history;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import dev.quiver.history.persist.PersisterStatus;
import dev.quiver.http.Answer;
import dev.quiver.http.HttpEndpoint;

/** Probes and metrics, which need no token: they tell nothing of a namespace. Stateless. */
final class Probes {

    private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";
    private static final double MILLIS = 1000.0;

    private Probes() {}

    /**
     * Listens on all addresses until it is closed.
     *
     * @param port 0 takes a free one
     * @param status of the persister
     * @param notice words about the file of the record; it is ready all the same
     * @param emptyDir whether the record ends with the pod
     * @throws IOException if the port cannot be bound
     */
    static HttpEndpoint listen(
            int port,
            Supplier<PersisterStatus> status,
            Supplier<Optional<String>> notice,
            boolean emptyDir,
            Clock clock)
            throws IOException {
        return HttpEndpoint.listen(
                new InetSocketAddress(port),
                Map.of(
                        "/live", () -> Answer.yes("the program runs"),
                        "/ready", () -> ready(status.get(), notice.get(), emptyDir),
                        "/metrics", () -> new Answer(200, METRICS, metrics(status.get(), clock.millis()))));
    }

    static Answer ready(PersisterStatus status, Optional<String> notice, boolean emptyDir) {
        String words = status.database().orElse("the database takes what comes");
        String short_ = emptyDir ? "; the volume is an emptyDir: the history ends with this pod" : "";
        return Answer.of(status.ready(), words + notice.map(text -> "; " + text).orElse("") + short_);
    }

    static String metrics(PersisterStatus status, long now) {
        StringBuilder text = new StringBuilder();
        metric(text, "entries_total", "counter", "Entries read from streams and committed.", status.entries());
        metric(text, "unread_entries_total", "counter", "Entries that nobody could read.", status.unread());
        metric(
                text,
                "not_recorded_total",
                "counter",
                "Trials without a record, of runs that have ended.",
                status.notRecorded());
        metric(text, "rows_total", "counter", "Rows written to the database.", status.rows());
        metric(text, "keyspaces_behind", "gauge", "Keyspaces whose streams had more than was read.", status.behind());
        metric(
                text,
                "keyspaces_in_trouble",
                "gauge",
                "Keyspaces that are not read.",
                status.keyspaces().size());
        metric(text, "database_up", "gauge", "1 while the database takes entries.", status.ready() ? 1 : 0);
        double age = status.committedAt() == 0 ? 0 : Math.max(0, now - status.committedAt()) / MILLIS;
        metric(text, "last_commit_age_seconds", "gauge", "Since the last commit; 0 before the first.", age);
        return text.toString();
    }

    private static void metric(StringBuilder to, String name, String type, String help, double value) {
        String full = "quiver_history_" + name;
        to.append("# HELP ").append(full).append(' ').append(help).append('\n');
        to.append("# TYPE ").append(full).append(' ').append(type).append('\n');
        to.append(full).append(' ').append(value == Math.rint(value) ? Long.toString((long) value) : "" + value);
        to.append('\n');
    }
}
