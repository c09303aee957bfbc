package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.cluster.Command;
import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Burden;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Unrestricted;

/** The demo's show, on a namespace that has had no run before: it ends well, and the record has it. */
@Burden
class DemoE2E {

    private static final Duration LONGEST = Duration.ofMinutes(20);

    @Test
    void endsAsSucceededAndItsRunIsOnItsPage(
            @Unrestricted("the files that people are given ask for no security context") Space space,
            Installation quiver) {
        String shown = Command.of(
                        "env",
                        "KUBECONFIG=" + quiver.cluster().kubeconfig(),
                        "KUBECTL=" + Repository.built("kubectl"),
                        "DEMO_NAMESPACE=" + space.name(),
                        Repository.root().resolve("e2e/demo/show").toString())
                .within(LONGEST)
                .run();
        assertThat(shown).contains("229: 225 passed, 4 pending", ", 0 failed", "4 were repetitions");
        Run run = space.run("networkx");
        assertThat(run.status())
                .returns(229L, TaskSetStatus::succeeded)
                .returns(4L, TaskSetStatus::pending)
                .returns(233L, TaskSetStatus::trials);
        assertThat(run.reason(ConditionType.Succeeded)).isEqualTo("AllTasksSucceeded");
        try (Record record = Record.of(space, quiver)) {
            JsonNode kept = record.ended("networkx");
            assertThat(kept.path("namespace").asText()).isEqualTo(space.name());
            assertThat(kept.path("succeededCount").asLong()).isEqualTo(225);
            assertThat(kept.path("pendingCount").asLong()).isEqualTo(4);
        }
    }
}
