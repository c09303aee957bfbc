package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.Speculation;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** A task that hangs in one pod is finished by another one, as a person sees it. */
@Scenario
class SpeculationE2E {

    @Test
    void anIdlePodFinishesWhatHangsInAnotherOne(Space space, Installation quiver) {
        Pool pool = space.readyPool("shared", 1, 2);
        String stuck = pool.pods().getFirst().getMetadata().getName();
        Run run = space.run(Tasks.shell("checks", "while [ \"$(hostname)\" = \"$0\" ]; do sleep 1; done")
                .on(pool, 2)
                .with(spec -> spec.source(TaskSource.ofItems(Stream.of("a", "b", "hangs")
                                .map(name -> OrderE2E.item(name, name.equals("hangs") ? stuck : "nowhere"))
                                .toList()))
                        .speculation(new Speculation(Speculation.Mode.WhenIdle))));
        run.await("two of three passed", status -> status.succeeded() != null && status.succeeded() == 2);
        assertThat(run.status().speculated()).as("nobody else is there").isZero();

        space.kubectl().run("scale", "wpool", "shared", "--replicas=2");
        assertThat(run.awaitFinished())
                .returns(3L, TaskSetStatus::succeeded)
                .returns(0L, TaskSetStatus::failed)
                .returns(3L, TaskSetStatus::trials)
                .returns(1L, TaskSetStatus::speculated);

        try (Record record = Record.of(space, quiver)) {
            record.ended("checks");
            List<JsonNode> trials = Awaitility.await("both trials are on record")
                    .ignoreExceptions()
                    .until(() -> record.items("/runs/checks/tasks/2/trials"), all -> all.size() == 2);
            assertThat(trials)
                    .extracting(trial -> trial.path("status").asText())
                    .containsExactlyInAnyOrder("passed", "cancelled");
            JsonNode task = record.items("/runs/checks/tasks").get(2);
            assertThat(task.path("status").asText()).isEqualTo("passed");
            assertThat(record.text("/runs/checks/log")).contains("cancelled, Superseded");
        }
    }
}
