package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/** The differences between two runs. */
class ComparisonIT {

    private static final String COMPARE = "/v1/namespaces/{namespace}/runs/{run}/compare";
    private static final String TEAM = "/v1/namespaces/team-a/runs";

    private static final ServedRecord.Story STORY = (record, client) -> {
        record.opened("a", T0, RunOpening.of(RunKind.TASK_SET, "a", T0, 4).in("c", "h1"))
                .named("a", "h1", List.of("one", "two", "three", "four", "five"))
                .step(
                        "a",
                        "s1",
                        1,
                        T0,
                        new StepRows()
                                .pass(0, 0, 0, 100)
                                .pass(1, 0, 0, 1000)
                                .trial(failed(2))
                                .trial(failed(4)))
                .opened("b", T0, RunOpening.of(RunKind.TASK_SET, "b", T0, 4).in("c", "h2"))
                .named("b", "h2", List.of("zero", "one", "two", "three", "five"))
                .step(
                        "b",
                        "s1",
                        2,
                        T0,
                        new StepRows()
                                .pass(0, 0, 0, 100)
                                .trial(failed(1))
                                .pass(2, 0, 0, 5000)
                                .pass(3, 0, 0, 100)
                                .trial(failed(4)))
                .write();
        String address = TEAM + "/b/compare?with=a&what=";
        JsonNode failed = client.json(200, COMPARE, address + "newly-failed");
        assertThat(ServedRecord.texts(failed, "name")).containsExactly("one");
        assertThat(failed.get("counts").toString())
                .isEqualTo(
                        "{\"newly-failed\":1,\"still-failed\":1,\"fixed\":1,\"slower\":1,\"faster\":0,\"added\":1,\"gone\":0}");
        assertThat(ServedRecord.texts(client.json(200, COMPARE, address + "still-failed"), "name"))
                .containsExactly("five");
        assertThat(ServedRecord.texts(client.json(200, COMPARE, address + "fixed"), "name"))
                .containsExactly("three");
        assertThat(ServedRecord.texts(client.json(200, COMPARE, address + "slower"), "runMillis"))
                .containsExactly("5000");
        assertThat(ServedRecord.texts(client.json(200, COMPARE, address + "added"), "name"))
                .containsExactly("zero");
        assertThat(ServedRecord.texts(client.json(200, COMPARE, TEAM + "/a/compare?with=b&what=gone"), "name"))
                .containsExactly("zero");
        client.json(400, COMPARE, address + "other");
        client.json(400, COMPARE, TEAM + "/b/compare");
        client.json(404, COMPARE, TEAM + "/b/compare?with=c");
    };

    private static TrialRow failed(long task) {
        return TrialRow.of(task, 1, 3, TrialStatus.FAILED, 5, 1200);
    }

    @Test
    void tasksMeetByNumberOrByName(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, STORY);
    }

    @Test
    void theyDoSoInPostgres() throws Exception {
        ServedRecord.overPostgres(STORY);
    }
}
