package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;

/** The order of a pool's Tasks, as a person says it in the Tasks and in the pool. */
@Scenario
class TaskOrderE2E {

    private static final String NINE = "[t1, t2, t3, t4, t5, t6, t7, t8, t9]";

    /** A pool with one slot, boosts, and a file in its pod to which each task adds its name. */
    private static final class Line {

        private final Space space;
        private final Pool pool;
        private int round;

        Line(Space space) {
            this.space = space;
            space.kubectl().apply("""
                    apiVersion: quiver.dev/v1alpha1
                    kind: WorkerPool
                    metadata: {name: line}
                    spec:
                      slots: {count: 1}
                      priorityBoosts: [{tag: view, boost: 1000}]
                      template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/demo:0.1.0}]}}
                    """);
            pool = space.pool("line");
            pool.awaitReady();
        }

        /** Occupies the slot until {@link #names}. */
        void occupy() {
            round++;
            task("gate", "", "until [ -e /tmp/go-%d ]; do sleep 0.1; done".formatted(round));
            pool.await("occupied", status -> Integer.valueOf(1).equals(status.busySlots()));
        }

        /** Queues a task behind those that are queued. */
        void queue(String name, String fields) {
            task(name, fields, "echo %s >> /tmp/order-%d".formatted(name, round));
            space.tree(named(name)).await("queued", status -> status.state() == TaskState.STARTABLE);
        }

        /** Changes the pool, and waits until the operator has dealt with it. */
        void change(String spec) {
            space.kubectl().run("patch", "wpool", "line", "--type=merge", "--patch", "{\"spec\":{" + spec + "}}");
            long generation = Long.parseLong(
                    space.kubectl().run("get", "wpool", "line", "-o", "jsonpath={.metadata.generation}"));
            pool.await(
                    "that knows its spec",
                    (WorkerPoolStatus status) ->
                            status.observedGeneration() != null && status.observedGeneration() == generation);
        }

        /** Changes a queued task, and waits until the operator has dealt with it. */
        void change(String name, String spec) {
            space.kubectl().run("patch", "qtask", named(name), "--type=merge", "--patch", "{\"spec\":{" + spec + "}}");
            space.tree(named(name))
                    .await("that knows its spec", status -> Long.valueOf(2).equals(status.observedGeneration()));
        }

        /** Frees the slot; the queued tasks in the order in which they ran. */
        List<String> names(String last, int count) {
            pool.exec("touch", "/tmp/go-" + round);
            space.tree(named(last)).awaitFinished();
            List<String> names = pool.exec("cat", "/tmp/order-" + round).lines().toList();
            assertThat(names).hasSize(count);
            return names;
        }

        private void task(String name, String fields, String script) {
            space.kubectl().apply("""
                    apiVersion: quiver.dev/v1alpha1
                    kind: Task
                    metadata: {name: %s}
                    spec:
                      workerPoolRef: {name: line}
                      %s
                      task: {command: [sh, -c, '%s']}
                    """.formatted(named(name), fields, script));
        }

        private String named(String name) {
            return name + "-" + round;
        }
    }

    @Test
    void tasksGoByPriorityTagsAndTurns(Space space) {
        Line line = new Line(space);
        line.occupy();
        line.queue("plain", "");
        line.queue("low", "relPriority: -5");
        line.queue("high", "relPriority: 5");
        line.queue("seen", "tags: [view]");
        assertThat(line.names("low", 4)).containsExactly("seen", "high", "plain", "low");

        line.occupy();
        line.queue("plain", "");
        line.queue("seen", "tags: [view]");
        line.queue("other", "tags: [other]");
        line.change("\"priorityBoosts\":[{\"tag\":\"other\",\"boost\":7},{\"tag\":\"view\",\"boost\":-7}]");
        assertThat(line.names("seen", 3)).containsExactly("other", "plain", "seen");

        line.occupy();
        line.queue("plain", "");
        line.queue("late", "relPriority: -3");
        line.change("late", "\"relPriority\":3");
        assertThat(line.names("plain", 2)).containsExactly("late", "plain");

        line.change("\"priorityBoosts\":null,\"fairness\":{}");
        line.occupy();
        IntStream.rangeClosed(1, 5).forEach(i -> line.queue("a" + i, "fairnessKey: a"));
        line.queue("b1", "fairnessKey: b");
        List<String> names = line.names("a5", 6);
        assertThat(names.subList(0, 3)).as("%s", names).contains("b1");
        assertThat(names).filteredOn(name -> name.startsWith("a")).containsExactly("a1", "a2", "a3", "a4", "a5");
    }

    @Test
    void refusesAnOrderThatMakesNoSense(Space space) {
        assertRefused(space, "relPriority: 100000", "spec.relPriority", "less than or equal to 99999");
        assertRefused(space, "tags: ['in view']", "spec.tags[0]", "should match '^[!-~]+$'");
        assertRefused(space, "tags: " + NINE, "spec.tags", "must have at most 8 items");
        assertRefused(space, "fairnessKey: ''", "spec.fairnessKey", "at least 1 chars long");
    }

    private static void assertRefused(Space space, String field, String... words) {
        assertThatThrownBy(() -> space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: bad}
                spec:
                  workerPoolRef: {name: line}
                  %s
                  task: {command: ['true']}
                """.formatted(field))).hasMessageContainingAll(words);
    }
}
