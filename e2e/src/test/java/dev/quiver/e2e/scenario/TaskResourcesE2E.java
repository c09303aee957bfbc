package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.PoolResourceStatus;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskUndoState;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tree;

/** Tasks and TaskSets wait for a resource of their pool and hold no pod, as a person sees it. */
@Scenario
class TaskResourcesE2E {

    @Test
    void blockedWorkHoldsNoPodAndRunsWhenTheResourceComes(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: mail}
                spec:
                  replicas: 0
                  autoscaling: {maxReplicas: 1, targetSeconds: 1}
                  resources: [{name: "credentials!*", initially: Missing}, {name: online}]
                  template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/demo:0.1.0}]}}
                ---
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: send-7}
                spec:
                  workerPoolRef: {name: mail}
                  resources: [online, "credentials!7"]
                  task: {command: ['true']}
                ---
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: print}
                spec:
                  workerPoolRef: {name: mail}
                  resources: [printer]
                  task: {command: ['true']}
                ---
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: sync-7}
                spec:
                  replicas: 1
                  workerPoolRef: {name: mail}
                  resources: ["credentials!7"]
                  source: {count: 3}
                  task: {command: ['true']}
                """);
        space.tree("send-7").await("blocked", status -> status.blockedOn().equals(List.of("credentials!7")));
        assertThat(space.tree("send-7").message(ConditionType.Blocked))
                .startsWith("1 node waits for credentials!7, missing since 20")
                .endsWith("Z.");
        space.tree("print").await("blocked", status -> status.blockedOn().equals(List.of("printer")));
        assertThat(space.tree("print").message(ConditionType.Blocked))
                .isEqualTo("1 node waits for printer, which the WorkerPool does not declare in spec.resources.");
        Run set = space.run("sync-7");
        set.await("blocked", status -> status.blockedOn().equals(List.of("credentials!7")));
        Pool pool = space.pool("mail");
        pool.await("that counts them", status -> Long.valueOf(2).equals(status.blocked()));
        pool.await(
                "that says what is missing",
                status -> status.resources().stream()
                        .filter(resource -> resource.state() == ResourceState.Missing && resource.waiting() == 1)
                        .map(PoolResourceStatus::name)
                        .toList()
                        .equals(List.of("credentials!7", "printer")));
        assertThat(space.kubectl().run("get", "wpool", "mail")).contains("BLOCKED");
        pool.await("without a pod", status -> Integer.valueOf(0).equals(status.desiredReplicas()));

        space.kubectl()
                .run(
                        "patch",
                        "wpool",
                        "mail",
                        "--type=merge",
                        "--patch",
                        "{\"spec\":{\"resources\":[{\"name\":\"credentials!*\"},{\"name\":\"online\"}]}}");
        space.tree("send-7").awaitFinished();
        assertThat(set.awaitFinished().succeeded()).isEqualTo(3);
        TaskStatus ended = space.tree("send-7").status();
        assertThat(ended.blockedOn()).isEmpty();
        pool.await("that counts the other", status -> Long.valueOf(1).equals(status.blocked()));
        space.kubectl().run("delete", "qtask", "print");
        pool.await("that counts none", status -> Long.valueOf(0).equals(status.blocked()));
    }

    /** The pool's own worker answers behind a Service, which comes later than the Task. */
    @Test
    void aProbeAsksAServiceOfTheNamespaceAndHoldsTheTaskUntilThatAnswers(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: probed}
                spec:
                  replicas: 1
                  resources:
                    - name: online
                      probe: {httpGet: {host: gateway, port: 80, path: /metrics}, periodSeconds: 2, timeoutSeconds: 10, failureThreshold: 1}
                  template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/demo:0.1.0}]}}
                """);
        Pool pool = space.pool("probed");
        PoolResourceStatus missing = pool.await(
                        "that finds it missing",
                        status -> status.resources().stream().anyMatch(it -> "probe".equals(it.by())))
                .resources()
                .getFirst();
        assertThat(missing.message())
                .isEqualTo("GET http://gateway:80/metrics: there is no host gateway." + space.name() + ".svc");
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: fetch}
                spec:
                  workerPoolRef: {name: probed}
                  resources: [online]
                  task: {command: ['true']}
                """);
        space.tree("fetch").await("blocked", status -> status.blockedOn().equals(List.of("online")));
        pool.awaitReady();
        space.kubectl().apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: gateway}
                spec:
                  selector: {quiver.dev/pool: probed}
                  ports: [{port: 80, targetPort: 9464}]
                """);
        space.tree("fetch").awaitFinished();
        pool.await(
                "that finds it there",
                status -> status.resources().getFirst().state() == ResourceState.Available
                        && status.resources().getFirst().message() == null);
    }

    /** The plan is made while the resource that it names is missing, and what the function brings runs after it. */
    @Test
    void aFunctionIsCalledAsItsPlanSaysAndBringsWhatFollows(Space space, Installation quiver) {
        Pool pool = Functions.pool(space, quiver, "mail", PLANNED, "resources: [{name: online, initially: Missing}]");
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: send}
                spec:
                  workerPoolRef: {name: mail}
                  task: {handler: send, args: [hello], plan: true}
                ---
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: empty}
                spec:
                  workerPoolRef: {name: mail}
                  task: {handler: send, args: [""], plan: true}
                """);
        assertThat(space.tree("empty").awaitFinished().result().asText()).isEqualTo("nothing to send");
        space.tree("send").await("blocked", status -> status.blockedOn().equals(List.of("online")));
        space.kubectl()
                .run(
                        "patch",
                        "wpool",
                        "mail",
                        "--type=merge",
                        "--patch",
                        "{\"spec\":{\"resources\":[{\"name\":\"online\"}]}}");
        assertThat(space.tree("send").awaitFinished().result().asText()).isEqualTo("hello as number 7");
        Awaitility.await("what follows")
                .atMost(Duration.ofMinutes(1))
                .until(() -> pool.exec("sh", "-c", "cat /tmp/filed || true"), "7"::equals);
    }

    /** The plan shows the draft at once, and leaves the task that takes it away. */
    @Test
    void whatAPlanChangedIsUndoneOnceByAnotherTask(Space space, Installation quiver) {
        Pool pool = Functions.pool(space, quiver, "drafts", UNDONE);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: draft}
                spec:
                  workerPoolRef: {name: drafts}
                  task: {handler: save, args: [hello], plan: true}
                  undo: true
                """);
        Tree draft = space.tree("draft");
        assertThat(draft.awaitFinished().result().asText()).isEqualTo("saved hello");
        assertThat(pool.exec("cat", "/tmp/draft")).isEqualTo("hello");
        draft.await(
                "that can be undone",
                status -> status.undo() != null
                        && status.undo().state() == TaskUndoState.Available
                        && status.undo().handlers().equals(List.of("drop")));

        undo(space, "draft-undo");
        Tree undo = space.tree("draft-undo");
        undo.awaitFinished();
        assertThat(undo.reason(ConditionType.Succeeded)).isEqualTo("Undone");
        assertThat(pool.exec("sh", "-c", "test -e /tmp/draft || echo gone").strip())
                .isEqualTo("gone");
        draft.await(
                "that is undone", status -> "draft-undo".equals(status.undo().by()));

        undo(space, "once-more");
        space.tree("once-more").awaitFinished();
        assertThat(space.tree("once-more").message(ConditionType.Succeeded))
                .isEqualTo("spec.undoOf: Task draft is undone already, by Task draft-undo: that is done once.");
    }

    private static void undo(Space space, String name) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: %s}
                spec:
                  workerPoolRef: {name: drafts}
                  undoOf: draft
                """.formatted(name));
    }

    /** Two Tasks of one tenant, on two pods: one at a time, and whoever runs is stopped when the tenant is. */
    @Test
    void aPermitIsHeldByOneTaskAtATimeAndLosingTheResourceStopsIt(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: tenants}
                spec:
                  replicas: 2
                  resources: [{name: "tenant!*", permits: 1, onLoss: Cancel}]
                  template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/demo:0.1.0}]}}
                """);
        Pool pool = space.pool("tenants");
        pool.awaitReady();
        space.kubectl().apply(ofTenant("first"));
        Tree first = space.tree("first");
        first.await("running", status -> status.state() == TaskState.LOCKED);
        space.kubectl().apply(ofTenant("second"));
        Tree second = space.tree("second");
        second.await("blocked", status -> status.blockedOn().equals(List.of("tenant!acme")));
        assertThat(second.reason(ConditionType.Blocked)).isEqualTo("PermitMissing");
        assertThat(second.message(ConditionType.Blocked))
                .isEqualTo("1 node waits for tenant!acme, 1 of 1 permits held by " + first.uid() + ".");
        pool.await(
                "that says who holds it",
                status -> status.resources().stream()
                        .anyMatch(it ->
                                it.name().equals("tenant!acme") && it.holders().equals(List.of(first.uid()))));

        declare(space, "{\"name\":\"tenant!*\",\"permits\":1,\"onLoss\":\"Cancel\",\"initially\":\"Missing\"}");
        first.await("stopped", status -> status.blockedOn().equals(List.of("tenant!acme")));
        assertThat(first.reason(ConditionType.Blocked)).isEqualTo("ResourceMissing");

        declare(space, "{\"name\":\"tenant!*\",\"permits\":1,\"onLoss\":\"Cancel\"}");
        first.await("running again", status -> status.state() == TaskState.LOCKED);
        space.kubectl()
                .run("get", "pods", "-l", "quiver.dev/pool=tenants", "-o", "name")
                .lines()
                .forEach(pod -> space.kubectl().run("exec", pod, "-c", "worker", "--", "touch", "/tmp/go"));
        long early = first.awaitFinished().result().path("tenant!acme").asLong();
        long late = second.awaitFinished().result().path("tenant!acme").asLong();
        assertThat(early).as("a grant of its own for the second time").isGreaterThan(1);
        assertThat(late).as("each grant has a higher token").isGreaterThan(early);
        assertThat(first.status().tree().getFirst().trial())
                .as("being stopped is no trial")
                .isEqualTo(1);
    }

    private static String ofTenant(String name) {
        return """
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: %s}
                spec:
                  workerPoolRef: {name: tenants}
                  resources: ["tenant!acme"]
                  task:
                    command: [sh, -c, 'until test -e /tmp/go; do sleep 0.2; done; printf %%s "$QUIVER_TOKENS" > "$QUIVER_OUTPUT"']
                """.formatted(name);
    }

    private static void declare(Space space, String resource) {
        space.kubectl()
                .run(
                        "patch",
                        "wpool",
                        "tenants",
                        "--type=merge",
                        "--patch",
                        "{\"spec\":{\"resources\":[" + resource + "]}}");
    }

    private static final String UNDONE = """
            import os
            import quiver

            @quiver.handler("save")
            def save(text):
                return f"saved {text}"

            @quiver.plan("save")
            def plan(text, task):
                with open("/tmp/draft", "w") as out:
                    out.write(text)
                return quiver.Plan(undo=[quiver.call("drop", "/tmp/draft")] if task.undo else [])

            @quiver.handler("drop")
            def drop(path):
                os.remove(path)

            quiver.serve()
            """;

    private static final String PLANNED = """
            import quiver

            @quiver.handler("send")
            def send(text, number):
                return quiver.Done(f"{text} as number {number}", tasks=[quiver.call("file", number)])

            @quiver.plan("send")
            def plan(text):
                if not text:
                    return quiver.Done("nothing to send")
                return quiver.Plan(args=[text, 7], resources=["online"])

            @quiver.handler("file")
            def file(number):
                with open("/tmp/filed", "w") as out:
                    out.write(str(number))

            quiver.serve()
            """;
}
