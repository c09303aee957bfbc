package dev.quiver.history.web;

import static dev.quiver.history.rig.Record.T0;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/** Failures of one reason that have several kinds. */
class FailureGroupsIT {

    private static final String FAILURES = "/v1/namespaces/{namespace}/runs/{run}/failures";
    private static final String KINDS = "/v1/namespaces/team-a/runs/kinds/failures?group=";

    private static final ServedRecord.Story STORY = (record, client) -> {
        record.opened("kinds", "kinds", T0, 6);
        StepRows rows = new StepRows();
        List<String> messages = List.of("no disk\n/a", "\n no disk \n/b", "no net", "no disk", "", "x".repeat(1000));
        for (int task = 0; task < messages.size(); task++) {
            rows = rows.trial(TrialRow.of(task, 1, 0, TrialStatus.FAILED, 0, 1)
                    .because(Optional.of(1), Optional.empty(), "NonZeroExit", messages.get(task)));
        }
        record.step("kinds", "s1", 1, T0, rows).write();
        JsonNode kinds = client.json(200, FAILURES, KINDS + "message").get("items");
        assertThat(kinds.findValuesAsText("tasks")).containsExactly("3", "1", "1", "1");
        assertThat(kinds.findValuesAsText("firstTask")).containsExactly("0", "2", "4", "5");
        assertThat(kinds.findValuesAsText("message")).containsExactly("no disk", "no net", "x".repeat(300));
        assertThat(kinds.get(0).get("firstTasks").toString()).isEqualTo("[0,1,3]");
        client.json(400, FAILURES, KINDS + "task");
    };

    @Test
    void theFirstLineOfTheMessageTellsThemApart(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, STORY);
    }

    @Test
    void itDoesSoInPostgres() throws Exception {
        ServedRecord.overPostgres(STORY);
    }

    @Test
    void moreKindsThanAnAnswerHoldsCountWithTheirReason(@TempDir Path folder) throws Exception {
        ServedRecord.overSqlite(folder, (record, client) -> {
            record.opened("kinds", "kinds", T0, 1100);
            for (int step = 0; step < 20; step++) {
                StepRows rows = new StepRows();
                for (int i = 0; i < 55; i++) {
                    int task = step * 55 + i;
                    rows = rows.trial(TrialRow.of(task, 1, 0, TrialStatus.FAILED, 0, 1)
                            .because(Optional.of(1), Optional.empty(), "NonZeroExit", "kind " + task));
                }
                record.step("kinds", "s1", step + 1, T0, rows);
            }
            record.write();
            JsonNode kinds = client.json(200, FAILURES, KINDS + "message").get("items");
            assertThat(kinds).hasSize(1001);
            assertThat(kinds.get(0).get("tasks").asInt()).isEqualTo(100);
            assertThat(kinds.get(0).has("message")).isFalse();
            assertThat(kinds.get(0).get("firstTasks")).hasSize(20);
        });
    }
}
