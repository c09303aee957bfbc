package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Unrestricted;

/** Where tasks come from, and that their output is to be read with {@code kubectl logs}. */
@Scenario
class SourcesE2E {

    @Test
    void everyExampleRunsAsItIs(
            @Unrestricted("the files that people are given ask for no security context") Space space) {
        Stream.of(
                        "workerpool.yaml",
                        "taskset-items.yaml",
                        "taskset-matrix.yaml",
                        "taskset-configmap.yaml",
                        "taskset-on-shared-pool.yaml")
                .forEach(space::applyExample);

        assertThat(space.run("checks").awaitFinished())
                .returns(3L, TaskSetStatus::succeeded)
                .returns(4L, TaskSetStatus::trials); // one is flaky by design
        assertThat(space.run("versions").awaitFinished()).returns(12L, TaskSetStatus::succeeded);
        assertThat(space.run("files").awaitFinished()).returns(3L, TaskSetStatus::succeeded);
        Run nightly = space.run("nightly");
        assertThat(nightly.awaitFinished()).returns(100L, TaskSetStatus::succeeded);
        Pool shared = space.pool("shared");
        assertThat(shared.pods()).as("a shared pool outlives its runs").hasSize(2);
    }

    @Test
    void logsOfWorkersShowEachTaskWithItsName(Space space) {
        Pool pool = space.readyPool("shared", 1, 4);
        space.kubectl().apply("""
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: files}
                data:
                  list: |
                    # a comment

                    first.txt
                    {"name": "second", "args": ["second.txt", "third.txt"], "env": [{"name": "MODE", "value": "fast"}]}
                ---
                %1$s
                metadata: {name: lines}
                spec:
                  replicas: 1
                  workerPoolRef: {name: shared}
                  source: {configMapKeyRef: {name: files, key: list}}
                  task: {command: [sh, -c, 'echo "$QUIVER_TASKSET $MODE $*"', sh]}
                ---
                %1$s
                metadata: {name: list}
                spec:
                  replicas: 1
                  workerPoolRef: {name: shared}
                  source:
                    items:
                      - {name: alpha, args: ['echo "list has $0 in $PWD"', a]}
                      - {name: beta, args: ['echo "list has $0 and $EXTRA" >&2', b], env: [{name: EXTRA, value: more}]}
                  task: {command: [sh, -c], workingDir: /tmp}
                ---
                %1$s
                metadata: {name: grid}
                spec:
                  replicas: 1
                  workerPoolRef: {name: shared}
                  source: {matrix: {COLOUR: [red, green], SIZE: [s, m]}}
                  task: {command: [sh, -c, 'echo "grid has $COLOUR $SIZE"']}
                ---
                %1$s
                metadata: {name: numbers}
                spec:
                  replicas: 1
                  workerPoolRef: {name: shared}
                  source: {count: 20}
                  task:
                    command: [sh, -c, 'echo "number $0 of $QUIVER_TASKSET, trial $QUIVER_TRIAL"']
                    args: [$(QUIVER_INDEX)]
                """.formatted("apiVersion: quiver.dev/v1alpha1\nkind: TaskSet"));

        List<String> expected = Stream.concat(
                        Stream.of(
                                "[first.txt] lines  first.txt",
                                "[second] lines fast second.txt third.txt",
                                "[alpha] list has a in /tmp",
                                "[beta] list has b and more",
                                "[COLOUR=red,SIZE=s] grid has red s",
                                "[COLOUR=red,SIZE=m] grid has red m",
                                "[COLOUR=green,SIZE=s] grid has green s",
                                "[COLOUR=green,SIZE=m] grid has green m"),
                        IntStream.range(0, 20).mapToObj(i -> "[" + i + "] number " + i + " of numbers, trial 1"))
                .toList();
        Stream.of("lines", "list", "grid", "numbers")
                .map(space::run)
                .map(Run::awaitFinished)
                .forEach(end -> assertThat(end.succeeded()).isEqualTo(end.total()));
        String pod = pool.pods().getFirst().getMetadata().getName();
        Awaitility.await()
                .untilAsserted(() -> assertThat(
                                space.kubectl().run("logs", pod, "-c", "worker").lines())
                        .containsAll(expected));
    }
}
