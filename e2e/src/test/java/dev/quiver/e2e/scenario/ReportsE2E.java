package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;

/** Test files whose own reports say how they ended. */
@Scenario
class ReportsE2E {

    @Test
    void reportsOfPytestDecideAndTheirCasesAreOnRecord(Space space, Installation quiver) {
        space.readyPool("shared", 1, 3);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: reported}
                spec:
                  replicas: 1
                  maxTrials: 1
                  workerPoolRef: {name: shared}
                  source:
                    items:
                      - {name: good, args: ['assert True']}
                      - {name: bad, args: ['assert 1 == 2']}
                      - {name: later, args: ['pytest.skip("not here")']}
                  task:
                    command:
                      - sh
                      - -c
                      - |
                        cd "$(mktemp -d)"
                        printf 'import pytest\\n\\ndef test_it():\\n    %s\\n' "$0" > test_file.py
                        python3 -m pytest -q -p no:cacheprovider --junitxml="$QUIVER_OUTPUT" test_file.py
                        exit 0   # as a careless script does
                    result: {format: JUnit}
                """);
        TaskSetStatus status = space.run("reported").awaitFinished();
        assertThat(status)
                .returns(2L, TaskSetStatus::succeeded)
                .returns(1L, TaskSetStatus::pending)
                .returns(1L, TaskSetStatus::failed);
        assertThat(status.failures().getFirst().reason()).isEqualTo("TestsFailed");
        assertThat(status.failures().getFirst().message()).startsWith("test_file.test_it: assert 1 == 2");
        try (Record record = Record.of(space, quiver)) {
            JsonNode run = record.ended("reported");
            String address = "/runs/" + run.path("uid").asText();
            JsonNode one = record.json(address + "/tasks/1/trials/1/cases").path("items");
            assertThat(one).hasSize(1);
            assertThat(one.get(0).path("name").asText()).isEqualTo("test_file.test_it");
            assertThat(record.text(address + "/junit.xml"))
                    .contains("classname=\"bad\"", "<skipped message=\"not here\"/>");
        }
    }
}
