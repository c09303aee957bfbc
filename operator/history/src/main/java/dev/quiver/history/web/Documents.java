package dev.quiver.history.web;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.history.live.LiveFigures;
import dev.quiver.history.live.LiveRoster;
import dev.quiver.history.query.Cases;
import dev.quiver.history.query.ClassTests;
import dev.quiver.history.query.Comparison;
import dev.quiver.history.query.Page;
import dev.quiver.history.query.Run;
import dev.quiver.history.query.RunParts;
import dev.quiver.history.query.TaskState;
import dev.quiver.history.query.Trial;
import dev.quiver.history.store.Estimate;

/** Objects of the API as JSON. Fields that nobody knows are absent. Stateless. */
final class Documents {

    static final ObjectMapper MAPPER = new ObjectMapper();

    /** An answer has a specification within it, and Jackson writes no more than 1,000 levels. */
    private static final int DEEPEST = 900;

    private static final ObjectMapper NESTED = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build());
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final DateTimeFormatter RFC3339 =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
    /** The last millisecond of the year 9999: a forged time would make a year of five digits. */
    private static final long LAST = 253_402_300_799_999L;

    /** No worker tries for longer to bring a pack. */
    private static final long PACK_MILLIS = 15 * 60_000L;

    private Documents() {}

    static ObjectNode object() {
        return NODES.objectNode();
    }

    static String time(long millis) {
        return RFC3339.format(Instant.ofEpochMilli(Math.clamp(millis, 0, LAST)));
    }

    private static void put(ObjectNode to, String name, Optional<String> value) {
        value.ifPresent(text -> to.put(name, text));
    }

    private static void number(ObjectNode to, String name, Optional<Long> value) {
        value.ifPresent(number -> to.put(name, number));
    }

    private static void time(ObjectNode to, String name, Optional<Long> value) {
        value.ifPresent(millis -> to.put(name, time(millis)));
    }

    static <T> ObjectNode page(Page<T> page, Function<T, ObjectNode> item) {
        ObjectNode list = list(page.items(), item);
        put(list, "continue", page.next());
        return list;
    }

    static <T> ObjectNode list(List<T> items, Function<T, ObjectNode> item) {
        ObjectNode list = object();
        ArrayNode array = list.putArray("items");
        items.forEach(each -> array.add(item.apply(each)));
        return list;
    }

    static ObjectNode status(int code, String reason, String message) {
        ObjectNode status = object();
        status.put("kind", "Status").put("apiVersion", "v1").put("status", "Failure");
        return status.put("message", message).put("reason", reason).put("code", code);
    }

    static ObjectNode success() {
        ObjectNode status = object();
        status.put("kind", "Status").put("apiVersion", "v1").put("status", "Success");
        return status.put("code", 200);
    }

    /** Without the specification, which a list does not show. */
    static ObjectNode run(Run run) {
        ObjectNode to = object();
        to.put("uid", run.uid()).put("kind", run.kind()).put("namespace", run.namespace());
        to.put("name", run.name());
        put(to, "class", run.runClass());
        put(to, "pool", run.pool());
        put(to, "sourceHash", run.sourceHash());
        put(to, "parentRun", run.parentRun());
        if (run.parentRun().isPresent()) {
            number(to, "parentTask", run.parentTask());
        }
        time(to, "firedAt", run.firedAt());
        put(to, "status", run.status());
        put(to, "reason", run.reason());
        put(to, "message", run.message());
        to.put("createdAt", time(run.createdAt()));
        time(to, "startedAt", run.startedAt());
        time(to, "finishedAt", run.finishedAt());
        number(to, "tasks", run.tasks());
        number(to, "succeededCount", run.succeeded());
        number(to, "pendingCount", run.pending());
        number(to, "failedCount", run.failed());
        number(to, "trials", run.trials());
        number(to, "lost", run.lost());
        number(to, "runMillis", run.runMillis());
        number(to, "notRecorded", run.notRecorded());
        run.estimateError().ifPresent(mille -> to.put("estimateError", mille / 1000.0));
        to.put("rewound", run.rewound()).put("outputRemoved", run.outputRemoved());
        return to;
    }

    /** Names of the runs of a pool's timeline, in their order there, and of its workers. */
    static ObjectNode poolNames(List<Run> runs, boolean more, List<RunParts.NamedWorker> workers) {
        ObjectNode to = list(
                runs,
                run -> object().put("uid", run.uid()).put("kind", run.kind()).put("name", run.name()));
        to.put("more", more);
        ArrayNode array = to.putArray("workers");
        for (RunParts.NamedWorker worker : workers) {
            put(array.addObject().put("id", worker.id()).put("session", worker.session()), "pod", worker.pod());
        }
        return to;
    }

    static ObjectNode estimate(Estimate estimate, Optional<Double> usualError) {
        ObjectNode to = object().put("known", estimate.known()).put("unknown", estimate.unknown());
        to.put("workMillis", estimate.workMillis()).put("slots", estimate.slots());
        number(to, "leftMillis", estimate.leftMillis());
        usualError.ifPresent(share -> to.put("usualError", share));
        return to;
    }

    static ObjectNode live(LiveFigures live) {
        ObjectNode to = object().put("status", live.status()).put("tasks", live.total());
        number(to, "queued", live.queued());
        number(to, "running", live.running());
        to.put("succeededCount", live.succeeded());
        if (live.pending() > 0) {
            to.put("pendingCount", live.pending());
        }
        to.put("failedCount", live.failed());
        to.put("trials", live.trials()).put("lost", live.lost());
        live.workers().ifPresent(workers -> to.put("workers", workers));
        time(to, "progressAt", live.progressAt());
        return to.put("at", time(live.at()));
    }

    static ObjectNode rosterWorker(LiveRoster.Worker worker, Map<Long, String> names) {
        ObjectNode to = object().put("session", worker.session()).put("pool", worker.pool());
        worker.identity().ifPresent(identity -> {
            to.put("pod", identity.pod()).put("node", identity.node()).put("slots", identity.slots());
            to.put("busySlots", identity.busySlots()).put("draining", identity.draining());
            to.put("lastHeartbeatAt", time(identity.lastHeartbeat()));
        });
        ArrayNode tasks = to.putArray("tasks");
        for (LiveRoster.Held held : worker.held()) {
            ObjectNode task = tasks.addObject().put("task", held.task());
            put(task, "name", Optional.ofNullable(names.get(held.task())));
            held.slot().ifPresent(slot -> task.put("slot", slot));
        }
        return to;
    }

    static ObjectNode wholeRun(Run run) {
        ObjectNode to = run(run);
        run.labels().ifPresent(labels -> to.set("labels", parsed(labels)));
        if (!run.times().isEmpty()) {
            run.times().forEach(to.putArray("runMillisHistogram")::add);
        }
        if (run.spec().length > 0) {
            to.set("spec", parsed(new String(run.spec(), StandardCharsets.UTF_8)));
        }
        return to;
    }

    /** The text of a tenant need not be JSON: then it stays a text. */
    private static JsonNode parsed(String text) {
        try {
            JsonNode node = NESTED.readTree(text);
            return node == null || !node.isObject() ? object().put("text", text) : node;
        } catch (JsonProcessingException e) {
            return object().put("text", text);
        }
    }

    static ObjectNode task(TaskState state, Optional<String> name) {
        ObjectNode to = object().put("task", state.task());
        put(to, "name", name);
        to.put("status", state.status().word()).put("trials", state.trials()).put("over", state.over());
        to.put("runMillis", state.runMillis());
        put(to, "reason", state.reason());
        number(to, "estimateSeconds", state.estimateSeconds());
        return to;
    }

    static ObjectNode trial(Trial trial, Optional<String> name) {
        ObjectNode to = object().put("task", trial.task());
        put(to, "name", name);
        to.put("trial", trial.trial()).put("copy", trial.copy());
        to.put("status", trial.status().word()).put("worker", trial.worker()).put("slot", trial.slot());
        to.put("startedAt", time(trial.startedAt())).put("finishedAt", time(trial.finishedAt()));
        to.put("runMillis", trial.runMillis());
        number(to, "exitCode", trial.exitCode());
        number(to, "signal", trial.signal());
        put(to, "reason", trial.reason());
        put(to, "message", trial.message());
        number(to, "passed", trial.passed());
        number(to, "pending", trial.pending());
        number(to, "failed", trial.failed());
        number(to, "cpuMillis", trial.cpuMillis());
        number(to, "maxRssKib", trial.maxRssKib());
        number(to, "outputBytes", trial.outputBytes());
        to.put("outputCut", trial.outputCut());
        to.put("stdout", trial.stdout().length > 0).put("stderr", trial.stderr().length > 0);
        trial.resultFormat().ifPresent(format -> to.put("resultFormat", format.mediaType()));
        number(to, "resultBytes", trial.resultBytes());
        trial.pack()
                .ifPresent(pack ->
                        to.put("resultPack", pack.stored() ? "stored" : lost(trial, pack) ? "lost" : "pending"));
        number(to, "stdoutFullBytes", trial.allStdout().map(pack -> pack.place().length()));
        number(to, "stderrFullBytes", trial.allStderr().map(pack -> pack.place().length()));
        List<Trial.Pack> missing = Stream.of(trial.pack(), trial.allStdout(), trial.allStderr())
                .flatMap(Optional::stream)
                .filter(pack -> !pack.stored())
                .toList();
        if (!missing.isEmpty()) {
            boolean lost = missing.stream().anyMatch(pack -> lost(trial, pack));
            to.put(lost ? "outputLost" : "outputPending", true);
            put(to, "outputRefused", trial.packsRefused());
        }
        return to;
    }

    /** Whether nobody brings the pack any more. */
    static boolean lost(Trial trial, Trial.Pack pack) {
        return trial.finishedAt() < System.currentTimeMillis() - PACK_MILLIS
                || pack.place().isNowhere();
    }

    static ObjectNode reportedCase(Cases.Case each) {
        ObjectNode to =
                object().put("name", each.name()).put("status", each.status().word());
        to.put("runMillis", each.runMillis());
        put(to, "message", Optional.of(each.message()).filter(words -> !words.isEmpty()));
        return to;
    }

    static ObjectNode failure(RunParts.FailureGroup group) {
        ObjectNode to = object().put("reason", group.reason()).put("tasks", group.tasks());
        to.put("firstTask", group.firstTask());
        put(to, "message", group.message());
        if (!group.first().isEmpty()) {
            group.first().forEach(to.putArray("firstTasks")::add);
        }
        return to;
    }

    static ObjectNode worker(RunParts.Worker worker) {
        ObjectNode to = object().put("id", worker.id()).put("session", worker.session());
        put(to, "pool", worker.pool());
        put(to, "pod", worker.pod());
        put(to, "node", worker.node());
        number(to, "slots", worker.slots());
        time(to, "openedAt", worker.openedAt());
        time(to, "closedAt", worker.closedAt());
        put(to, "ended", worker.ended());
        number(to, "passed", worker.passed());
        number(to, "runMillis", worker.runMillis());
        time(to, "startedAt", worker.startedAt());
        time(to, "rsyncFinishedAt", worker.rsyncFinishedAt());
        time(to, "setupFinishedAt", worker.setupFinishedAt());
        time(to, "finishedAt", worker.finishedAt());
        return to.put("log", worker.log());
    }

    static ObjectNode slave(RunParts.Slave slave) {
        ObjectNode to = object().put("worker", slave.worker()).put("slot", slave.slot());
        put(to, "pod", slave.pod());
        put(to, "node", slave.node());
        time(to, "openedAt", slave.openedAt());
        time(to, "closedAt", slave.closedAt());
        put(to, "exitStatus", slave.exitStatus());
        return to;
    }

    static ObjectNode node(RunParts.Node node) {
        ObjectNode to = object().put("ordinal", node.ordinal()).put("parent", node.parent());
        to.put("kind", node.kind()).put("name", node.name()).put("state", node.state());
        if (node.n() > 0) {
            to.put("first", node.first()).put("n", node.n());
        }
        ObjectNode children = to.putObject("children");
        node.children().forEach(count -> children.put(count.state().isEmpty() ? "open" : count.state(), count.n()));
        return to;
    }

    static ObjectNode test(ClassTests.Test test) {
        ObjectNode to = object().put("name", test.name());
        number(to, "usualMillis", test.usualMillis());
        to.put("ran", test.ran()).put("hurt", test.hurt());
        return to.put("failed", test.failed()).put("failing", test.failing());
    }

    static ObjectNode testRun(ClassTests.TestRun found) {
        ObjectNode to = object();
        to.set("run", run(found.run()));
        to.set("task", task(found.task(), Optional.empty()));
        return to;
    }

    static ObjectNode difference(Comparison.Difference difference, Optional<String> name) {
        ObjectNode to = object().put("task", difference.task());
        put(to, "name", name);
        put(to, "status", difference.status().map(status -> status.word()));
        put(to, "withStatus", difference.withStatus().map(status -> status.word()));
        number(to, "runMillis", difference.runMillis().map(Integer::longValue));
        number(to, "withRunMillis", difference.withRunMillis().map(Integer::longValue));
        return to;
    }
}
