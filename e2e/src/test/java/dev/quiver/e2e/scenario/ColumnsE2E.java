package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Burden;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Unrestricted;

/** The example of handlers over Parquet files, as its README has it. */
@Burden
class ColumnsE2E {

    private static final Path EXAMPLE = Repository.root().resolve("worker-image/sdk/python/examples/columns");

    @Test
    void sumsUpColumnarFilesWithoutAnImportForEach(
            @Unrestricted("the files that people are given ask for no security context") Space space,
            Installation quiver) {
        quiver.load(Images.archives("columns"));
        space.kubectl()
                .run("apply", "-f", EXAMPLE.resolve("taskset-handlers.yaml").toString());
        Run run = space.run("columns");
        run.awaitReason(ConditionType.HandlerAvailable, "HandlerServed");
        // The pool's status is written by a reconciliation of its own, later than the run's condition or before it.
        space.pool("tset-columns")
                .await("names the handler", it -> it.handlers().equals(List.of("summarise")));
        assertThat(run.awaitFinished()).returns(480L, TaskSetStatus::succeeded).returns(480L, TaskSetStatus::trials);
    }
}
