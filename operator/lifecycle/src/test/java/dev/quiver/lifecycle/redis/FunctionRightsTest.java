package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

class FunctionRightsTest {

    private static final ScriptLibrary OWN =
            ScriptLibrary.of(List.of(Script.of("task/step"), Script.of("task/drop"), Script.of("task/submit")));

    private static Map<String, Object> library(String name, Object... functions) {
        return Map.of("library_name", name, "functions", List.of(functions));
    }

    @Test
    void eachRoleCallsItsOwnFunctionsInBothForms() {
        FunctionRights rights = FunctionRights.of(OWN);
        assertThat(rights.rules(ScriptRole.WORKER))
                .containsExactlyInAnyOrder(
                        "+fcall|" + OWN.name() + "_task_step", "+fcall|" + OWN.name() + "_task_step_drain");
        assertThat(rights.rules(ScriptRole.CLIENT)).containsExactly("+fcall|" + OWN.name() + "_task_submit");
        assertThat(rights.rules(ScriptRole.HISTORY)).isEmpty();
    }

    @Test
    void librariesOfOtherReleasesSayThemselvesWhoMayCallThem() {
        FunctionRights rights = FunctionRights.of(
                OWN,
                List.of(
                        library(
                                "quiver_newer",
                                List.of(
                                        "name",
                                        "quiver_newer_task_walk",
                                        "description",
                                        "operator, worker",
                                        "flags",
                                        List.of()),
                                Map.of("name", "quiver_newer_task_step", "description", "client"),
                                List.of("name", "quiver_newer_x", "description", "auditor")),
                        library(
                                "quiver_older",
                                List.of("name", "quiver_older_task_step", "description", ""),
                                Map.of("name", "quiver_older_task_gone"),
                                List.of("name", "quiver_newer_task_drop", "description", "worker")),
                        library("someone", List.of("name", "someone_task_step", "description", "worker"))));
        assertThat(rights.rules(ScriptRole.WORKER))
                .containsExactly("+fcall|quiver_newer_task_walk", "+fcall|quiver_older_task_step");
        assertThat(rights.rules(ScriptRole.CLIENT)).containsExactly("+fcall|quiver_newer_task_step");
    }
}
