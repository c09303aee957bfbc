package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskFailure;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Unrestricted;

/** Workloads that do harm, and images that do not run: a clear word, the worker usable again, nobody else harmed. */
@Scenario
class HostileWorkloadsE2E {

    @Test
    void imageThatCannotBePulledIsSaidInTheConditions(Space space) {
        // A registry that refuses at once: what is not resolved may be tried for a minute.
        Run run = space.run(Tasks.shell("lost", "true").image("127.0.0.1:1/no/such:image"));
        Pool pool = space.pool("tset-lost");
        pool.awaitReason(ConditionType.Ready, "ImagePullFailed");
        run.await("says why", status -> run.message(ConditionType.Finished).contains("127.0.0.1:1/no/such:image"));
        assertThat(run.reason(ConditionType.Finished)).isEqualTo("WaitingForWorkers");
        assertThat(run.message(ConditionType.Finished)).contains("ImagePullFailed", "cannot be pulled");
        assertThat(run.status()).returns(1L, TaskSetStatus::queued).returns(0L, TaskSetStatus::failed);
    }

    @Test
    void imageThatMustRunAsRootIsSaidInTheConditions(Space space) {
        // The template asks for a user that is not root, and the image knows no other.
        Run run = space.run(Tasks.shell("rooted", "true")
                .image("docker.io/library/redis:7")
                .pods(pod -> pod.editSpec()
                        .withNewSecurityContext()
                        .withRunAsNonRoot(true)
                        .endSecurityContext()
                        .endSpec()));
        Pool pool = space.pool("tset-rooted");
        pool.awaitReason(ConditionType.Ready, "ContainerConfigInvalid");
        run.await("says why", status -> run.message(ConditionType.Finished).contains("runAsNonRoot"));
        assertThat(run.reason(ConditionType.Finished)).isEqualTo("WaitingForWorkers");
    }

    @Test
    void containerOfRootRunsTasks(@Unrestricted("a container of root") Space space) {
        Run run = space.run(Tasks.shell("rooted", "test $(id -u) = 0")
                .pods(pod -> pod.editSpec()
                        .withNewSecurityContext()
                        .withRunAsUser(0L)
                        .endSecurityContext()
                        .endSpec()));
        assertThat(run.awaitFinished()).returns(1L, TaskSetStatus::succeeded);
    }

    @Test
    void badNeighboursGetAClearWordAndDoNoHarm(Space space) {
        Pool pool = space.readyPool("shared", 1, 4);
        Run good = space.run(Tasks.shell("good", "sleep 0.5").count(60).on(pool, 1));

        Run missing = space.run(Tasks.command("missing", "/no/such/program").on(pool, 1));
        Run forbidden = space.run(Tasks.command("forbidden", "/etc/hostname").on(pool, 1));
        Run chatty = space.run(Tasks.shell("chatty", "yes | head -c 104857600; echo the end >&2; exit 9")
                .on(pool, 1));
        Run daemons = space.run(Tasks.shell("daemons", """
                        for i in 1 2 3; do setsid sh -c 'exec sleep 313' & done
                        python3 -c 'import os,time
                        if os.fork() == 0:
                          os.setsid()
                          if os.fork() == 0:
                            time.sleep(313)
                          os._exit(0)'
                        """.replace("\n                        ", "\n"))
                .on(pool, 1));
        Run hoarder = space.run(
                Tasks.shell("hoarder", "head -c 8388608 /dev/zero > \"$QUIVER_OUTPUT\" && echo it fits >&2; exit 4")
                        .on(pool, 1));
        Run filler = space.run(Tasks.shell("filler", "cat /dev/zero > \"$(dirname \"$QUIVER_OUTPUT\")/junk\"")
                .on(pool, 1));
        Run garbled = space.run(Tasks.shell("garbled", "printf 'broken \\377\\376\\303 text' >&2; exit 3")
                .on(pool, 1));
        Run large = space.run(Tasks.shell("large", "head -c 2000000 /dev/zero > \"$QUIVER_OUTPUT\" || true")
                .on(pool, 1));

        assertThat(failure(missing))
                .returns("CommandNotFound", TaskFailure::reason)
                .matches(failure -> failure.message().contains("/no/such/program"));
        assertThat(failure(forbidden)).returns("PermissionDenied", TaskFailure::reason);
        assertThat(failure(chatty))
                .returns("NonZeroExit", TaskFailure::reason)
                .returns(9, TaskFailure::exitCode)
                .matches(failure -> failure.message().contains("the end"));
        assertThat(daemons.awaitFinished()).returns(1L, TaskSetStatus::succeeded);
        assertThat(failure(hoarder).message()).contains("No space left").doesNotContain("it fits");
        assertThat(failure(filler).message()).contains("No space left");
        assertThat(failure(garbled).message())
                .contains("broken ", " text")
                .matches(words -> words.codePoints().noneMatch(it -> it != '\n' && Character.isISOControl(it)));
        large.awaitFinished(); // either word is clear: what matters is the next task

        assertThat(good.awaitFinished())
                .returns(60L, TaskSetStatus::succeeded)
                .returns(60L, TaskSetStatus::trials)
                .returns(0L, TaskSetStatus::failed);
        assertUsable(space, pool);
        Awaitility.await("no daemon is left")
                .untilAsserted(() -> assertThat(processes(pool)).doesNotContain("313"));
        assertThat(pool.pods())
                .singleElement()
                .satisfies(pod -> assertThat(pod.getStatus().getContainerStatuses())
                        .allMatch(status -> status.getRestartCount() == 0));
    }

    @Test
    void taskThatIgnoresTermIsKilledAtCancelAndDeadline(Space space) {
        Pool pool = space.readyPool("shared", 1, 4);
        String deaf = "trap '' TERM; echo up; while :; do sleep 1; done";
        Run cancelled = space.run(Tasks.shell("cancelled", deaf).count(2).on(pool, 1));
        Run late =
                space.run(Tasks.shell("late", deaf).count(2).on(pool, 1).with(spec -> spec.activeDeadlineSeconds(4L)));
        cancelled.awaitRunning(2);
        cancelled.patch("\"cancel\":true");
        cancelled.awaitFinished();
        late.awaitFinished();
        assertThat(cancelled.reason(ConditionType.Succeeded)).isEqualTo("Cancelled");
        assertThat(late.reason(ConditionType.Succeeded)).isEqualTo("DeadlineExceeded");
        Awaitility.await("they are killed")
                .untilAsserted(() -> assertThat(processes(pool)).doesNotContain("echo up"));
        assertUsable(space, pool);
    }

    @Test
    void taskThatIsOutOfMemoryIsSaidSoAndOthersAreNot(Space space) {
        Run run = space.run(Tasks.shell("greedy", """
                        [ $QUIVER_INDEX != 2 ] || exec python3 -c 'x = bytearray(400 << 20); x[:] = bytes(1) * len(x)'
                        sleep 0.5
                        """)
                .count(12)
                .workers(1, 2)
                .trials(2)
                .pods(pod -> pod.editSpec()
                        .editFirstContainer()
                        .withResources(new ResourceRequirementsBuilder()
                                .withLimits(Map.of("memory", new Quantity("128Mi")))
                                .build())
                        .endContainer()
                        .endSpec()));
        TaskSetStatus end = run.awaitFinished();
        assertThat(end).returns(11L, TaskSetStatus::succeeded).returns(1L, TaskSetStatus::failed);
        assertThat(end.failures())
                .isNotEmpty()
                .allMatch(failure -> failure.task().equals("2"))
                .allMatch(failure -> failure.reason().equals("OOMKilled"));
    }

    private static TaskFailure failure(Run run) {
        assertThat(run.awaitFinished()).as(run.name()).returns(1L, TaskSetStatus::failed);
        return run.status().failures().getFirst();
    }

    /** All of its slots take tasks and pass them. */
    private static void assertUsable(Space space, Pool pool) {
        assertThat(space.run(Tasks.shell("afterwards", "sleep 0.2; echo enough > \"$QUIVER_OUTPUT\"")
                                .count(16)
                                .on(pool, 1))
                        .awaitFinished())
                .returns(16L, TaskSetStatus::succeeded)
                .returns(16L, TaskSetStatus::trials);
    }

    private static String processes(Pool pool) {
        return pool.exec(
                "sh", "-c", "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f; echo; done | grep -v /proc/");
    }
}
