package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.PoolResourceStatus;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tree;

/** Resources that a function of the pool and a calendar open and close, and such as count starts in a window. */
@Scenario
class ProbesE2E {

    /** Ms between two starts of different windows, less what a clock and a start of a command may take. */
    private static final long LEAST_BETWEEN = 7_000;

    private static final String LOG_IN = """
            import os
            import quiver

            @quiver.handler("log-in")
            def log_in(account):
                if not os.path.exists(f"/tmp/password-{account}"):
                    raise ValueError(f"no password of account {account}")

            quiver.serve()
            """;

    private static PoolResourceStatus resource(WorkerPoolStatus status, String name) {
        return status.resources().stream()
                .filter(it -> it.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static boolean is(WorkerPoolStatus status, String name, ResourceState state) {
        PoolResourceStatus resource = resource(status, name);
        return resource != null && resource.state() == state;
    }

    private static Tree task(Space space, String pool, String name, String resource, String command) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: %s}
                spec:
                  workerPoolRef: {name: %s}
                  resources: [%s]
                  task: {command: [sh, -c, '%s']}
                """.formatted(name, pool, resource, command));
        return space.tree(name);
    }

    @Test
    void aFunctionOfThePoolTellsWhetherAResourceIsThere(Space space, Installation quiver) {
        Pool pool = Functions.pool(
                space,
                quiver,
                "sync",
                LOG_IN,
                "resources:",
                "  - name: \"credentials!7\"",
                "    probe: {exec: {handler: log-in, args: [7]}, periodSeconds: 2, timeoutSeconds: 10, failureThreshold: 2}");
        PoolResourceStatus missing = resource(
                pool.await("that finds it missing", status -> is(status, "credentials!7", ResourceState.Missing)),
                "credentials!7");
        assertThat(missing.by()).isEqualTo("probe");
        assertThat(missing.message()).contains("log-in").contains("no password of account 7");
        Tree sync = task(space, "sync", "sync-7", "\"credentials!7\"", "true");
        sync.await("blocked", status -> status.blockedOn().equals(List.of("credentials!7")));

        pool.exec("touch", "/tmp/password-7");
        sync.awaitFinished();
        pool.await("that finds it there", status -> is(status, "credentials!7", ResourceState.Available));
        pool.exec("rm", "/tmp/password-7");
        pool.await("that finds it missing again", status -> is(status, "credentials!7", ResourceState.Missing));
    }

    @Test
    void aCalendarOpensAResource(Space space) {
        space.kubectl().apply(office("0 0 29 2 *"));
        Pool pool = space.pool("office");
        pool.await("that is closed", status -> is(status, "office-hours", ResourceState.Missing));
        Tree print = task(space, "office", "print", "office-hours", "true");
        print.await("blocked", status -> status.blockedOn().equals(List.of("office-hours")));
        space.kubectl().apply(office("* * * * *"));
        print.awaitFinished();
        pool.await("that is open", status -> is(status, "office-hours", ResourceState.Available));
    }

    /** From each minute on for longer than a minute: always. The 29th of February seldom comes. */
    private static String office(String cron) {
        return """
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: office}
                spec:
                  replicas: 1
                  resources:
                    - {name: office-hours, probe: {schedule: {cron: "%s", seconds: 120}}}
                  template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/demo:0.1.0}]}}
                """.formatted(cron);
    }

    @Test
    void soManyTasksOfATenantStartInAWindow(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: api}
                spec:
                  replicas: 1
                  resources: [{name: "api!*", permits: 2, perSeconds: 8}]
                  template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/demo:0.1.0}]}}
                """);
        space.pool("api").awaitReady();
        List<Tree> calls = IntStream.range(0, 5)
                .mapToObj(i -> task(space, "api", "call-" + i, "\"api!acme\"", "date +%s%3N > \"$QUIVER_OUTPUT\""))
                .toList();
        Tree last = calls.getLast();
        last.await("held back", status -> status.blockedOn().equals(List.of("api!acme")));
        assertThat(last.reason(ConditionType.Blocked)).isEqualTo("RateLimited");
        long[] starts = calls.stream()
                .mapToLong(call -> call.awaitFinished().result().asLong())
                .sorted()
                .toArray();
        assertThat(Math.min(starts[2] - starts[0], starts[4] - starts[2]))
                .as("two in each window: " + Arrays.toString(starts))
                .isGreaterThan(LEAST_BETWEEN);
        task(space, "api", "other", "\"api!other\"", "true").awaitFinished();
    }
}
