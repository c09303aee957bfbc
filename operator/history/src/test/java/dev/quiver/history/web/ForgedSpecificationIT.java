package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Record;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;

/** JSON that Jackson reads and its writer refuses: an answer must not break off because of it. */
class ForgedSpecificationIT {

    private static final String TEAM = "/v1/namespaces/team-a/runs";
    private static final String RUN = "/v1/namespaces/{namespace}/runs/{run}";

    @Test
    void isAnswered(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, (record, client) -> {
            written(record, "alone", "{\"source\":{\"matrix\":{\"os\":[\"\\ud800\"]}}}");
            written(record, "deep", "{\"a\":" + "[".repeat(999) + "]".repeat(999) + "}");
            for (String uid : List.of("alone", "deep")) {
                assertThat(client.json(200, RUN, TEAM + "/" + uid).get("spec"))
                        .as(uid)
                        .isNotEmpty();
                assertThat(client.json(200, RUN + "/tasks", TEAM + "/" + uid + "/tasks")
                                .get("items"))
                        .as(uid)
                        .hasSize(1);
            }
        });
    }

    private static void written(Record record, String uid, String spec) throws Exception {
        RunOpening opening = new RunOpening(
                RunKind.TASK_SET,
                uid,
                "",
                Optional.empty(),
                "",
                Optional.empty(),
                0,
                Optional.empty(),
                T0,
                1,
                Optional.empty(),
                0,
                0,
                false,
                Map.of(),
                spec.getBytes(StandardCharsets.UTF_8));
        record.opened(uid, T0, opening).passes(uid, "s1", 1, 0, 1).write();
    }
}
