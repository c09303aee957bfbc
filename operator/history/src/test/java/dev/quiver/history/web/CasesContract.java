package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static dev.quiver.history.rig.Record.number;
import static dev.quiver.history.rig.Record.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

import dev.quiver.history.query.RunLog;
import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.RunRemoval;
import dev.quiver.history.store.Sealing;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialRowBuilder;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** Cases of reports and the log of a run, from entries to the API, over every database. */
abstract class CasesContract {

    private static final String TEAM = "/v1/namespaces/team-a/runs";
    private static final String CASES = "/v1/namespaces/{namespace}/runs/{run}/tasks/{task}/trials/{trial}/cases";

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
                () -> null);
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

    private static TrialRow failed(long task, int trial, String message) {
        return TrialRow.of(task, trial, 3, TrialStatus.FAILED, 5, 1200)
                .because(Optional.of(1), Optional.empty(), "NonZeroExit", message);
    }

    private static TrialRow reported(TrialRow row, String... names) {
        return row.reported(
                new TrialRow.Counts(3, 0, names.length),
                Arrays.stream(names)
                        .map(name -> new TrialRow.Case(name, TrialStatus.FAILED, 7, "why " + name))
                        .toList());
    }

    @Test
    void casesOfATrialAreKeptOnceAndGoWithTheirRun() throws Exception {
        record.opened("u1", "specs", T0, 10)
                .step("u1", "s1", 1, T0, new StepRows().trial(reported(failed(5, 1, "x"), "a", "b\u0000")), "t")
                .step("u1", "s1", 2, T0, new StepRows().trial(reported(failed(5, 2, "x"), "c")))
                .step("u1", "s2", 1, T0, new StepRows().trial(reported(failed(6, 1, "late"), "d")), "k")
                .write()
                .replay();
        assertThat(texts(database, "SELECT name FROM cases ORDER BY task, trial, n"))
                .containsExactly("a", "b\ufffd", "c");
        assertThat(texts(database, "SELECT message FROM cases WHERE ms = 7 AND status = 2 AND trial = 2"))
                .containsExactly("why c");
        assertThat(number(database, "SELECT failed FROM trials WHERE task = 5 AND trial = 1"))
                .isEqualTo(2);
        new RunRemoval(database).remove(number(database, "SELECT id FROM runs"));
        assertThat(number(database, "SELECT COUNT(*) FROM cases")).isZero();
    }

    @Test
    void aTrialHasTheCasesOfItsReportAndJunitHasThoseOfTheLastTrial() throws Exception {
        TrialRow.Counts counts = new TrialRow.Counts(3, 1, 2);
        TrialRow first =
                failed(0, 1, "x").reported(counts, List.of(new TrialRow.Case("old", TrialStatus.FAILED, 1, "no")));
        TrialRow second = failed(0, 2, "x")
                .reported(
                        counts,
                        List.of(
                                new TrialRow.Case("a <b>", TrialStatus.FAILED, 1500, "1 is not \"2\"\u0001"),
                                new TrialRow.Case("c", TrialStatus.ERROR, 0, ""),
                                new TrialRow.Case("d", TrialStatus.PENDING, 0, "not here")));
        record.opened("u1", T0, RunOpening.of(RunKind.TASK_SET, "specs", T0, 2).in("nightly", "h"))
                .named("u1", "h", List.of("spec/a.py", "spec/b.py"))
                .step("u1", "s1", 1, T0, new StepRows().trial(first), "t")
                .step("u1", "s1", 2, T0 + 9, new StepRows().trial(second).pass(1, 0, 0, 5))
                .ended("u1", RunEnd.Status.FAILED, T0 + 5000, 2, 1, 3)
                .write();
        JsonNode cases =
                client.json(200, CASES, TEAM + "/u1/tasks/0/trials/2/cases").get("items");
        assertThat(cases).hasSize(3);
        assertThat(cases.get(0).get("status").asText()).isEqualTo("failed");
        assertThat(cases.get(0).get("runMillis").asLong()).isEqualTo(1500);
        assertThat(cases.get(1).has("message")).isFalse();
        assertThat(client.json(200, CASES, TEAM + "/u1/tasks/0/trials/1/cases").get("items"))
                .hasSize(1);
        assertThat(client.json(200, CASES, TEAM + "/u1/tasks/1/trials/1/cases").get("items"))
                .isEmpty();
        Document document = xml(TEAM + "/u1/junit.xml");
        Element suite = document.getDocumentElement();
        assertThat(suite.getAttribute("tests")).isEqualTo("5");
        assertThat(suite.getAttribute("failures")).isEqualTo("2");
        assertThat(suite.getAttribute("errors")).isEqualTo("1");
        assertThat(suite.getAttribute("skipped")).isEqualTo("1");
        assertThat(document.getElementsByTagName("testcase").getLength()).isEqualTo(5);
        Element failed = (Element) document.getElementsByTagName("testcase").item(1);
        assertThat(failed.getAttribute("name")).isEqualTo("a <b>");
        assertThat(failed.getAttribute("classname")).isEqualTo("spec/a.py");
        assertThat(failed.getAttribute("time")).isEqualTo("1.500");
        assertThat(((Element) failed.getFirstChild()).getAttribute("message")).isEqualTo("1 is not \"2\"\\u0001");
    }

    @Test
    void twoHoldersOfATaskHaveTheirOwnCasesAndTheLaterOneSaysNothingOfIt() throws Exception {
        TrialRow holder = reported(failed(0, 1, "x"), "mine", "and mine");
        TrialRow copy = TrialRowBuilder.builder(
                        reported(TrialRow.of(0, 1, 2, TrialStatus.PASSED, 0, 70), "of the copy"))
                .copy(1)
                .build();
        TrialRow late = TrialRow.of(1, 1, 0, TrialStatus.PASSED, 0, 900).printed(new byte[] {1}, new byte[0], 1);
        TrialRow first = TrialRowBuilder.builder(TrialRow.of(1, 1, 1, TrialStatus.PASSED, 0, 30))
                .copy(1)
                .build();
        record.opened("u1", T0, RunOpening.of(RunKind.TASK_SET, "specs", T0, 2).in("nightly", "h"))
                .named("u1", "h", List.of("spec/a.py", "spec/b.py"))
                .step("u1", "s1", 1, T0, new StepRows().trial(holder), "t")
                .step("u1", "s2", 1, T0 + 9, new StepRows().trial(copy).trial(first))
                .step("u1", "s1", 2, T0 + 90, new StepRows().trial(late), "s")
                .ended("u1", RunEnd.Status.SUCCEEDED, T0 + 5000, 2, 0, 3)
                .write()
                .replay();
        assertThat(texts(database, "SELECT reason FROM trials WHERE status = " + TrialStatus.CANCELLED.ordinal()))
                .containsExactly(TrialRow.SUPERSEDED);
        assertThat(number(database, "SELECT COUNT(*) FROM tasks WHERE over = 1 AND status = 0"))
                .isEqualTo(2);
        JsonNode cases =
                client.json(200, CASES, TEAM + "/u1/tasks/0/trials/1/cases").get("items");
        assertThat(cases).extracting(each -> each.get("name").asText()).containsExactly("mine", "and mine");
        cases = client.json(200, CASES, TEAM + "/u1/tasks/0/trials/1/cases?copy=1")
                .get("items");
        assertThat(cases).extracting(each -> each.get("name").asText()).containsExactly("of the copy");
        Document document = xml(TEAM + "/u1/junit.xml");
        assertThat(document.getDocumentElement().getAttribute("tests")).isEqualTo("3");
        assertThat(document.getElementsByTagName("testcase").getLength()).isEqualTo(3);
        Element quick = (Element) document.getElementsByTagName("testcase").item(2);
        assertThat(quick.getAttribute("name")).isEqualTo("spec/b.py");
        assertThat(quick.getAttribute("time")).isEqualTo("0.030");
        assertThat(client.text(TEAM + "/u1/log")).contains("task 1 spec/b.py, trial 1: cancelled, Superseded");
    }

    /** Its failure may be told before a copy with a lower number passes. */
    @Test
    void aPassStandsAgainstTheFailureOfTheLastTrialAndNothingElseDoes() throws Exception {
        record.opened("u1", T0, RunOpening.of(RunKind.TASK_SET, "specs", T0, 4).in("nightly", "h"))
                .named("u1", "h", List.of("spec/a.py", "spec/b.py", "spec/c.py", "spec/d.py"))
                .step(
                        "u1",
                        "s1",
                        1,
                        T0,
                        new StepRows().trial(failed(0, 1, "no")).trial(failed(1, 2, "last")),
                        "tc")
                .step("u1", "s1", 2, T0 + 10, new StepRows().trial(failed(0, 2, "last")), "c")
                .step("u1", "s1", 3, T0 + 11, new StepRows().trial(failed(2, 2, "a copy")), "t")
                .write()
                .step("u1", "s1", 4, T0 + 12, new StepRows().trial(failed(2, 1, "for good")), "c")
                .step("u1", "s1", 5, T0 + 13, new StepRows().trial(failed(3, 2, "a copy")), "t")
                .step("u1", "s1", 6, T0 + 14, new StepRows().trial(failed(3, 1, "for good")), "c")
                .write();
        String states = "SELECT task || ' ' || status || ' ' || over FROM tasks ORDER BY task";
        assertThat(texts(database, states))
                .as("what ended a task stands against a trial with a higher number that did not")
                .containsExactly("0 2 1", "1 2 1", "2 2 1", "3 2 1");
        TrialRow returned = TrialRow.of(0, 3, 0, TrialStatus.CANCELLED, 0, 5);
        TrialRow passed = TrialRow.of(1, 1, 0, TrialStatus.PASSED, 0, 5);
        record.step("u1", "s2", 1, T0 + 20, new StepRows().trial(returned).trial(passed), "cc")
                .write()
                .replay();
        assertThat(texts(database, states)).containsExactly("0 2 1", "1 0 1", "2 2 1", "3 2 1");
        assertThat(client.text(TEAM + "/u1/log"))
                .contains("task 0 spec/a.py, trial 2: failed, NonZeroExit, exit code 1: last; the task failed");
    }

    @Test
    void theLogOfARunIsTheSameBeforeAndAfterSealing() throws Exception {
        TrialRow expected =
                TrialRowBuilder.builder(failed(1, 1, "no")).estimateMillis(2600).build();
        record.opened("u1", T0, RunOpening.of(RunKind.TASK_SET, "specs", T0, 4).in("nightly", "h"))
                .named("u1", "h", List.of("spec/a.py", "spec/b.py", "spec/c.py", "spec/d.py"))
                .joined("s1", T0)
                .step("u1", "s1", 1, T0 + 10, new StepRows().trial(failed(0, 1, "two\nlines \u001b[31m")), "t")
                .step("u1", "s1", 2, T0 + 20, new StepRows().trial(TrialRow.of(0, 2, 0, TrialStatus.PASSED, 0, 5)))
                .step("u1", "s1", 3, T0 + 30, new StepRows().trial(expected))
                .step("u1", "s1", 4, T0 + 40, new StepRows().pass(2, 0, 0, 5))
                .write();
        String accepted = "2026-05-28T20:26:40.000Z accepted: TaskSet specs, 4 tasks";
        List<String> decided = List.of(
                "2026-05-28T20:26:40.005Z task 0 spec/a.py, trial 1 on pod-s1: failed, NonZeroExit, exit code 1:"
                        + " two\\u000alines \\u001b[31m; to be tried again",
                "2026-05-28T20:26:40.020Z task 0 spec/a.py, trial 2 on pod-s1: passed",
                "2026-05-28T20:26:40.025Z task 1 spec/b.py, trial 1 on pod-s1: failed, NonZeroExit, exit code 1: no;"
                        + " the task failed");
        assertThat(client.text(TEAM + "/u1/log").lines()).startsWith(accepted).containsAll(decided);
        JsonNode tasks = client.json(200, "/v1/namespaces/{namespace}/runs/{run}/tasks", TEAM + "/u1/tasks")
                .get("items");
        assertThat(tasks.get(1).path("estimateSeconds").asLong()).isEqualTo(3);
        assertThat(tasks.get(2).has("estimateSeconds")).isFalse();
        record.ended("u1", RunEnd.Status.FAILED, T0 + 5000, 4, 1, 4).write();
        String ended = client.text(TEAM + "/u1/log");
        assertThat(ended.lines().toList().getLast())
                .isEqualTo("2026-05-28T20:26:45.000Z finished: failed, TasksFailed; 1 failed, 0 lost");
        new Sealing(database, RunLog::packed).seal(5);
        assertThat(number(database, "SELECT LENGTH(log) FROM runs")).isPositive();
        assertThat(client.text(TEAM + "/u1/log")).isEqualTo(ended);
        client.json(404, "/v1/namespaces/{namespace}/runs/{run}/log", TEAM + "/u9/log");
    }

    @Test
    void theLogOfARunHasItsFirstDecisionsAndTheNumberOfTheOthers() throws Exception {
        record.opened("u1", "specs", T0, 2000);
        for (int task = 0; task < 1200; task++) {
            record.step("u1", "s1", task, T0 + task, new StepRows().trial(failed(task, 1, "x".repeat(1000))), "t");
        }
        record.write();
        List<String> lines = client.text(TEAM + "/u1/log").lines().toList();
        assertThat(lines).hasSize(1002);
        assertThat(lines.getLast()).isEqualTo("… 200 more decisions: the trials have them");
        assertThat(lines).allMatch(line -> line.length() < 400);
    }

    private Document xml(String address) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder()
                .parse(new ByteArrayInputStream(client.text(address).getBytes(StandardCharsets.UTF_8)));
    }
}
