package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static dev.quiver.history.web.ServedRecord.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.Record;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.NodeRange;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;

/** Names of what a forEach has made, and of combines, over both databases. */
class MadeNodesIT {

    private static final String RUN = "/v1/namespaces/{namespace}/runs/{run}";
    private static final String TEAM = "/v1/namespaces/team-a/runs";

    @Test
    void sqlite(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, MadeNodesIT::haveNames);
    }

    @Test
    void postgres() throws Exception {
        ServedRecord.overPostgres(MadeNodesIT::haveNames);
    }

    @Test
    void childrenOfAnIteratorOverSqlite(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, MadeNodesIT::childrenHaveNames);
    }

    @Test
    void childrenOfAnIteratorOverPostgres() throws Exception {
        ServedRecord.overPostgres(MadeNodesIT::childrenHaveNames);
    }

    /**
     * An iterator within a forEach. Its second copy has two single children, and then two that are a forEach each. The last
     * of these has copies. One range names itself its parent.
     */
    private static void childrenHaveNames(Record record, Client client) throws Exception {
        record.opened("t1", T0, RunOpening.of(RunKind.TASK, "tree", T0, 13))
                .add(new HistoryEntry.Named(
                        "t1",
                        T0,
                        new RunNames(
                                "",
                                0,
                                List.of(),
                                List.of(
                                        new RunNames.Node(0, -1, "forEach", "files", "", 0, 0),
                                        new RunNames.Node(1, 0, "iterator", "rows", "", 0, 0)))))
                .add(new HistoryEntry.Ranged("t1", T0, new NodeRange(NodeRange.Kind.EACH, 0, 2, 3, 1, 1)))
                .add(new HistoryEntry.Ranged("t1", T0, new NodeRange(NodeRange.Kind.MADE, 3, 5, 2, 1, 0)))
                .add(new HistoryEntry.Ranged("t1", T0, new NodeRange(NodeRange.Kind.MADE, 3, 7, 2, 2, 2)))
                .add(new HistoryEntry.Ranged("t1", T0, new NodeRange(NodeRange.Kind.EACH, 9, 11, 4, 1, 10)))
                .add(new HistoryEntry.Ranged("t1", T0, new NodeRange(NodeRange.Kind.MADE, 20, 20, 4, 1, 0)))
                .add(new HistoryEntry.Step(
                        "tasks:pool",
                        T0,
                        HistoryEntry.Source.QUEUE,
                        "s1",
                        1,
                        "cccccc",
                        new StepRows()
                                .run("t1")
                                .pass(3, 0, 0, 10)
                                .pass(5, 0, 0, 10)
                                .pass(6, 0, 0, 10)
                                .pass(8, 0, 0, 10)
                                .pass(13, 0, 0, 10)
                                .pass(21, 0, 0, 10)
                                .encode()))
                .write();
        JsonNode tasks = client.json(200, RUN + "/tasks", TEAM + "/t1/tasks").get("items");
        List<String> names = new ArrayList<>();
        tasks.forEach(task -> names.add(task.path("name").asText("none")));
        assertThat(names)
                .containsExactly("rows[1]", "rows[1][0]", "rows[1][1]", "rows[1][2].1", "rows[1][3].1[2]", "none");
    }

    @Test
    void combinationsOfAMatrixOverSqlite(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, MadeNodesIT::combinationsHaveNames);
    }

    @Test
    void combinationsOfAMatrixOverPostgres() throws Exception {
        ServedRecord.overPostgres(MadeNodesIT::combinationsHaveNames);
    }

    /** A million of them, of which the operator has named none. */
    private static void combinationsHaveNames(Record record, Client client) throws Exception {
        String values =
                IntStream.range(0, 1000).mapToObj(i -> "\"" + i + "\"").collect(Collectors.joining(",", "[", "]"));
        record.opened(
                        "t1",
                        T0,
                        new RunOpening(
                                RunKind.TASK_SET,
                                "tests",
                                "",
                                Optional.empty(),
                                "",
                                Optional.empty(),
                                0,
                                Optional.empty(),
                                T0,
                                1_000_000,
                                Optional.of("hash"),
                                0,
                                0,
                                false,
                                Map.of(),
                                ("{\"source\":{\"matrix\":{\"a\":" + values + ",\"b\":" + values + "}}}")
                                        .getBytes(StandardCharsets.UTF_8)))
                .add(new HistoryEntry.Step(
                        "t1",
                        T0,
                        HistoryEntry.Source.SET,
                        "s1",
                        1,
                        "cc",
                        new StepRows().pass(7, 0, 0, 10).pass(999_998, 0, 0, 10).encode()))
                .write();
        assertThat(texts(client.json(200, RUN + "/tasks", TEAM + "/t1/tasks"), "name"))
                .containsExactly("a=0,b=7", "a=999,b=998");
    }

    /** Names of all pages. */
    private static List<String> all(Client client, String address) throws Exception {
        List<String> names = new ArrayList<>();
        JsonNode page = client.json(200, RUN + "/nodes", address);
        names.addAll(texts(page, "name"));
        while (page.has("continue")) {
            page = client.json(
                    200,
                    RUN + "/nodes",
                    address + "&continue=" + page.get("continue").asText());
            names.addAll(texts(page, "name"));
        }
        return names;
    }

    /** A chain below a forEach, whose second node is a forEach again; and the combines of ten chunks. */
    private static void haveNames(Record record, Client client) throws Exception {
        long first = 2L << HistoryBounds.CHUNK_BITS;
        record.opened("t1", T0, RunOpening.of(RunKind.TASK, "tree", T0, 13))
                .add(new HistoryEntry.Named(
                        "t1",
                        T0,
                        new RunNames(
                                "",
                                0,
                                List.of(),
                                List.of(
                                        new RunNames.Node(0, -1, "forEach", "pages", "", 0, 0),
                                        new RunNames.Node(1, 0, "chain", "page", "", 0, 0),
                                        new RunNames.Node(2, 1, "leaf", "load", "", 0, 0),
                                        new RunNames.Node(3, 1, "forEach", "rows", "", 0, 0),
                                        new RunNames.Node(4, 3, "leaf", "row", "", 0, 0)))))
                .add(new HistoryEntry.Ranged("t1", T0, new NodeRange(NodeRange.Kind.EACH, 0, 5, 20, 3, 1)))
                .add(new HistoryEntry.Ranged("t1", T0, new NodeRange(NodeRange.Kind.EACH, 58, 65, 7, 1, 4)))
                .add(new HistoryEntry.Step(
                        "tasks:pool",
                        T0,
                        HistoryEntry.Source.QUEUE,
                        "s1",
                        1,
                        "cccc",
                        new StepRows()
                                .run("t1")
                                .pass(57, 0, 0, 10)
                                .pass(67, 0, 0, 10)
                                .pass(71, 0, 0, 10)
                                .pass(72, 0, 0, 10)
                                .encode()))
                .opened("j1", T0, RunOpening.of(RunKind.MAP_REDUCE_JOB, "job", T0, 100))
                .add(new HistoryEntry.Named(
                        "j1",
                        T0,
                        new RunNames("", 0, List.of(), List.of(new RunNames.Node(1, 0, "chunks", "square", "", 0, 0)))))
                .add(new HistoryEntry.Ranged("j1", T0, new NodeRange(NodeRange.Kind.COMBINES, 1, first, 10, 4, 0)))
                .add(new HistoryEntry.Step(
                        "tasks:pool",
                        T0,
                        HistoryEntry.Source.CHUNKS,
                        "s1",
                        2,
                        "ccccc",
                        new StepRows()
                                .run("j1")
                                .pass(first + 9, 0, 0, 10)
                                .pass(first + 10, 0, 0, 10)
                                .pass(first + 12, 0, 0, 10)
                                .pass(first + 13, 0, 0, 10)
                                .pass(first + 14, 0, 0, 10)
                                .encode()))
                .write();
        assertThat(client.json(200, RUN + "/tasks", TEAM + "/t1/tasks").findValuesAsText("name"))
                .containsExactly("load[17]", "row[17][2]", "row[17][6]");
        assertThat(texts(client.json(200, RUN + "/tasks", TEAM + "/j1/tasks"), "name")
                        .subList(0, 4))
                .containsExactly("square-9", "combine 0-3", "combine 8-9", "combine 0-9");
        assertThat(texts(client.json(200, RUN + "/tasks", TEAM + "/t1/tasks?q=ROW%5B17%5D"), "name"))
                .as("found by a part of the name")
                .containsExactly("row[17][2]", "row[17][6]");
        assertThat(texts(client.json(200, RUN + "/tasks", TEAM + "/j1/tasks?q=quare"), "name"))
                .containsExactly("square-9", "square-14");
        JsonNode some = client.json(200, RUN + "/tasks", TEAM + "/j1/tasks?q=combine&limit=2");
        assertThat(texts(some, "name")).containsExactly("combine 0-3", "combine 8-9");
        String behind = some.get("continue").asText();
        assertThat(texts(client.json(200, RUN + "/tasks", TEAM + "/j1/tasks?q=combine&continue=" + behind), "name"))
                .contains("combine 0-9");
        JsonNode root = client.json(200, RUN + "/nodes", TEAM + "/tree/nodes").get("items");
        assertThat(root).hasSize(1);
        assertThat(root.get(0).get("n").asInt()).isEqualTo(20);
        assertThat(all(client, TEAM + "/tree/nodes?parent=0&limit=3"))
                .hasSize(20)
                .contains("page[0]", "page[19]");
        JsonNode page = client.json(200, RUN + "/nodes", TEAM + "/tree/nodes?parent=56");
        assertThat(texts(page, "name")).containsExactly("load[17]", "rows[17]");
        assertThat(texts(page, "ordinal")).containsExactly("57", "58");
        assertThat(all(client, TEAM + "/tree/nodes?parent=58&limit=3"))
                .containsExactly(
                        "row[17][0]",
                        "row[17][1]",
                        "row[17][2]",
                        "row[17][3]",
                        "row[17][4]",
                        "row[17][5]",
                        "row[17][6]");
    }
}
