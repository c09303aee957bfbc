package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import java.util.zip.ZipInputStream;
import javax.xml.parsers.DocumentBuilderFactory;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Columns;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.Sealing;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The answers of the API, over every database. Each JSON answer is checked against its description. */
abstract class ApiContract {

    private static final Supplier<About> ABOUT =
            () -> new About("a database", Optional.empty(), Optional.empty(), Optional.empty(), true);

    private static final String RUNS = "/v1/namespaces/{namespace}/runs";
    private static final String RUN = RUNS + "/{run}";
    private static final String TEAM = "/v1/namespaces/team-a/runs";
    private static final String HOSTILE = "=cmd|' /C calc'!A0 <b>&\"\u0001\u001b[31m]]> \ufffe 😀";

    private Database database;
    private ApiServer server;
    private Client client;
    private Record record;

    abstract Database open() throws Exception;

    @BeforeEach
    void begin() throws Exception {
        database = open();
        server = ApiServer.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                database,
                new Trusting(),
                Trusting.NO_LIVE,
                ABOUT);
        client = new Client(server.address());
        record = new Record(database, Keyspace.ofNamespace("team-a"));
    }

    @AfterEach
    void end() {
        if (database != null) {
            client.close();
            server.close();
            database.close();
        }
    }

    private JsonNode get(String path, String address) {
        return client.json(200, path, address);
    }

    private static List<String> texts(JsonNode list, String field) {
        return StreamSupport.stream(list.get("items").spliterator(), false)
                .map(item -> item.path(field).asText())
                .toList();
    }

    /** All pages of a list. */
    private List<String> all(String path, String address, String field) {
        List<String> found = new ArrayList<>();
        JsonNode page = get(path, address);
        found.addAll(texts(page, field));
        while (page.has("continue")) {
            page = get(path, address + "&continue=" + page.get("continue").asText());
            found.addAll(texts(page, field));
        }
        return found;
    }

    private static TrialRow failed(long task, int trial, String message) {
        return TrialRow.of(task, trial, 3, TrialStatus.FAILED, 5, 1200)
                .because(Optional.of(1), Optional.empty(), "NonZeroExit", message)
                .printed(tail("printed by " + task), tail("error of " + trial), 4096);
    }

    private static byte[] tail(String text) {
        return Tails.pack(text.getBytes(StandardCharsets.UTF_8), 4096);
    }

    /** A run of 1,000 tasks: 900 passed at once, 50 at the second trial, 50 failed twice. */
    private void mixedRun() throws Exception {
        List<String> names =
                IntStream.range(0, 1000).mapToObj(i -> "spec/part_" + i + ".py").toList();
        record.opened(
                        "u1",
                        T0,
                        RunOpening.of(RunKind.TASK_SET, "specs", T0, 1000).in("nightly", "hash-1"))
                .named("u1", "hash-1", names)
                .joined("s1", T0)
                .prepared("u1", "s1", T0, tail("rsync\nsetup done\n"))
                .passes("u1", "s1", 1, 0, 900);
        for (int task = 900; task < 1000; task++) {
            record.step("u1", "s1", task, T0 + task, new StepRows().trial(failed(task, 1, "first of " + task)), "t");
            TrialRow second = task < 950
                    ? TrialRow.of(task, 2, 0, TrialStatus.PASSED, 0, 2000)
                    : failed(task, 2, "second of " + task);
            record.step("u1", "s1", task + 1000, T0 + task + 100, new StepRows().trial(second));
        }
        record.ended("u1", RunEnd.Status.FAILED, T0 + 5000, 1000, 50, 1100).write();
    }

    @Test
    void runsAreListedNewestFirstInPagesByKey() throws Exception {
        for (int i = 0; i < 25; i++) {
            RunOpening opening = RunOpening.of(i % 2 == 0 ? RunKind.TASK_SET : RunKind.TASK, "run-" + i % 5, T0 + i, 1);
            record.opened("u" + i, T0 + i, i < 10 ? opening.in("nightly", "h") : opening);
        }
        record.ended("u24", RunEnd.Status.FAILED, T0 + 99, 1, 1, 1).write();
        List<String> newest = all(RUNS, TEAM + "?limit=7", "uid");
        assertThat(newest).hasSize(25).startsWith("u24", "u23").endsWith("u1", "u0");
        assertThat(all(RUNS, TEAM + "?limit=4&kind=Task", "uid")).hasSize(12).startsWith("u23");
        assertThat(all(RUNS, TEAM + "?limit=4&class=nightly", "uid"))
                .hasSize(10)
                .startsWith("u9");
        assertThat(all(RUNS, TEAM + "?status=failed", "uid")).containsExactly("u24");
        assertThat(all(RUNS, TEAM + "?live=true", "uid")).hasSize(24).doesNotContain("u24");
        assertThat(all(RUNS, TEAM + "?name=run-3", "uid")).containsExactly("u23", "u18", "u13", "u8", "u3");
        assertThat(all(RUNS, "/v1/namespaces/team-b/runs?limit=7", "uid")).isEmpty();
    }

    @Test
    void aNameIsItsLatestRunAndAUidIsItself() throws Exception {
        record.opened("u1", "specs", T0, 1).opened("u2", "specs", T0 + 5, 1).write();
        assertThat(get(RUN, TEAM + "/specs").get("uid").asText()).isEqualTo("u2");
        JsonNode first = get(RUN, TEAM + "/u1");
        assertThat(first.get("createdAt").asText()).isEqualTo("2026-05-28T20:26:40.000Z");
        assertThat(client.json(404, RUN, TEAM + "/u3").get("reason").asText()).isEqualTo("NotFound");
        assertThat(client.json(404, RUN, "/v1/namespaces/team-b/runs/u1")
                        .get("code")
                        .asInt())
                .isEqualTo(404);
    }

    @Test
    void aRunsNumbersAreThoseOfItsEnd() throws Exception {
        mixedRun();
        JsonNode run = get(RUN, TEAM + "/specs");
        assertThat(run.get("failedCount").asInt()).isEqualTo(50);
        assertThat(run.get("trials").asInt()).isEqualTo(1100);
        assertThat(run.get("class").asText()).isEqualTo("nightly");
        assertThat(run.get("finishedAt").asText()).isEqualTo("2026-05-28T20:26:45.000Z");
    }

    @Test
    void tasksArePagedTheSameBeforeAndAfterSealing() throws Exception {
        mixedRun();
        List<String> expected =
                IntStream.range(0, 1000).mapToObj(Integer::toString).toList();
        String tasks = TEAM + "/specs/tasks";
        for (int sealed = 0; sealed < 2; sealed++) {
            assertThat(all(RUN + "/tasks", tasks + "?limit=37", "task")).isEqualTo(expected);
            assertThat(all(RUN + "/tasks", tasks + "?limit=37&status=passed", "task"))
                    .isEqualTo(expected.subList(0, 950));
            assertThat(all(RUN + "/tasks", tasks + "?limit=9&status=failed", "task"))
                    .isEqualTo(expected.subList(950, 1000));
            List<String> slowest = all(RUN + "/tasks", tasks + "?limit=100&order=slowest", "runMillis");
            assertThat(slowest).hasSize(1000).startsWith("2000", "2000");
            assertThat(slowest.stream().map(Integer::parseInt).toList())
                    .isSortedAccordingTo(java.util.Comparator.reverseOrder());
            assertThat(all(RUN + "/tasks", tasks + "?limit=100&order=slowest", "task"))
                    .doesNotHaveDuplicates();
            new Sealing(database).seal(5);
        }
        JsonNode task = get(RUN + "/tasks", tasks + "?limit=1&status=failed")
                .get("items")
                .get(0);
        assertThat(task.get("name").asText()).isEqualTo("spec/part_950.py");
        assertThat(task.get("reason").asText()).isEqualTo("NonZeroExit");
        assertThat(task.get("trials").asInt()).isEqualTo(2);
    }

    @Test
    void tasksAreFoundByAPartOfTheirName() throws Exception {
        mixedRun();
        assertThat(all(RUN + "/tasks", TEAM + "/specs/tasks?limit=3&q=PART_99", "task"))
                .containsExactly("99", "990", "991", "992", "993", "994", "995", "996", "997", "998", "999");
        assertThat(all(RUN + "/tasks", TEAM + "/specs/tasks?q=nowhere", "task")).isEmpty();
    }

    @Test
    void trialsHaveTheirOutputAndFirstTimePassesTheirTimes() throws Exception {
        mixedRun();
        record.step(
                        "u1",
                        "s1",
                        9000,
                        T0,
                        new StepRows()
                                .trial(TrialRow.of(2000, 1, 0, TrialStatus.PASSED, 0, 1)
                                        .returned(ResultFormat.JSON, "[1,2]".getBytes(StandardCharsets.UTF_8)))
                                .trial(TrialRow.of(2001, 1, 0, TrialStatus.PASSED, 0, 1)
                                        .returned(5_000_000)))
                .write();
        String trial = RUN + "/tasks/{task}/trials/{trial}";
        assertThat(texts(get(RUN + "/tasks/{task}/trials", TEAM + "/u1/tasks/960/trials"), "message"))
                .containsExactly("first of 960", "second of 960");
        JsonNode second = get(trial, TEAM + "/u1/tasks/960/trials/2");
        assertThat(second.get("stdout").asBoolean()).isTrue();
        assertThat(client.text(TEAM + "/u1/tasks/960/trials/2/stdout")).isEqualTo("printed by 960");
        assertThat(client.text(TEAM + "/u1/tasks/960/trials/2/stderr")).isEqualTo("error of 2");
        JsonNode pass = get(trial, TEAM + "/u1/tasks/5/trials/1");
        assertThat(pass.get("runMillis").asInt()).isEqualTo(105);
        assertThat(pass.get("status").asText()).isEqualTo("passed");
        assertThat(client.text(TEAM + "/u1/tasks/2000/trials/1/result")).isEqualTo("[1,2]");
        HttpResponse<byte[]> archive = client.get(TEAM + "/u1/results.zip");
        assertThat(archive.headers().firstValue("Content-Type")).contains("application/zip");
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(archive.body()))) {
            assertThat(zip.getNextEntry().getName()).isEqualTo("2000-1.json");
            assertThat(new String(zip.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("[1,2]");
            assertThat(zip.getNextEntry()).isNull();
        }
        assertThat(get(trial, TEAM + "/u1/tasks/2001/trials/1")
                        .get("resultBytes")
                        .asLong())
                .isEqualTo(5_000_000);
        assertThat(client.json(404, trial + "/result", TEAM + "/u1/tasks/2001/trials/1/result")
                        .get("message")
                        .asText())
                .isEqualTo("the result has 5000000 bytes, a record has at most 4096");
        client.json(404, trial, TEAM + "/u1/tasks/960/trials/7");
        client.json(404, trial + "/result", TEAM + "/u1/tasks/960/trials/1/result");
        client.json(404, trial, TEAM + "/u1/tasks/nine/trials/1");
    }

    @Test
    void failuresAreGroupedByReason() throws Exception {
        mixedRun();
        record.step(
                        "u1",
                        "s1",
                        9000,
                        T0,
                        new StepRows()
                                .trial(TrialRow.of(2000, 1, 0, TrialStatus.TIMEOUT, 0, 1)
                                        .because(Optional.empty(), Optional.of(9), "TimedOut", "took 9 s")))
                .write();
        JsonNode failures =
                get(RUN + "/failures", TEAM + "/u1/failures?group=reason").get("items");
        assertThat(failures).hasSize(2);
        assertThat(failures.get(0).get("tasks").asInt()).isEqualTo(50);
        assertThat(failures.get(0).get("firstTask").asInt()).isEqualTo(950);
        assertThat(failures.get(0).get("message").asText()).isEqualTo("second of 950");
        assertThat(failures.get(1).get("reason").asText()).isEqualTo("TimedOut");
    }

    @Test
    void workersHaveTheirTimesTheirLogAndTheirSlots() throws Exception {
        mixedRun();
        JsonNode workers = get(RUN + "/workers", TEAM + "/u1/workers");
        JsonNode worker = workers.get("items").get(0);
        assertThat(worker.get("pod").asText()).isEqualTo("pod-s1");
        assertThat(worker.get("setupFinishedAt").asText()).isEqualTo("2026-05-28T20:26:39.000Z");
        String log = TEAM + "/u1/workers/" + worker.get("id").asLong() + "/log";
        assertThat(client.text(log)).isEqualTo("rsync\nsetup done\n");
        client.json(404, RUN + "/workers/{worker}/log", TEAM + "/u1/workers/999/log");
        assertThat(all(RUN + "/slaves", TEAM + "/u1/slaves?limit=3", "slot"))
                .containsExactly("0", "1", "2", "3", "4", "5", "6", "7");
        assertThat(slave().has("exitStatus")).isFalse();
        for (List<String> end : List.of(
                List.of("closed", "normal_exit"),
                List.of("lease ended", "timeout_exit"),
                List.of("replaced", "failure_exit"))) {
            record.left("s1", T0 + 9000, end.getFirst()).write();
            assertThat(slave().get("exitStatus").asText()).isEqualTo(end.getLast());
        }
        new Sealing(database).seal(5);
        assertThat(get(RUN + "/workers", TEAM + "/u1/workers")
                        .get("items")
                        .get(0)
                        .get("passed")
                        .asInt())
                .isEqualTo(900);
    }

    private JsonNode slave() throws Exception {
        return get(RUN + "/slaves", TEAM + "/u1/slaves").get("items").get(0);
    }

    /** A Task of depth 3 and a job with chunks and combines, as their kinds will write them. */
    @Test
    void nodesOfATreeAndPhasesOfAJobAreRead() throws Exception {
        List<RunNames.Node> tree = new ArrayList<>(List.of(
                new RunNames.Node(0, -1, "chain", "root", "", 0, 0),
                new RunNames.Node(1, 0, "group", "fetch", "succeeded", 0, 0),
                new RunNames.Node(2, 0, "leaf", "report", "", 0, 0)));
        for (int i = 3; i < 13; i++) {
            tree.add(new RunNames.Node(i, 1, "leaf", "part " + i, i < 10 ? "succeeded" : "failed", 0, 0));
        }
        record.opened("t1", T0, RunOpening.of(RunKind.TASK, "tree", T0, 13))
                .add(new HistoryEntry.Named("t1", T0, new RunNames("", 0, List.of(), tree)))
                .add(new HistoryEntry.Step(
                        "tasks:pool",
                        T0,
                        HistoryEntry.Source.QUEUE,
                        "s1",
                        1,
                        "cc",
                        new StepRows()
                                .run("t1")
                                .pass(3, 0, 0, 10)
                                .run("t2")
                                .pass(0, 1, 0, 20)
                                .encode()))
                .opened("j1", T0, RunOpening.of(RunKind.MAP_REDUCE_JOB, "job", T0, 100))
                .add(new HistoryEntry.Named(
                        "j1",
                        T0,
                        new RunNames(
                                "",
                                0,
                                List.of(),
                                List.of(
                                        new RunNames.Node(0, -1, "map", "map", "succeeded", 0, 0),
                                        new RunNames.Node(1, -1, "chunks", "chunks", "", 10, 80),
                                        new RunNames.Node(2, -1, "combine", "combine", "", 90, 9)))))
                .write();
        assertThat(texts(get(RUN + "/nodes", TEAM + "/tree/nodes"), "name")).containsExactly("root");
        JsonNode level = get(RUN + "/nodes", TEAM + "/tree/nodes?parent=0");
        assertThat(texts(level, "name")).containsExactly("fetch", "report");
        assertThat(level.get("items").get(0).get("children").toString()).isEqualTo("{\"failed\":3,\"succeeded\":7}");
        assertThat(all(RUN + "/nodes", TEAM + "/tree/nodes?parent=1&limit=4", "ordinal"))
                .hasSize(10);
        assertThat(texts(get(RUN + "/tasks", TEAM + "/t1/tasks"), "name")).containsExactly("part 3");
        assertThat(get(RUN, TEAM + "/t2").get("kind").asText()).isEqualTo("Task");
        assertThat(texts(get(RUN + "/nodes", TEAM + "/job/nodes"), "kind")).containsExactly("map", "chunks", "combine");
    }

    @Test
    void theTimelineHasEachTrialOfEachSlot() throws Exception {
        mixedRun();
        for (int sealed = 0; sealed < 2; sealed++) {
            Columns all = Columns.of(client.get(TEAM + "/u1/timeline").body());
            assertThat(all.cells()).isFalse();
            assertThat(all.trials()).isEqualTo(1100);
            assertThat(all.starts()).hasSize(1100);
            assertThat(all.slots()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
            assertThat(IntStream.of(all.status()).filter(status -> status == TrialStatus.FAILED.ordinal()))
                    .hasSize(150);
            assertThat(all.laneStarts()).hasSize(9).isSorted().startsWith(0).endsWith(1100);
            double[] lane = Arrays.copyOf(all.starts(), (int) all.laneStarts()[1]);
            assertThat(lane).isSorted();
            long at = (long) all.first() + 500;
            Columns some = Columns.of(client.get(TEAM + "/u1/timeline?px=10&from=" + at + "&to=" + (at + 50))
                    .body());
            assertThat(some.starts().length).isBetween(1, 600);
            assertThat(some.first()).isEqualTo(all.first());
            for (int i = 0; i < some.starts().length; i++) {
                assertThat(some.starts()[i]).isLessThanOrEqualTo(at + 50);
                assertThat(some.starts()[i] + some.lengths()[i]).isGreaterThanOrEqualTo(at);
            }
            new Sealing(database).seal(5);
        }
        record.opened("u2", "none", T0, 1).write();
        assertThat(Columns.of(client.get(TEAM + "/u2/timeline").body()).starts())
                .isEmpty();
        client.json(400, RUN + "/timeline", TEAM + "/u1/timeline?from=2&to=1");
        client.json(400, RUN + "/timeline", TEAM + "/u1/timeline?px=5000");
    }

    @Test
    void aTimelineOfTooManyTrialsIsCellsOfTheWorstStatus() throws Exception {
        record.opened("u1", "huge", T0, 200_100).joined("s1", T0).passes("u1", "s1", 1, 0, 200_096);
        record.step("u1", "s1", 9999, T0 + 50_000, new StepRows().trial(failed(200_097, 1, "one among many")))
                .write();
        Columns cells = Columns.of(client.get(TEAM + "/u1/timeline?px=100").body());
        assertThat(cells.cells()).isTrue();
        assertThat(cells.trials()).isEqualTo(200_097);
        assertThat(cells.starts().length).isBetween(8, 100 * 8);
        assertThat(IntStream.of(cells.status()).filter(status -> status == TrialStatus.FAILED.ordinal()))
                .hasSize(1);
        double to = cells.first() + 20_000;
        Columns near =
                Columns.of(client.get(TEAM + "/u1/timeline?to=" + (long) to).body());
        assertThat(near.cells()).isFalse();
    }

    @Test
    void junitHasEachTaskOnceAndRepeatedTrialsInSurefiresWords() throws Exception {
        mixedRun();
        Document document = xml(TEAM + "/specs/junit.xml");
        Element suite = document.getDocumentElement();
        assertThat(suite.getAttribute("tests")).isEqualTo("1000");
        assertThat(suite.getAttribute("failures")).isEqualTo("50");
        assertThat(document.getElementsByTagName("testcase").getLength()).isEqualTo(1000);
        assertThat(document.getElementsByTagName("failure").getLength()).isEqualTo(50);
        assertThat(document.getElementsByTagName("rerunFailure").getLength()).isEqualTo(50);
        assertThat(document.getElementsByTagName("flakyFailure").getLength()).isEqualTo(50);
        assertThat(((Element) document.getElementsByTagName("testcase").item(0)).getAttribute("name"))
                .isEqualTo("spec/part_0.py");
    }

    private Document xml(String address) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder()
                .parse(new ByteArrayInputStream(client.text(address).getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void hostileNamesAndMessagesHarmNoFormat() throws Exception {
        record.opened("u1", T0, RunOpening.of(RunKind.TASK_SET, HOSTILE, T0, 1).in("c", "h"))
                .named("u1", "h", List.of(HOSTILE))
                .step("u1", "s1", 1, T0, new StepRows().trial(failed(0, 1, HOSTILE + "\u0000\r\n-- ")))
                .write();
        Element failure = (Element)
                xml(TEAM + "/u1/junit.xml").getElementsByTagName("failure").item(0);
        assertThat(failure.getAttribute("message")).startsWith("=cmd|' /C calc'!A0 <b>&\"\\u0001\\u001b[31m]]>");
        String csv = client.text(TEAM + "/u1/trials.csv");
        assertThat(csv)
                .contains(",\"'=cmd|' /C calc'!A0 <b>&\"\"")
                .doesNotContain(",\"=")
                .doesNotContain(",=");
        String line = client.text(TEAM + "/u1/trials.ndjson");
        assertThat(line.lines()).hasSize(1);
        assertThat(get(RUN, TEAM + "/u1").get("name").asText()).isEqualTo(HOSTILE);
        var html = client.get(TEAM + "/u1/tasks/0/trials/1/stdout");
        assertThat(html.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(html.headers().firstValue("Content-Type")).contains("text/plain; charset=utf-8");
    }

    @Test
    void exportsHaveEveryTrialOnce() throws Exception {
        mixedRun();
        for (int sealed = 0; sealed < 2; sealed++) {
            List<String> csv = client.text(TEAM + "/u1/trials.csv").lines().toList();
            assertThat(csv).hasSize(1101).doesNotHaveDuplicates();
            assertThat(csv.getFirst()).startsWith("task,name,trial,copy,status");
            assertThat(client.text(TEAM + "/u1/trials.ndjson").lines()).hasSize(1100);
            new Sealing(database).seal(5);
        }
    }

    @Test
    void aRemovedRunIsGoneAndAnExportThatHasBegunIsFinished() throws Exception {
        record.opened("u1", "specs", T0, 40_000)
                .passes("u1", "s1", 1, 0, 40_000)
                .write();
        String output = "DELETE " + RUN + "/output";
        assertThat(client.json(200, output, TEAM + "/u1/output").get("status").asText())
                .isEqualTo("Success");
        assertThat(get(RUN, TEAM + "/u1").get("outputRemoved").asBoolean()).isTrue();
        String page = get(RUN + "/tasks", TEAM + "/u1/tasks").get("continue").asText();
        try (Socket socket = new Socket("127.0.0.1", server.address().getPort())) {
            String request = "GET " + TEAM + "/u1/trials.ndjson HTTP/1.0\r\nHost: localhost\r\nQuiver-Token: "
                    + Trusting.TOKEN + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().readNBytes(100_000)).hasSize(100_000);
            client.json(200, "DELETE " + RUN, TEAM + "/u1");
            String rest = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(rest).contains("\"task\":39999,");
        }
        client.json(404, RUN, TEAM + "/u1");
        client.json(404, RUN + "/tasks", TEAM + "/u1/tasks?continue=" + page);
        client.json(404, "DELETE " + RUN, TEAM + "/u1");
        client.json(404, output, TEAM + "/u1/output");
        record.replay();
        assertThat(texts(get(RUNS, TEAM), "uid")).isEmpty();
    }

    @Test
    void anExportThatBreaksOffHasNoEnd() throws Exception {
        mixedRun();
        String export = "GET " + TEAM + "/u1/trials.csv HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        assertThat(raw(export)).startsWith("HTTP/1.1 200").endsWith("\r\n0\r\n\r\n");
        database.change(connection -> {
            try (PreparedStatement damage =
                    connection.prepareStatement("UPDATE passes SET packed = ? WHERE first_task > 500")) {
                damage.setBytes(1, new byte[] {1, 5, 77});
                return damage.executeUpdate();
            }
        });
        assertThat(raw(export)).doesNotEndWith("0\r\n\r\n");
        assertThat(client.get(TEAM + "/u1/tasks?status=passed").statusCode()).isEqualTo(500);
    }

    @Test
    void whatMakesNoSenseIsRefusedInWords() throws Exception {
        mixedRun();
        for (String query : List.of(
                "limit=0",
                "limit=1001",
                "limit=x",
                "continue=%21",
                "continue=" + "A".repeat(300),
                "status=great",
                "order=quickest",
                "unknown=1",
                "limit=1&limit=2",
                "q=a&status=failed",
                "q=%00",
                "q=%ff%zz")) {
            var answer = client.get(TEAM + "/u1/tasks?" + query.replace("%zz", ""));
            if (!query.contains("%ff")) {
                assertThat(answer.statusCode()).as(query).isEqualTo(400);
                assertThat(client.checked(RUN + "/tasks", answer).get("message").asText())
                        .isNotBlank();
            }
        }
        assertThat(raw("GET " + TEAM + " HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 403");
        assertThat(raw("PUT " + TEAM + "/u1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 405");
        assertThat(raw("GET /v1/nothing HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 404")
                .contains("\"kind\":\"Status\"");
    }

    private String raw(String request) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", server.address().getPort())) {
            String admitted = request.replaceFirst("\r\n\r\n$", "\r\nQuiver-Token: " + Trusting.TOKEN + "\r\n\r\n");
            socket.getOutputStream().write(admitted.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
