package dev.quiver.history.web;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

import dev.quiver.history.query.Run;
import dev.quiver.history.query.RunParts;
import dev.quiver.history.query.Runs;
import dev.quiver.history.query.Timeline;
import dev.quiver.history.store.Database;

/** Answers the timeline of a pool. Stateless. */
final class PoolTimeline {

    private static final long VIEW_MILLIS = 3_600_000;
    private static final int RUNS = 256;
    private static final long TRIALS = 4_000_000;

    private PoolTimeline() {}

    /** Asks the database for an answer, which counts as one that is in memory. */
    @FunctionalInterface
    interface Question {

        Response ask(Request request, Database.Work<Response> work) throws SQLException;
    }

    /** The last hour without a view. Runs that are too many, or too large together, are left out: the earliest first. */
    static Response of(Question question, Gate gate, Request request) throws SQLException {
        String namespace = request.named("namespace");
        String pool = request.named("pool");
        Runs.Shown shown = gate.readable(request.caller(), namespace);
        OptionalLong to = OptionalLong.of(
                Api.instant(request, "to").orElse(Clock.systemUTC().millis()));
        OptionalLong from =
                OptionalLong.of(Api.instant(request, "from").orElse(Math.max(0, to.getAsLong() - VIEW_MILLIS)));
        Api.checkOrder(from, to);
        int columns = Api.columns(request);
        request.flight().expects(Timeline.MOST_BYTES);
        try (Shares.Held _ = request.flight().works(Timeline.WORK_BYTES)) {
            return question.ask(request, connection -> of(connection, namespace, pool, shown, from, to, columns));
        }
    }

    private static Response of(
            Connection connection,
            String namespace,
            String pool,
            Runs.Shown shown,
            OptionalLong from,
            OptionalLong to,
            int columns)
            throws SQLException {
        List<Run> found = Runs.ofPool(connection, namespace, shown, pool, from.getAsLong(), to.getAsLong(), RUNS + 1);
        List<Run> taken = new ArrayList<>();
        long trials = 0;
        for (Run run : found) {
            trials += run.trials().or(run::tasks).orElse(0L);
            if (taken.size() == RUNS || !taken.isEmpty() && trials > TRIALS) {
                break;
            }
            taken.add(run);
        }
        Timeline.OfPool timeline =
                Timeline.ofPool(connection, taken.stream().map(Run::id).toList(), pool, from, to, columns);
        byte[] names = Documents.poolNames(
                        taken, taken.size() < found.size(), RunParts.named(connection, timeline.workers()))
                .toString()
                .getBytes(StandardCharsets.UTF_8);
        byte[] bytes = timeline.columns();
        byte[] all = Arrays.copyOf(bytes, bytes.length + names.length);
        System.arraycopy(names, 0, all, bytes.length, names.length);
        return new Response.Bytes("application/octet-stream", all);
    }
}
