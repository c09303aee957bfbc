package dev.quiver.history.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.history.access.Access;
import dev.quiver.history.live.LiveRoster;
import dev.quiver.history.query.Cases;
import dev.quiver.history.query.Comparison;
import dev.quiver.history.query.FailureGroups;
import dev.quiver.history.query.Names;
import dev.quiver.history.query.Page;
import dev.quiver.history.query.PageToken;
import dev.quiver.history.query.Run;
import dev.quiver.history.query.RunLog;
import dev.quiver.history.query.RunParts;
import dev.quiver.history.query.Runs;
import dev.quiver.history.query.TaskState;
import dev.quiver.history.query.Tasks;
import dev.quiver.history.query.Timeline;
import dev.quiver.history.query.Trial;
import dev.quiver.history.query.Trials;
import dev.quiver.history.query.Unpassed;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.EstimateError;
import dev.quiver.history.store.RunRemoval;
import dev.quiver.lifecycle.history.TrialStatus;

/** The routes of the API, and what each answers. openapi.json describes them. Thread-safe. */
final class Api {

    private static final String RUNS = "/v1/namespaces/{namespace}/runs";
    private static final String RUN = RUNS + "/{run}";
    private static final String TRIAL = RUN + "/tasks/{task}/trials/{trial}";
    private static final String CLASS = "/v1/namespaces/{namespace}/classes/{class}";
    private static final String TESTS = CLASS + "/tests";

    private static final long DEFAULT_COLUMNS = 1024;

    /** Bytes of memory of an answer for which a whole run is looked through. */
    private static final long SCAN_BYTES = 16 << 20;

    /** Bytes of a usual page, before it is made. */
    private static final long PAGE_BYTES = 1 << 20;

    /** Bytes of a bit for each task of the largest run, and as many to make them from. */
    private static final long UNPASSED_BYTES = Unpassed.MOST_TASKS / 4;

    /** Milliseconds since 1970; numbers up to there are exact in a browser. */
    private static final long LAST_INSTANT = 999_999_999_999_999L;

    /** Ids of workers are fewer. */
    private static final long MOST_ID = 999_999_999_999_999L;

    private final Database database;
    private final RunRemoval removal;
    private final RunEvents events;
    private final SlowCallers callers;
    private final Gate gate;
    private final Outputs outputs;
    private final ClassAnswers classes;
    private final Estimates estimates = new Estimates();
    private final Supplier<About> about;

    /**
     * Over that database.
     *
     * @param events of its runs
     * @param callers who take exports
     * @param access who may read what
     * @param about the whole record
     */
    Api(Database database, RunEvents events, SlowCallers callers, Access access, Supplier<About> about) {
        this.database = database;
        this.removal = new RunRemoval(database);
        this.events = events;
        this.outputs = new Outputs(database);
        this.callers = callers;
        this.gate = new Gate(access);
        this.classes = new ClassAnswers(database, this::ask, gate);
        this.about = about;
    }

    Router router() {
        return new Router()
                .get("/v1/about", request -> Response.json(about.get().document()))
                .get("/v1/namespaces", request -> OpenNamespaces.of(database, gate, request.caller()))
                .open("/v1/openapi.json", request -> new Response.Bytes("application/json", openApi()))
                .get(RUNS, this::runs, "kind", "class", "status", "name", "live", "limit", "continue")
                .get(RUN, this::wholeRun)
                .delete(
                        RUN,
                        removal(run -> removal.forget(run, Clock.systemUTC().millis())))
                .delete(RUN + "/output", removal(removal::removeOutput))
                .get(RUN + "/nodes", this::nodes, "parent", "limit", "continue")
                .get(RUN + "/tasks", this::tasks, "status", "q", "order", "limit", "continue")
                .get(RUN + "/tasks/{task}/trials", run(Api::trials))
                .get(TRIAL, trial(false, (trial, name) -> Response.json(Documents.trial(trial, name))), "copy")
                .get(TRIAL + "/stdout", stream(Trial::stdout, Trial::allStdout), "copy", "full")
                .get(TRIAL + "/stderr", stream(Trial::stderr, Trial::allStderr), "copy", "full")
                .get(
                        TRIAL + "/result",
                        run(
                                true,
                                (connection, run, request) -> Outputs.result(
                                        connection, run, trial(connection, run, request), request.flag("full"))),
                        "copy",
                        "full")
                .get(TRIAL + "/cases", run(Api::cases), "copy")
                .get(RUN + "/failures", built(SCAN_BYTES, PAGE_BYTES, Api::failures), "group")
                .get(RUN + "/workers", run(Api::workers), "limit", "continue")
                .get(RUN + "/workers/{worker}/log", run(true, Api::log))
                .get(RUN + "/log", built(SCAN_BYTES, PAGE_BYTES, Api::runLog))
                .get(RUN + "/roster", this::roster, "limit", "continue")
                .get(RUN + "/slaves", run(Api::slaves), "limit", "continue")
                .get(RUN + "/compare", this::compare, "with", "what", "limit", "continue")
                .get(
                        RUN + "/timeline",
                        built(Timeline.WORK_BYTES, Timeline.MOST_BYTES, Api::timeline),
                        "from",
                        "to",
                        "since",
                        "worker",
                        "px")
                .get(RUN + "/estimate", built(SCAN_BYTES, Flight.LEAST, this::estimate))
                .get(RUN + "/unpassed", built(UNPASSED_BYTES, UNPASSED_BYTES, Api::unpassed))
                .get(RUN + "/events", this::events)
                .get(CLASS + "/estimates", classes::estimates)
                .get(TESTS, classes::tests, "order", "limit")
                .get(TESTS + "/{test}", classes::testRuns)
                .get(
                        "/v1/namespaces/{namespace}/pools/{pool}/timeline",
                        request -> PoolTimeline.of(this::ask, gate, request),
                        "from",
                        "to",
                        "px")
                .get(RUN + "/junit.xml", export("application/xml", JunitExport::write))
                .get(RUN + "/trials.csv", export("text/csv; charset=utf-8; header=present", Exports::csv))
                .get(RUN + "/trials.ndjson", export("application/x-ndjson", Exports::ndjson))
                .get(RUN + "/results.zip", export("application/zip", Exports::results));
    }

    /** Answers of one run. */
    @FunctionalInterface
    private interface RunAnswer {

        Response answer(Connection connection, Run run, Request request) throws SQLException;
    }

    /** Answers of one trial. */
    @FunctionalInterface
    private interface TrialAnswer {

        Response answer(Trial trial, Optional<String> name);
    }

    /** Writes a run. */
    @FunctionalInterface
    private interface Export {

        void write(Connection connection, Run run, OutputStream out) throws SQLException, IOException;
    }

    /** Removes a run, or a part of it. */
    @FunctionalInterface
    private interface Removal {

        void remove(long run) throws SQLException;
    }

    private Router.Handler run(RunAnswer answer) {
        return run(false, answer);
    }

    /** Answers of one run that are built in memory: so many bytes of it, and an answer of so many at most. */
    private Router.Handler built(long work, long most, RunAnswer answer) {
        return request -> {
            Run run = readable(request, request.named("run"));
            request.flight().expects(most);
            try (Shares.Held _ = request.flight().works(work)) {
                return ask(request, connection -> answer.answer(connection, still(connection, run), request));
            }
        };
    }

    /** Asks, and counts the answer before the next one is made on this thread of the database. */
    private Response ask(Request request, Database.Work<Response> work) throws SQLException {
        return database.ask(connection -> {
            Response response = work.with(connection);
            request.flight().answers(response.bytes());
            return response;
        });
    }

    /** Answers of a run that the caller may read; of its output, too, where they have some. */
    private Router.Handler run(boolean output, RunAnswer answer) {
        return request -> {
            Run run = readable(request, request.named("run"));
            if (output) {
                gate.checkOutput(request.caller(), run);
            }
            return ask(request, connection -> answer.answer(connection, still(connection, run), request));
        };
    }

    /** The latest of that name that the caller may read: nobody waits for the API server with a connection in hand. */
    private Run readable(Request request, String nameOrUid) throws SQLException {
        String namespace = request.named("namespace");
        Optional<String> living = gate.living(namespace);
        for (Run run : database.ask(connection -> Runs.find(connection, namespace, living, nameOrUid))) {
            if (gate.sees(request.caller(), run)) {
                return run;
            }
        }
        throw gate.hidden(request.caller(), namespace);
    }

    /** As it is in this transaction; it may have been removed meanwhile. */
    private static Run still(Connection connection, Run run) throws SQLException {
        return Runs.of(connection, run.id()).orElseThrow(() -> Problem.notFound("run"));
    }

    /** Answers once nothing is left: a removal that breaks off is taken up by the next sweep. */
    private Router.Handler removal(Removal removal) {
        return request -> {
            String namespace = request.named("namespace");
            Optional<String> living = gate.living(namespace);
            List<Run> found =
                    database.ask(connection -> Runs.find(connection, namespace, living, request.named("run")));
            removal.remove(gate.removable(request.caller(), namespace, found).id());
            return Response.json(Documents.success());
        };
    }

    private Router.Handler trial(boolean output, TrialAnswer answer) {
        return run(output, (connection, run, request) -> {
            Trial trial = trial(connection, run, request);
            return answer.answer(trial, new Names(connection, run).of(trial.task()));
        });
    }

    private static Trial trial(Connection connection, Run run, Request request) throws SQLException {
        Optional<Integer> copy = request.numberParameter("copy", 0, 1 << 16).map(Long::intValue);
        int number = (int) Math.min(Integer.MAX_VALUE, request.number("trial"));
        return Trials.of(connection, run.id(), request.number("task"), number, copy)
                .orElseThrow(() -> Problem.notFound("trial"));
    }

    private static Response cases(Connection connection, Run run, Request request) throws SQLException {
        Trial trial = trial(connection, run, request);
        return Response.json(Documents.list(Cases.of(connection, run.id(), trial), Documents::reportedCase));
    }

    private Router.Handler export(String mediaType, Export export) {
        return request -> {
            Run run = readable(request, request.named("run"));
            gate.checkOutput(request.caller(), run);
            request.flight().exports();
            return new Response.Stream(
                    mediaType, out -> database.threads().exporting().call(() -> exported(export, run, out)));
        };
    }

    /** Its caller is watched on the thread that writes. */
    private Void exported(Export export, Run run, OutputStream out) throws SQLException, IOException {
        try (Connection connection = database.reader();
                SlowCallers.Watched watched = callers.watch(out)) {
            try {
                export.write(connection, run, watched);
            } finally {
                connection.rollback();
            }
        }
        return null;
    }

    /** Redis is asked without a connection of the database in hand. */
    private Response wholeRun(Request request) throws SQLException {
        Run run = readable(request, request.named("run"));
        ObjectNode document = Documents.wholeRun(run);
        events.live(run).ifPresent(figures -> document.set("live", figures));
        return Response.json(document);
    }

    /** Redis is asked without a connection of the database in hand, and names are looked up behind it. */
    private Response roster(Request request) throws SQLException {
        Run run = readable(request, request.named("run"));
        LiveRoster.Place from = PageToken.read(request.token(), 2)
                .map(key -> new LiveRoster.Place(Math.clamp(key[0], 0, Integer.MAX_VALUE), key[1]))
                .orElse(LiveRoster.Place.FIRST);
        LiveRoster roster = events.roster(run, from, Math.min(request.limit(), LiveRoster.MOST))
                .orElseThrow(() -> new Problem(503, "ServiceUnavailable", "Redis does not answer"));
        Map<Long, String> names = database.ask(connection -> names(connection, run, roster));
        ObjectNode body = Documents.page(
                new Page<>(roster.workers(), roster.next().map(place -> PageToken.of(place.source(), place.after()))),
                worker -> Documents.rosterWorker(worker, names));
        roster.at().ifPresent(at -> body.put("at", Documents.time(at)));
        return Response.json(body);
    }

    private static Map<Long, String> names(Connection connection, Run run, LiveRoster roster) throws SQLException {
        Names names = new Names(connection, run);
        Map<Long, String> found = new TreeMap<>();
        for (LiveRoster.Worker worker : roster.workers()) {
            for (LiveRoster.Held held : worker.held()) {
                found.put(held.task(), "");
            }
        }
        for (Map.Entry<Long, String> task : found.entrySet()) {
            task.setValue(names.of(task.getKey()).orElse(null));
        }
        return found;
    }

    private Response events(Request request) throws SQLException {
        Run run = readable(request, request.named("run"));
        request.flight().views(request.caller().user());
        return new Response.Stream("text/event-stream", out -> {
            try (SlowCallers.Watched watched = callers.watch(out)) {
                events.stream(run, request.lastEventId(), () -> seesStill(request, run), watched);
            }
        });
    }

    private boolean seesStill(Request request, Run run) {
        try {
            return gate.sees(request.again().get(), run);
        } catch (Problem e) {
            return false;
        }
    }

    static byte[] openApi() {
        try (InputStream document = Api.class.getResourceAsStream("openapi.json")) {
            return document.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Response runs(Request request) throws SQLException {
        Runs.Filter filter = new Runs.Filter(
                gate.listed(request.caller(), request.named("namespace")),
                request.parameter("kind"),
                request.parameter("class"),
                request.parameter("status"),
                request.parameter("name"),
                request.flag("live"));
        return ask(
                request,
                connection -> Response.json(Documents.page(
                        Runs.list(connection, request.named("namespace"), filter, request.limit(), request.token()),
                        Documents::run)));
    }

    /** Redis is asked without a connection of the database in hand. */
    private Response nodes(Request request) throws SQLException {
        Run run = readable(request, request.named("run"));
        long parent = request.numberParameter("parent", -1, Long.MAX_VALUE).orElse(-1L);
        Page<RunParts.Node> page = database.ask(
                connection -> RunParts.nodes(connection, run.id(), parent, request.limit(), request.token()));
        Map<Long, String> now = events.nodes(
                run,
                page.items().stream()
                        .filter(node -> node.state().isEmpty())
                        .map(RunParts.Node::ordinal)
                        .toList());
        return Response.json(Documents.page(page, node -> Documents.node(shown(run, node, now))));
    }

    /** The root ended as its run did, also where it was cancelled or dropped. */
    private static RunParts.Node shown(Run run, RunParts.Node node, Map<Long, String> now) {
        return node.parent() < 0 && node.ordinal() == 0 && run.status().isPresent()
                ? node.in(run.status().get())
                : node.in(now.getOrDefault(node.ordinal(), node.state()));
    }

    /** A search goes through names of many tasks. */
    private Response tasks(Request request) throws SQLException {
        return request.parameter("q").isPresent()
                ? built(SCAN_BYTES, PAGE_BYTES, Api::tasks).answer(request)
                : run(Api::tasks).answer(request);
    }

    private static Response tasks(Connection connection, Run run, Request request) throws SQLException {
        Optional<TrialStatus> status = request.parameter("status").map(Api::status);
        boolean slowest = request.parameter("order")
                .map(order -> {
                    if (!order.equals("slowest")) {
                        throw Problem.badRequest("order is slowest, or absent");
                    }
                    return true;
                })
                .orElse(false);
        Optional<String> text = request.parameter("q");
        if (text.isPresent() && (slowest || status.isPresent())) {
            throw Problem.badRequest("q goes with neither status nor order");
        }
        Names names = new Names(connection, run);
        Page<TaskState> page;
        if (text.isPresent()) {
            page = Tasks.search(
                    connection, run, new Names(connection, run), text.get(), request.limit(), request.token());
        } else if (slowest) {
            page = Tasks.slowest(connection, run.id(), status, request.limit(), request.token());
        } else {
            page = Tasks.list(connection, run.id(), status, request.limit(), request.token());
        }
        List<ObjectNode> items = new ArrayList<>();
        for (TaskState state : page.items()) {
            items.add(Documents.task(state, names.of(state.task())));
        }
        return Response.json(Documents.page(new Page<>(items, page.next()), item -> item));
    }

    private static TrialStatus status(String word) {
        for (TrialStatus status : TrialStatus.values()) {
            if (status.word().equals(word)) {
                return status;
            }
        }
        throw Problem.badRequest("status is one of passed, pending, failed, error, timeout, lost, cancelled");
    }

    private static Response trials(Connection connection, Run run, Request request) throws SQLException {
        long task = request.number("task");
        List<Trial> trials = Trials.of(connection, run.id(), task);
        if (trials.isEmpty()) {
            throw Problem.notFound("task");
        }
        Optional<String> name = new Names(connection, run).of(task);
        return Response.json(Documents.list(trials, trial -> Documents.trial(trial, name)));
    }

    /** The end of a stream, or all of it. */
    private Router.Handler stream(Function<Trial, byte[]> tail, Function<Trial, Optional<Trial.Pack>> whole) {
        return run(true, (connection, run, request) -> {
            boolean full = request.flag("full");
            Trial trial = trial(connection, run, request);
            return full ? outputs.all(run, trial, whole.apply(trial)) : Outputs.tail(tail.apply(trial));
        });
    }

    private static Response failures(Connection connection, Run run, Request request) throws SQLException {
        String group = request.parameter("group").orElse("reason");
        if (!group.equals("reason") && !group.equals("message")) {
            throw Problem.badRequest("group is reason, message, or absent");
        }
        return Response.json(Documents.list(
                group.equals("message")
                        ? FailureGroups.of(connection, run.id())
                        : RunParts.failures(connection, run.id()),
                Documents::failure));
    }

    private static Response workers(Connection connection, Run run, Request request) throws SQLException {
        return Response.json(Documents.page(
                RunParts.workers(connection, run.id(), request.limit(), request.token()), Documents::worker));
    }

    private static Response log(Connection connection, Run run, Request request) throws SQLException {
        return Outputs.tail(RunParts.log(connection, run.id(), request.number("worker"))
                .orElseThrow(() -> Problem.notFound("log")));
    }

    private static Response runLog(Connection connection, Run run, Request request) throws SQLException {
        return Outputs.text(RunLog.of(connection, run));
    }

    private static Response slaves(Connection connection, Run run, Request request) throws SQLException {
        return Response.json(Documents.page(
                RunParts.slaves(connection, run.id(), request.limit(), request.token()), Documents::slave));
    }

    private static Response timeline(Connection connection, Run run, Request request) throws SQLException {
        OptionalLong from = instant(request, "from");
        OptionalLong to = instant(request, "to");
        checkOrder(from, to);
        OptionalLong worker = request.numberParameter("worker", 0, MOST_ID).stream()
                .mapToLong(id -> id)
                .findFirst();
        Timeline.View view = new Timeline.View(from, to, instant(request, "since"), worker, columns(request));
        return new Response.Bytes("application/octet-stream", Timeline.of(connection, run.id(), view));
    }

    private Response estimate(Connection connection, Run run, Request request) throws SQLException {
        return Response.json(
                Documents.estimate(estimates.of(connection, run.id()), EstimateError.usual(connection, run.id())));
    }

    private static Response unpassed(Connection connection, Run run, Request request) throws SQLException {
        if (run.finishedAt().isEmpty() || run.tasks().isEmpty()) {
            throw new Problem(409, "Conflict", "the run has not ended on record");
        }
        if (run.tasks().get() < 0 || run.tasks().get() > Unpassed.MOST_TASKS) {
            throw new Problem(409, "Conflict", "the run has more than " + Unpassed.MOST_TASKS + " tasks");
        }
        return new Response.Bytes(
                "application/octet-stream",
                Unpassed.of(connection, run)
                        .orElseThrow(() -> new Problem(
                                409, "Conflict", "the record does not have every pass that the run counted")));
    }

    static void checkOrder(OptionalLong from, OptionalLong to) {
        if (from.isPresent() && to.isPresent() && from.getAsLong() > to.getAsLong()) {
            throw Problem.badRequest("from is not behind to");
        }
    }

    static int columns(Request request) {
        return request.numberParameter("px", 1, Timeline.MOST_COLUMNS)
                .orElse(DEFAULT_COLUMNS)
                .intValue();
    }

    static OptionalLong instant(Request request, String name) {
        return request.numberParameter(name, 0, LAST_INSTANT).stream()
                .mapToLong(at -> at)
                .findFirst();
    }

    private Response compare(Request request) throws SQLException {
        String other = request.parameter("with").orElseThrow(() -> Problem.badRequest("with names the other run"));
        Comparison.What what = Comparison.What.of(request.parameter("what").orElse("newly-failed"));
        Run run = readable(request, request.named("run"));
        Run with = readable(request, other);
        request.flight().expects(PAGE_BYTES);
        try (Shares.Held _ = request.flight().works(Long.MAX_VALUE)) {
            return ask(
                    request,
                    connection -> compared(connection, still(connection, run), still(connection, with), what, request));
        }
    }

    private static Response compared(Connection connection, Run run, Run with, Comparison.What what, Request request)
            throws SQLException {
        Comparison.Result result = Comparison.of(
                connection,
                run,
                with,
                what,
                request.limit(),
                request.token(),
                request.flight().mostWork());
        Names names = new Names(connection, what == Comparison.What.GONE ? with : run);
        List<ObjectNode> items = new ArrayList<>();
        for (Comparison.Difference difference : result.page().items()) {
            items.add(Documents.difference(difference, names.of(difference.task())));
        }
        ObjectNode body = Documents.page(new Page<>(items, result.page().next()), item -> item);
        ObjectNode counts = body.putObject("counts");
        for (Comparison.What each : Comparison.What.values()) {
            counts.put(each.word(), result.counts().getOrDefault(each, 0));
        }
        return Response.json(body);
    }
}
