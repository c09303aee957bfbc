package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.LogBook;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** Workers die in every way that a pod can, and each task counts once. */
@Scenario
class WorkerLossE2E {

    private static final int TASKS = 20;

    /** A supervisor that is back within its lease goes on with what runs; later, and it runs again elsewhere. */
    @Test
    void losesNothingOfWhatRunsWhenSupervisorIsKilled(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            quiver.nodes().signal(work.victim(), "quiver-supervisor", "KILL");
            work.assertEachCountedOnce();
            assertThat(work.held()).allMatch(task -> log.count(Work.begins(task)) <= 2);
            assertThat(work.held()).allMatch(task -> log.count(Work.ends(task)) >= 1);
        }
    }

    @Test
    void runsTasksAgainWhenAgentIsKilled(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            quiver.nodes().signal(work.victim(), "worker", "KILL");
            work.awaitHeldTasksAgain();
            work.assertEachCountedOnce();
        }
    }

    @Test
    void runsTasksElsewhereWhenPodDies(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            // Deleting by force alone would let kubelet drain it: tasks might end where they are. Nor may a supervisor
            // that is already back count what ended between two kills: it is frozen first.
            quiver.nodes().signal(work.victim(), "quiver-supervisor", "STOP");
            quiver.nodes().signal(work.victim(), "worker", "KILL");
            quiver.nodes().signal(work.victim(), "quiver-supervisor", "KILL");
            space.kubectl().run("delete", "pod", work.victim().getMetadata().getName(), "--force", "--grace-period=0");
            work.awaitHeldTasksAgain();
            work.assertEachCountedOnce();
        }
    }

    @Test
    void deletedPodFinishesWhatItRuns(Space space) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            space.kubectl().run("delete", "pod", work.victim().getMetadata().getName());
            work.assertEachCountedOnce();
            assertThat(work.held())
                    .as("begun once, of %s", log.byPod())
                    .allMatch(task -> log.count(Work.begins(task)) == 1);
            assertThat(work.run().pods())
                    .allMatch(pod -> !pod.getMetadata()
                            .getUid()
                            .equals(work.victim().getMetadata().getUid()));
        }
    }

    @Test
    void refusesLateResultsOfWorkerThatWasStopped(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            quiver.nodes().signal(work.victim(), "quiver-supervisor", "STOP");
            try {
                work.awaitHeldTasksAgain();
            } finally {
                quiver.nodes().signal(work.victim(), "quiver-supervisor", "CONT");
            }
            work.assertEachCountedOnce();
            assertThat(log.lines(work.victim()))
                    .as("the stopped worker's tasks went on to their end")
                    .containsAll(work.held().stream().map(Work::ends).toList());
        }
    }

    /** A run in full swing on two workers, one of which is about to have an accident. */
    record Work(Run run, LogBook log, Pod victim, List<String> held) {

        static Work begin(Space space, LogBook log) {
            Run run = space.run(Tasks.shell("work", "echo begins; sleep 4; echo ends")
                    .count(TASKS)
                    .workers(2, 2));
            run.awaitRunning(4);
            Awaitility.await("both workers work")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> run.pods().size() == 2
                            && run.pods().stream()
                                    .allMatch(pod -> heldBy(log, pod).size() == 2));
            Pod victim = run.pods().getFirst();
            return new Work(run, log, victim, heldBy(log, victim));
        }

        static String begins(String task) {
            return "[" + task + "] begins";
        }

        static String ends(String task) {
            return "[" + task + "] ends";
        }

        /** The tasks that a worker has begun and not ended. */
        static List<String> heldBy(LogBook log, Pod pod) {
            List<String> lines = log.lines(pod);
            return lines.stream()
                    .filter(line -> line.endsWith(" begins"))
                    .map(line -> line.substring(1, line.indexOf(']')))
                    .filter(task -> !lines.contains(ends(task)))
                    .toList();
        }

        void awaitHeldTasksAgain() {
            Awaitility.await("tasks " + held + " run elsewhere")
                    .atMost(Promise.ofSeconds(15))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> held.stream().allMatch(task -> log.count(begins(task)) >= 2));
        }

        void assertEachCountedOnce() {
            assertThat(run.awaitFinished(Duration.ofMinutes(2)))
                    .returns((long) TASKS, TaskSetStatus::succeeded)
                    .returns((long) TASKS, TaskSetStatus::trials)
                    .returns(0L, TaskSetStatus::failed);
        }
    }
}
