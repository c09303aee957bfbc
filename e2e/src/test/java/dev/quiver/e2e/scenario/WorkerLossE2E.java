package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Absence;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.LogBook;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Watching;

/** Workers die in every way that a pod can, and each task counts once. */
@Scenario
class WorkerLossE2E {

    private static final Logger LOG = LoggerFactory.getLogger(WorkerLossE2E.class);

    private static final int TASKS = 12;

    /** Of the lease of 10 s, less what had passed of it at the kill and what adopting takes. */
    private static final Duration WITHIN_LEASE = Duration.ofSeconds(7);

    /** A supervisor that is back within its lease goes on with what runs; later, and it runs elsewhere. */
    @Test
    void adoptsWhatRunsWhenSupervisorIsKilledAndBackAtOnce(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            quiver.nodes().signal(work.victim(), "quiver-supervisor", "KILL");
            Duration away = new Absence(space, work.victim()).awaitEnd();
            work.assertEachCountedOnce();
            if (away.compareTo(WITHIN_LEASE) < 0) {
                work.assertHeldTasksRanOnce();
            } else {
                LOG.warn("the supervisor was back only after {}: this machine is too busy for its tasks to wait", away);
                work.assertHeldTasksRanAtMostTwice();
            }
        }
    }

    @Test
    void runsTasksElsewhereWhenSupervisorIsKilledAndDoesNotComeBack(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            try (Watching kills = quiver.nodes().keepKilled(work.victim(), "dev.quiver.supervisor.Main", 20)) {
                Awaitility.await("it is killed")
                        .pollInterval(Duration.ofMillis(100))
                        .until(() -> kills.lines().stream().anyMatch(line -> line.startsWith("killed")));
                work.elsewhere("a supervisor killed for good").await(work::heldTasksRunAgain);
            }
            work.assertEachCountedOnce();
        }
    }

    @Test
    void runsTasksAgainWhenAgentIsKilled(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            quiver.nodes().signal(work.victim(), "worker", "KILL");
            work.elsewhere("a killed agent").await(work::heldTasksRunAgain);
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
            work.elsewhere("a dead pod").await(work::heldTasksRunAgain);
            work.assertEachCountedOnce();
        }
    }

    @Test
    void deletedPodFinishesWhatItRuns(Space space) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            space.kubectl().run("delete", "pod", work.victim().getMetadata().getName());
            work.assertEachCountedOnce();
            work.assertHeldTasksRanOnce();
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
                work.elsewhere("a stopped supervisor").await(work::heldTasksRunAgain);
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
            // What is held now is still held when the accident happens, and then elsewhere is soon a free slot.
            Run run = space.run(
                    Tasks.shell("work", "echo begins; [ $QUIVER_INDEX -gt 3 ] || sleep 12; sleep 1; echo ends")
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

        /** The promise for what the victim holds; asked for when the accident has happened, its time begins then. */
        Promise elsewhere(String accident) {
            return Promise.of("tasks of " + accident + " run elsewhere", Duration.ofSeconds(15));
        }

        boolean heldTasksRunAgain() {
            return held.stream().allMatch(task -> log.count(begins(task)) >= 2);
        }

        void assertHeldTasksRanOnce() {
            Awaitility.await("the last lines of the log")
                    .untilAsserted(() -> assertThat(held)
                            .as("begun and ended once, of %s", log.byPod())
                            .allMatch(task -> log.count(begins(task)) == 1 && log.count(ends(task)) == 1));
        }

        void assertHeldTasksRanAtMostTwice() {
            Awaitility.await("the last lines of the log")
                    .untilAsserted(() -> assertThat(held)
                            .as("begun once or twice and ended, of %s", log.byPod())
                            .allMatch(task -> log.count(begins(task)) <= 2 && log.count(ends(task)) >= 1));
        }

        void assertEachCountedOnce() {
            assertThat(run.awaitFinished(Duration.ofMinutes(2)))
                    .returns((long) TASKS, TaskSetStatus::succeeded)
                    .returns((long) TASKS, TaskSetStatus::trials)
                    .returns(0L, TaskSetStatus::failed);
        }
    }
}
