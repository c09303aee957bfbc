package dev.quiver.history.web;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.history.query.ClassTests;
import dev.quiver.history.query.Runs;
import dev.quiver.history.store.ClassEstimates;
import dev.quiver.history.store.ClassScope;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.EstimateError;
import dev.quiver.lifecycle.history.TestTimes;

/**
 * Answers about classes of runs, and what they remember of their tests. Thread-safe.
 *
 * @param database of the record
 * @param question as every answer is asked
 * @param gate who may read what
 */
record ClassAnswers(Database database, PoolTimeline.Question question, Gate gate) {

    /** Header with the usual error of a class' runs, as a share of the estimate. */
    private static final String USUAL_ERROR = "Quiver-Usual-Error";

    Response tests(Request request) throws SQLException {
        ClassTests.Order order = ClassTests.Order.of(request.parameter("order").orElse("slowest"));
        ClassScope scope = scope(request, checkClass(request));
        return question.ask(
                request,
                connection -> Response.json(Documents.list(
                        ClassTests.list(connection, scope, request.named("class"), order, request.limit()),
                        Documents::test)));
    }

    Response estimates(Request request) throws SQLException {
        ClassScope scope = scope(request, checkClass(request));
        String name = request.named("class");
        request.flight().expects(TestTimes.MOST_BYTES);
        try (Shares.Held _ = request.flight().works(ClassEstimates.WORK_BYTES)) {
            return question.ask(
                    request,
                    connection -> new Response.Bytes(
                            "application/octet-stream",
                            ClassEstimates.of(connection, scope, name),
                            EstimateError.usual(connection, scope, name)
                                    .map(share -> Map.of(USUAL_ERROR, share.toString()))
                                    .orElse(Map.of())));
        }
    }

    /** A class of the living namespace. A class whose runs the caller may not all list is answered as one that is not there. */
    private Runs.Shown checkClass(Request request) throws SQLException {
        Runs.Shown listed = gate.listed(request.caller(), request.named("namespace"));
        ClassScope scope = scope(request, listed);
        List<String> kinds = database.ask(connection -> ClassTests.kinds(connection, scope, request.named("class")));
        if (kinds.isEmpty()
                || listed.kinds().filter(some -> !some.containsAll(kinds)).isPresent()) {
            throw Problem.notFound("class");
        }
        return new Runs.Shown(listed.kinds(), listed.living(), List.of());
    }

    private static ClassScope scope(Request request, Runs.Shown shown) {
        return new ClassScope(request.named("namespace"), shown.living().orElseThrow(() -> Problem.notFound("class")));
    }

    Response testRuns(Request request) throws SQLException {
        Runs.Filter filter = new Runs.Filter(
                checkClass(request),
                Optional.empty(),
                Optional.of(request.named("class")),
                Optional.empty(),
                Optional.empty(),
                false);
        List<ClassTests.TestRun> found = database.ask(connection -> ClassTests.runs(
                connection,
                Runs.list(connection, request.named("namespace"), filter, ClassTests.RUNS, Optional.empty())
                        .items(),
                request.named("test")));
        if (found.isEmpty()) {
            throw Problem.notFound("test");
        }
        return Response.json(Documents.list(found, Documents::testRun));
    }
}
