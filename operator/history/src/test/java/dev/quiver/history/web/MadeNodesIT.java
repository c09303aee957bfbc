package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static dev.quiver.history.web.ServedRecord.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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

/** Names of what a forEach has made, and of folds, over both databases. */
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

    /** A chain below a forEach, whose second node is a forEach again; and the folds of ten chunks. */
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
                .add(new HistoryEntry.Ranged("j1", T0, new NodeRange(NodeRange.Kind.FOLDS, 1, first, 10, 4, 0)))
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
