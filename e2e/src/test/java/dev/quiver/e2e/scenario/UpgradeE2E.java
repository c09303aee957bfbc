package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Gate;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.LogBook;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** The chart is upgraded and rolled back in the middle of a run. */
@Disturbance
@Order(6)
class UpgradeE2E {

    /** The tasks that two workers of two slots hold, until the test lets it end. */
    private static final int HELD = 4;

    /** Workers of three revisions hold them. */
    private static final int TASKS = 3 * HELD;

    /** The folder of history's volume, among the node's own files that go with the node. */
    private static final String FOLDER = "/run/quiver-e2e-history";

    private static final String VOLUME = """
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: quiver-e2e-history}
            spec:
              capacity: {storage: 1Gi}
              accessModes: [ReadWriteOnce]
              persistentVolumeReclaimPolicy: Retain
              storageClassName: ""
              hostPath: {path: %s}
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: quiver-e2e-history}
            spec:
              accessModes: [ReadWriteOnce]
              storageClassName: ""
              volumeName: quiver-e2e-history
              resources: {requests: {storage: 1Gi}}
            """.formatted(FOLDER);

    @Test
    void aRunGoesOnAndItsRecordIsWholeWhileOldWorkersDrain(Space space, Installation quiver) {
        int before = quiver.revision();
        quiver.nodes().run(quiver.nodes().home(), "install", "--directory", "--mode=0777", FOLDER);
        quiver.kubectl().apply(VOLUME);
        try {
            quiver.upgrade("history.persistence.enabled=true", "history.persistence.existingClaim=quiver-e2e-history");
            upgradeAndRollBack(space, quiver);
        } finally {
            quiver.rollBack(before);
            quiver.kubectl().run("delete", "pvc/quiver-e2e-history", "pv/quiver-e2e-history", "--wait=false");
        }
    }

    private static void upgradeAndRollBack(Space space, Installation quiver) {
        int old = quiver.revision();
        try (LogBook log = new LogBook(space)) {
            Pool crew = space.patientPool("crew", 2, HELD / 2);
            Run run = space.run(Tasks.shell("work", "echo begins; " + Gate.WAIT)
                    .count(TASKS)
                    .on(crew, 6));
            awaitBegun(log, HELD);
            List<String> first = uids(crew.pods());
            List<String> release = release(quiver);

            // Rolls the operator, history, and by another size of supervisors the workers.
            quiver.upgrade("operator.logLevel=DEBUG", "worker.supervisorResources.requests.cpu=51m");
            assertThat(release(quiver)).as("pods of the release").doesNotContainAnyElementsOf(release);
            awaitBegun(log, 2 * HELD);
            List<String> second = Awaitility.await("only workers of the new template take tasks")
                    .until(() -> uids(crew.pods()), uids -> uids.size() == 2 && Collections.disjoint(uids, first));

            quiver.rollBack(old);
            awaitBegun(log, TASKS);
            assertThat(uids(space.pods()))
                    .as("workers of both revisions still drain")
                    .containsAll(first)
                    .containsAll(second);
            assertThat(new Gate(space).letEnd(run))
                    .returns((long) TASKS, TaskSetStatus::succeeded)
                    .returns((long) TASKS, TaskSetStatus::trials)
                    .returns(0L, TaskSetStatus::failed);
        }
        assertRecordIsWhole(space, quiver);
    }

    private static void assertRecordIsWhole(Space space, Installation quiver) {
        try (Record record = Record.of(space, quiver)) {
            JsonNode run = record.ended("work");
            assertThat(run.path("status").asText()).isEqualTo("succeeded");
            assertThat(run.path("trials").asLong()).isEqualTo(TASKS);
            assertThat(run.path("lost").asLong()).isZero();
            assertThat(run.path("notRecorded").asLong()).isZero();
            assertThat(record.items("/runs/work/tasks"))
                    .extracting(task -> task.path("task").asLong())
                    .containsExactlyElementsOf(
                            IntStream.range(0, TASKS).mapToObj(Long::valueOf).toList());
            assertThat(record.items("/runs/work/workers"))
                    .as("two of each revision")
                    .hasSize(6);
        }
    }

    /** Waits until so many tasks have begun. */
    private static void awaitBegun(LogBook log, int tasks) {
        Awaitility.await(tasks + " tasks have begun")
                .until(() -> log.lines().stream()
                                .filter(line -> line.endsWith("] begins"))
                                .distinct()
                                .count()
                        == tasks);
    }

    private static List<String> release(Installation quiver) {
        return Stream.of("operator", "history")
                .flatMap(part -> quiver.pods(part).stream())
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .map(pod -> pod.getMetadata().getUid())
                .toList();
    }

    private static List<String> uids(List<Pod> pods) {
        return pods.stream().map(pod -> pod.getMetadata().getUid()).toList();
    }
}
