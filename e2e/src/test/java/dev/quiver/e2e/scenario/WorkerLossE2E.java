package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.TaskNodeCounts;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.e2e.quiver.Absence;
import dev.quiver.e2e.quiver.Gate;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.LogBook;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Tree;
import dev.quiver.e2e.quiver.Watching;

/** Workers die in every way that a pod can, and each task counts once. */
@Scenario
class WorkerLossE2E {

    private static final Logger LOG = LoggerFactory.getLogger(WorkerLossE2E.class);

    /** The rest of the lease of 10 s, less what had passed of it at the kill and what adopting takes. */
    private static final Duration WITHIN_LEASE = Duration.ofSeconds(5);

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
            try (Watching kills = quiver.nodes().keepKilled(work.victim(), "dev.quiver.supervisor.Main", 60)) {
                Awaitility.await("it is killed")
                        .pollInterval(Duration.ofMillis(100))
                        .until(() -> kills.lines().stream().anyMatch(line -> line.startsWith("killed")));
                work.assertRunsElsewhereAfter("a supervisor killed for good");
            }
            work.assertEachCountedOnce();
        }
    }

    @Test
    void runsTasksAgainWhenAgentIsKilled(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            quiver.nodes().signal(work.victim(), "worker", "KILL");
            work.assertRunsElsewhereAfter("a killed agent");
            work.assertEachCountedOnce();
        }
    }

    /** Three containers end under one task: what the kubelet says of the last one is in the message. */
    @Test
    void theMessageOfALostTaskSaysHowItsContainerEnded(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Pool crew = space.patientPool("crew", 3, 1);
            Run run = space.run(
                    Tasks.shell("doomed", "echo begins; " + Gate.WAIT).count(1).on(crew, 1));
            Map<String, Long> begunBefore = new HashMap<>();
            for (int loss = 0; loss < 3; loss++) {
                Pod runs = Awaitility.await("the task runs after " + loss + " losses")
                        .until(
                                () -> crew.pods().stream()
                                        .filter(pod -> begun(log, pod)
                                                > begunBefore.getOrDefault(
                                                        pod.getMetadata().getName(), 0L))
                                        .findAny(),
                                Optional::isPresent)
                        .orElseThrow();
                begunBefore.put(runs.getMetadata().getName(), begun(log, runs));
                quiver.nodes().signal(runs, "worker", "KILL");
            }
            assertThat(run.awaitFinished().failures()).singleElement().satisfies(failure -> {
                assertThat(failure.reason()).isEqualTo("WorkerLost");
                assertThat(failure.message()).contains("ended under it: exit code 137");
            });
        }
    }

    private static long begun(LogBook log, Pod pod) {
        return log.lines(pod).stream().filter(Work::isBegin).count();
    }

    @Test
    void runsTasksElsewhereWhenPodDies(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            // Deleting by force alone would let kubelet drain it: its supervisor might give back what it holds.
            quiver.nodes().signal(work.victim(), "quiver-supervisor", "STOP");
            quiver.nodes().signal(work.victim(), "worker", "KILL");
            quiver.nodes().signal(work.victim(), "quiver-supervisor", "KILL");
            space.kubectl().run("delete", "pod", work.victim().getMetadata().getName(), "--force", "--grace-period=0");
            work.assertRunsElsewhereAfter("a dead pod");
            work.assertEachCountedOnce();
        }
    }

    @Test
    void deletedPodFinishesWhatItRuns(Space space) {
        try (LogBook log = new LogBook(space)) {
            Work work = Work.begin(space, log);
            space.kubectl().run("delete", "pod", work.victim().getMetadata().getName(), "--wait=false");
            work.assertHeldTasksGoOnFor(Duration.ofSeconds(4));
            work.letEnd(work.victim());
            work.assertEachCountedOnce();
            work.assertHeldTasksRanOnce();
            assertThat(work.crew().pods())
                    .noneMatch(pod -> pod.getMetadata()
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
                work.assertRunsElsewhereAfter("a stopped supervisor");
                work.letEnd(work.victim());
                Awaitility.await("the stopped worker's tasks go on to their end")
                        .until(() -> log.lines(work.victim())
                                .containsAll(
                                        work.held().stream().map(Work::ends).toList()));
            } finally {
                quiver.nodes().signalIfThere(work.victim(), "quiver-supervisor", "CONT");
            }
            work.assertEachCountedOnce();
        }
    }

    /**
     * A run and a Task in full swing on two workers, one of which is about to have an accident. The first tasks of the
     * run and the leaves of the Task go on until they are told to end. So they are there to be lost however late the
     * accident comes. The workers have free slots for them.
     */
    record Work(Space space, Pool crew, Run run, Tree tree, LogBook log, Pod victim, List<String> held) {

        private static final int TASKS = 12;
        private static final int LONG = 4;
        private static final int LEAVES = 4;
        private static final String LEAF = "leaf-";

        private static Tree tree(Space space) {
            List<String> names =
                    IntStream.range(0, LEAVES).mapToObj(i -> LEAF + i).toList();
            space.kubectl().apply("""
                    apiVersion: quiver.dev/v1alpha1
                    kind: Task
                    metadata: {name: tree}
                    spec:
                      workerPoolRef: {name: crew}
                      root: all
                      nodes:
                        - {name: all, chain: [leaves, last]}
                        - {name: leaves, group: [%s]}
                        - {name: last, command: ["true"]}
                    %s
                    """.formatted(
                    String.join(", ", names),
                    names.stream().map(name -> """
                                            - {name: %s, maxTrials: 1, command: [sh, -c, 'echo begins; %s; echo ends']}
                                        """.formatted(name, Gate.WAIT)).collect(Collectors.joining())));
            return space.tree("tree");
        }

        static Work begin(Space space, LogBook log) {
            Pool crew = space.patientPool("crew", 2, LONG + LEAVES);
            Tree tree = tree(space);
            Run run = space.run(Tasks.shell("work", """
                            echo begins
                            [ $QUIVER_INDEX -ge %d ] || %s
                            echo ends
                            """.formatted(LONG, Gate.WAIT))
                    .count(TASKS)
                    .on(crew, 2));
            Awaitility.await("the long tasks are left").untilAsserted(() -> {
                assertThat(log.lines().stream().filter(Work::isBegin).distinct())
                        .as("tasks that began, of %s", log.byPod())
                        .hasSize(TASKS + LEAVES);
                assertThat(crew.pods().stream().mapToInt(pod -> heldBy(log, pod).size()))
                        .as("tasks that each worker holds, of %s", log.byPod())
                        .satisfies(held -> assertThat(held.stream()
                                        .mapToInt(Integer::intValue)
                                        .sum())
                                .isEqualTo(LONG + LEAVES));
            });
            Pod victim = crew.pods().stream()
                    .max(Comparator.comparing((Pod pod) -> Math.min(
                                    leavesOf(log, pod), (long) heldBy(log, pod).size() - leavesOf(log, pod)))
                            .thenComparing(pod -> leavesOf(log, pod)))
                    .orElseThrow();
            assertThat(leavesOf(log, victim)).as("leaves that are to be lost").isPositive();
            return new Work(space, crew, run, tree, log, victim, heldBy(log, victim));
        }

        private static long leavesOf(LogBook log, Pod pod) {
            return heldBy(log, pod).stream()
                    .filter(task -> task.startsWith(LEAF))
                    .count();
        }

        static String begins(String task) {
            return "[" + task + "] begins";
        }

        static String ends(String task) {
            return "[" + task + "] ends";
        }

        private static boolean isBegin(String line) {
            return line.endsWith(" begins");
        }

        /** The tasks that a worker has begun and not ended. */
        static List<String> heldBy(LogBook log, Pod pod) {
            List<String> lines = log.lines(pod);
            return lines.stream()
                    .filter(Work::isBegin)
                    .map(line -> line.substring(1, line.indexOf(']')))
                    .filter(task -> !lines.contains(ends(task)))
                    .toList();
        }

        /** The promise for what the victim holds; asked for when the accident has happened, its time begins now. */
        void assertRunsElsewhereAfter(String accident) {
            Promise.of("tasks of " + accident + " run elsewhere", Duration.ofSeconds(15))
                    .await(() -> held.stream().allMatch(task -> log.count(begins(task)) >= 2));
        }

        /** Lets the tasks of a pod end, those too that come to it later. */
        void letEnd(Pod pod) {
            new Gate(space).open(pod);
        }

        /** Far longer than it takes until kubelet has told the containers to end. */
        void assertHeldTasksGoOnFor(Duration time) {
            Awaitility.await("held tasks go on")
                    .during(time)
                    .until(() -> heldBy(log, victim).equals(held));
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

        /** Lets all tasks end, wherever they are, and reads the counters. */
        void assertEachCountedOnce() {
            assertThat(new Gate(space).letEnd(run))
                    .returns((long) TASKS, TaskSetStatus::succeeded)
                    .returns((long) TASKS, TaskSetStatus::trials)
                    .returns(0L, TaskSetStatus::failed);
            TaskStatus end = new Gate(space).letEnd(tree);
            assertThat(end.state()).as("%s", end).isEqualTo(TaskState.FINISHED);
            assertThat(end.nodes())
                    .as("%s", end)
                    .returns((long) LEAVES + 3, TaskNodeCounts::finished)
                    .returns(0L, TaskNodeCounts::failed);
        }
    }
}
