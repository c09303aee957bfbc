package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.cluster.Failures;
import dev.quiver.e2e.quiver.AllKinds;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** The processes that run tasks do not need the API server, and the rest of an installation does not need the operator. */
@Disturbance
@Order(5)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ControlPlaneLossE2E {

    @Test
    void operatorComesBackByItselfAfterApiServerWasRestarted(Space space, Installation quiver) {
        Failures failures = quiver.cluster().failures();
        AllKinds work = AllKinds.midway(space);
        // Away as well: it may judge the nodes by what it has heard before, and give up pods that live.
        failures.stopPart("controller-manager");
        failures.stopPart("apiserver");
        try {
            Awaitility.await("12 s without an API server")
                    .pollDelay(Duration.ofSeconds(12))
                    .until(() -> true);
        } finally {
            failures.startPart("apiserver");
        }
        Awaitility.await("the API server answers")
                .until(() -> quiver.kubectl().run("get", "--raw", "/readyz").equals("ok"));
        failures.startPart("controller-manager");

        work.awaitGoesOn();
        work.assertRight();
        assertThat(space.run(Tasks.shell("next", "true").count(4)).awaitFinished())
                .as("a new run is served")
                .returns(4L, TaskSetStatus::succeeded);
    }

    /** The last one: what comes after it has to install again. */
    @Test
    @Order(Integer.MAX_VALUE)
    void namespacesStillDeleteWhenOperatorWasUninstalledWhileRedisIsAway(Space space, Installation quiver) {
        space.readyPool("shared", 1, 2);
        Run run = space.run(Tasks.shell("work", "sleep 1").count(500));
        run.awaitSucceeded(1);
        quiver.giveUp();
        quiver.scale(Installation.REDIS, 0);
        quiver.uninstall();
        space.kubectl().run("delete", "namespace", space.name(), "--timeout=4m");
    }
}
