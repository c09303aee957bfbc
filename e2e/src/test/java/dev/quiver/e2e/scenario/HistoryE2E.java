package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Browser;
import dev.quiver.e2e.quiver.Gate;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Kubectl;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** The record that a run leaves behind, read by the port and with the token of the notes of the chart. */
@Scenario
class HistoryE2E {

    @TempDir
    private Path folder;

    private static List<String> texts(List<JsonNode> items, String field) {
        return items.stream().map(item -> item.path(field).asText()).toList();
    }

    @Test
    void aTaskSetIsReadAfterItIsGoneByItsOwnNamespaceAlone(Space space, Installation quiver) {
        space.readyPool("shared", 1, 2);
        Kubectl kubectl = space.kubectl();
        kubectl.apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: nightly, labels: {team: a}}
                spec:
                  taskSetClass: nightly
                  replicas: 1
                  maxTrials: 2
                  history: {results: Json}
                  source:
                    items:
                      - {name: good}
                      - {name: flaky}
                      - {name: '<b>bad</b>'}
                      - {name: large}
                  task:
                    command: [sh, -c]
                    args:
                      - |
                        case $QUIVER_TASK in
                          good) exit 0 ;;
                          flaky) [ $QUIVER_TRIAL -gt 1 ] && exit 0 ;;
                          large) seq -s , 1 20000 | sed 's/.*/[&]/' > $QUIVER_OUTPUT; exit 0 ;;
                        esac
                        echo '=looking for a widget'; echo it broke >&2; exit 7
                  workerPoolRef: {name: shared}
                """);
        space.run("nightly").awaitFinished();
        String uid = space.run("nightly").uid();
        kubectl.run("delete", "taskset", "nightly", "--timeout=4m");
        try (Record record = Record.of(space, quiver)) {
            JsonNode run = record.ended("nightly");
            assertThat(run.path("uid").asText()).isEqualTo(uid);
            assertThat(run.path("status").asText()).isEqualTo("failed");
            assertThat(run.path("class").asText()).isEqualTo("nightly");
            assertThat(run.path("tasks").asLong()).isEqualTo(4);
            assertThat(run.path("succeededCount").asLong() + " "
                            + run.path("failedCount").asLong())
                    .isEqualTo("3 1");
            assertThat(run.path("notRecorded").asLong()).isZero();
            assertThat(run.path("labels").path("team").asText()).isEqualTo("a");

            List<JsonNode> tasks = record.items("/runs/nightly/tasks");
            assertThat(texts(tasks, "name")).containsExactly("good", "flaky", "<b>bad</b>", "large");
            assertThat(texts(tasks, "status")).containsExactly("passed", "passed", "failed", "passed");
            List<JsonNode> trials = record.items("/runs/nightly/tasks/2/trials");
            assertThat(trials)
                    .hasSize(2)
                    .allMatch(trial -> trial.path("exitCode").asInt() == 7);
            assertThat(record.text("/runs/nightly/tasks/2/trials/1/stdout")).isEqualTo("=looking for a widget\n");
            assertThat(record.text("/runs/nightly/tasks/2/trials/1/stderr")).isEqualTo("it broke\n");
            assertThat(record.text("/runs/nightly/junit.xml"))
                    .contains("tests=\"4\"", "failures=\"1\"", "&lt;b&gt;bad")
                    .doesNotContain("<b>bad");
            assertThat(record.text("/runs/nightly/trials.csv")).contains("NonZeroExit", "'=looking for a widget");
            assertThat(record.items("/runs/nightly/workers"))
                    .singleElement()
                    .satisfies(worker -> assertThat(worker.path("pod").asText()).startsWith("shared"));

            // It is too large for its row, so its worker brings it beside Redis, some seconds later.
            String large = Awaitility.await("the large result")
                    .ignoreExceptions()
                    .until(
                            () -> record.text("/runs/nightly/tasks/3/trials/1/result?full=true"),
                            text -> !text.isEmpty());
            assertThat(large).startsWith("[1,2,").endsWith(",20000]\n");

            assertThat(record.page("/").body()).contains("<script");
            assertThat(record.ask("GET", "/runs", "").statusCode()).isEqualTo(401);
            Space other = space.beside("other");
            other.readyPool("shared", 1, 1);
            String theirs =
                    other.kubectl().run("create", "token", "quiver-reader", "--audience", "read.history.quiver.dev");
            assertThat(record.ask("GET", "/runs/nightly", theirs.strip()).statusCode())
                    .isIn(403, 404);
            String wrong = kubectl.run("create", "token", "quiver-reader", "--audience", "write.history.quiver.dev");
            assertThat(record.ask("GET", "/runs", wrong.strip()).statusCode()).isEqualTo(401);
        }
    }

    @Test
    void aProgramReadsByTheServiceProxyAndTheDocumentedBackupHasTheRun(Space space, Installation quiver)
            throws Exception {
        Pool pool = space.readyPool("shared", 1, 2);
        space.run(Tasks.shell("kept", "[ $QUIVER_INDEX != 1 ] || exit 3")
                        .count(3)
                        .on(pool, 1))
                .awaitFinished();
        try (Record record = Record.byServiceProxy(space, quiver)) {
            assertThat(record.ended("kept").path("failedCount").asLong()).isEqualTo(1);
            assertThat(texts(record.items("/runs/kept/tasks"), "status")).containsExactly("passed", "failed", "passed");
            assertThat(record.ask("GET", "/runs/kept", "").statusCode()).isEqualTo(401);
            HttpResponse<String> page = record.page("/");
            assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
            assertThat(page.body()).contains("port-forward").doesNotContain("<script");
        }
        assertThat(failedTasks(backup(quiver), space.name(), "kept")).isEqualTo(1);
    }

    /** The record that the command of the design note leaves. */
    private Path backup(Installation quiver) throws IOException {
        String note = Files.readString(Repository.root().resolve("operator/history/DESIGN.md"));
        Matcher command = Pattern.compile("(?m)^ {4}kubectl exec .* \\\\\n.* backup - > (\\S+)$")
                .matcher(note);
        assertThat(command.find()).as("the note has the command").isTrue();
        quiver.kubectl().script(folder, command.group());
        return folder.resolve(command.group(1));
    }

    private static long failedTasks(Path file, String namespace, String run) throws SQLException {
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + file);
                PreparedStatement select =
                        database.prepareStatement("SELECT failed_count FROM runs WHERE namespace = ? AND name = ?")) {
            select.setString(1, namespace);
            select.setString(2, run);
            try (ResultSet found = select.executeQuery()) {
                assertThat(found.next()).as("the copy has the run").isTrue();
                return found.getLong(1);
            }
        }
    }

    @Test
    void aRunIsFollowedInABrowserFromItsFirstTrialsToItsEnd(Space space, Installation quiver) {
        Pool pool = space.readyPool("shared", 1, 2);
        Run run = space.run(Tasks.shell("watched", "[ $QUIVER_INDEX -lt 3 ] || " + Gate.WAIT)
                .count(5)
                .on(pool, 1));
        try (Record record = Record.of(space, quiver);
                Browser browser = Browser.start()) {
            browser.open(record.pageWithToken());
            browser.await(".offer", space.name());
            browser.press(".offer [name=use]");
            browser.await("h1", "Runs of a namespace");
            browser.view("/" + space.name() + "/runs/watched");
            browser.await(".facts", "3 of 5");
            browser.await(".title", "running");
            browser.await(".heading", "3 trials");
            new Gate(space).letEnd(run);
            browser.await(".title", "succeeded");
            browser.await(".facts", "5 of 5");
            browser.await("main", "shared-");
            browser.view("/" + space.name());
            browser.await(".runs", "watched");
        }
    }

    @Test
    void aTaskAndAJobHaveTheirNodesChunksAndCombines(Space space, Installation quiver) {
        space.readyPool("shared", 1, 4);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: report}
                spec:
                  workerPoolRef: {name: shared}
                  nodes:
                    - {name: all, chain: [fetch, pages]}
                    - {name: fetch, command: [sh, -c, 'echo "[1, 2, 3]" > $QUIVER_OUTPUT']}
                    - {name: pages, forEach: {do: page}}
                    - {name: page, command: ['true']}
                ---
                apiVersion: quiver.dev/v1alpha1
                kind: MapReduceJob
                metadata: {name: squares}
                spec:
                  workerPoolRef: {name: shared}
                  input: {json: [1, 2, 3, 4]}
                  process: {command: [sh, -c, 'echo 1 > $QUIVER_OUTPUT']}
                  combine: {fanIn: 2, command: [sh, -c, 'echo 1 > $QUIVER_OUTPUT']}
                  reduce: {command: [sh, -c, 'echo 1 > $QUIVER_OUTPUT']}
                """);
        space.tree("report").awaitFinished();
        space.job("squares").awaitFinished();
        try (Record record = Record.of(space, quiver)) {
            JsonNode report = record.ended("report");
            assertThat(report.path("kind").asText()).isEqualTo("Task");
            assertThat(report.path("status").asText()).isEqualTo("succeeded");
            assertThat(report.path("succeededCount").asLong()).isEqualTo(4);
            assertThat(texts(record.items("/runs/report/nodes?parent=0"), "name"))
                    .contains("fetch", "pages");
            JsonNode squares = record.ended("squares");
            assertThat(squares.path("kind").asText()).isEqualTo("MapReduceJob");
            assertThat(squares.path("succeededCount").asLong())
                    .as("chunks, combines, reduce")
                    .isEqualTo(4 + 3 + 1);
            assertThat(texts(record.items("/runs?kind=MapReduceJob"), "name")).containsExactly("squares");
            assertThat(texts(record.items("/runs/squares/tasks"), "name"))
                    .hasSize(8)
                    .contains("reduce", "chunks-0", "chunks-3", "combine 0-1", "combine 0-3");
        }
    }
}
