package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskFailure;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;

/**
 * Functions in processes that stay alive, written in Python with the SDK, as a user would.
 *
 * <p>Its functions take all the processor there is, so it runs alone.
 */
@Disturbance
class HandlersE2E {

    private static final Path EXAMPLE = Repository.root().resolve("worker-image/sdk/python/examples/columns");

    private static final String PROGRAM = """
            import hashlib, os, time
            import quiver

            @quiver.handler("echo")
            def echo(value, task):
                return {"got": value, "pid": os.getpid()}

            @quiver.handler("quarrel")
            def quarrel(value, task):
                raise ValueError("seven is not " + str(value["number"]))

            @quiver.handler("final")
            def final(value):
                raise quiver.DoNotRetry("there is no use")

            @quiver.handler("later")
            def later(value, task):
                if task.attempt == 1:
                    raise quiver.RetryAfter(3)

            @quiver.handler("stubborn")
            def stubborn(value):
                hashlib.pbkdf2_hmac("sha256", b"x", b"y", 2_000_000_000)  # C code that never looks up

            @quiver.handler("crash")
            def crash(value, task):
                if task.attempt == 1:
                    os._exit(3)

            @quiver.handler("slow")
            def slow(value, task):
                print("begins", task.name, flush=True)
                time.sleep(4)

            quiver.serve()
            """;

    @Test
    void sumsUpColumnarFilesWithoutAnImportForEach(Space space, Installation quiver) {
        quiver.load(Images.archives("columns"));
        space.kubectl()
                .run("apply", "-f", EXAMPLE.resolve("taskset-handlers.yaml").toString());
        Run run = space.run("columns");
        run.awaitReason(ConditionType.HandlerAvailable, "HandlerServed");
        assertThat(space.pool("tset-columns").status().handlers()).containsExactly("summarise");
        assertThat(run.awaitFinished(Promise.ofSeconds(60)))
                .returns(480L, TaskSetStatus::succeeded)
                .returns(480L, TaskSetStatus::trials);
    }

    @Test
    void exampleForNewcomersRuns(Space space, Installation quiver) {
        quiver.load(Images.archives("columns"));
        space.applyExample("taskset-handler.yaml");
        assertThat(space.run("sums").awaitFinished()).returns(3L, TaskSetStatus::succeeded);
    }

    @Test
    void saysInTheStatusWhatAFunctionRaised(Space space, Installation quiver) {
        Pool pool = pool(space, quiver, 2);
        Run quarrel = call(space, pool, "quarrel", "count: 1", "json: {number: 8}");
        Run last = call(space, pool, "final", "count: 1", "json: {}");
        Run crash = call(space, pool, "crash", "count: 2", "json: {}");
        Run later = call(space, pool, "later", "count: 2", "json: {}");

        TaskFailure raised = failure(quarrel);
        assertThat(raised.reason()).isEqualTo("Exception");
        assertThat(raised.trial()).isEqualTo(2);
        assertThat(raised.message()).contains("ValueError: seven is not 8", "in quarrel");
        assertThat(failure(last)).returns("DoNotRetry", TaskFailure::reason).returns(1, TaskFailure::trial);
        assertThat(crash.awaitFinished()).returns(2L, TaskSetStatus::succeeded).returns(4L, TaskSetStatus::trials);
        assertThat(later.awaitFinished()).returns(2L, TaskSetStatus::succeeded).returns(4L, TaskSetStatus::trials);
    }

    @Test
    void stopsAFunctionThatNeverReturnsAndLetsItsNeighboursBe(Space space, Installation quiver) {
        Pool pool = pool(space, quiver, 3);
        Run stubborn = call(space, pool, "stubborn", "count: 1", "json: {}");
        stubborn.awaitRunning(1);
        Run echo = call(space, pool, "echo", "count: 400", "json: {a: 1}");
        stubborn.patch("\"cancel\":true");
        stubborn.awaitFinished(Promise.ofSeconds(5));
        assertThat(stubborn.reason(ConditionType.Succeeded)).isEqualTo("Cancelled");
        assertThat(echo.awaitFinished()).returns(400L, TaskSetStatus::succeeded).returns(400L, TaskSetStatus::trials);
        // All three slots serve again, the replaced process too.
        Run all = call(space, pool, "slow", "count: 3", "json: {}");
        all.awaitRunning(3);
        assertThat(all.awaitFinished()).returns(3L, TaskSetStatus::succeeded);
    }

    @Test
    void runsCommandsBesideFunctionsOnOnePool(Space space, Installation quiver) {
        Pool pool = pool(space, quiver, 2);
        Run echo = call(space, pool, "echo", "count: 100", "json: {a: 1}");
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: plain}
                spec:
                  replicas: 1
                  workerPoolRef: {name: %s}
                  source: {count: 40}
                  task: {command: [sh, -c, 'test -n "$QUIVER_INDEX"']}
                """.formatted(pool.name()));
        assertThat(space.run("plain").awaitFinished()).returns(40L, TaskSetStatus::succeeded);
        assertThat(echo.awaitFinished()).returns(100L, TaskSetStatus::succeeded);
        String table = space.kubectl()
                .run(
                        "exec",
                        pool.pods().getFirst().getMetadata().getName(),
                        "-c",
                        "worker",
                        "--",
                        "/quiver/agent/quiver-agent",
                        "slots");
        assertThat(table.lines()).hasSizeGreaterThanOrEqualTo(3);
        assertThat(table).contains("SLOT", "STATE", "waiting");
    }

    @Test
    void saysWhatNobodyServes(Space space, Installation quiver) {
        Pool pool = pool(space, quiver, 2);
        Run run = call(space, pool, "unheard", "count: 1", "json: {}");
        run.awaitReason(ConditionType.HandlerAvailable, "NotServed");
        assertThat(run.message(ConditionType.HandlerAvailable)).contains("unheard", "echo");
        assertThat(run.status()).returns(1L, TaskSetStatus::queued).returns(0L, TaskSetStatus::trials);
    }

    @Test
    void everyItemBringsItsOwnInput(Space space, Installation quiver) {
        Pool pool = pool(space, quiver, 2);
        Run run = call(space, pool, "quarrel", """
                items:
                      - {name: nine, input: {json: {number: 9}}}
                      - {name: ten, input: {json: {number: 10}}}""", "json: {number: 1}");
        assertThat(run.awaitFinished()).returns(2L, TaskSetStatus::failed);
        assertThat(run.status().failures())
                .extracting(TaskFailure::message)
                .anySatisfy(words -> assertThat(words).contains("seven is not 9"))
                .anySatisfy(words -> assertThat(words).contains("seven is not 10"));
    }

    /** One worker whose slots run the program above. */
    private static Pool pool(Space space, Installation quiver, int slots) {
        quiver.load(Images.archives("columns"));
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: functions}
                spec:
                  replicas: 1
                  drainSeconds: 10
                  slots: {count: %d}
                  handler:
                    command:
                      - python3
                      - -c
                      - |
                %s
                  template: {spec: {containers: [{name: worker, image: quiver/columns:0.1.0}]}}
                """.formatted(slots, PROGRAM.indent(12)));
        Pool pool = space.pool("functions");
        pool.awaitReady();
        return pool;
    }

    private static Run call(Space space, Pool pool, String handler, String source, String input) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: TaskSet
                metadata: {name: %1$s}
                spec:
                  replicas: 1
                  workerPoolRef: {name: %2$s}
                  maxTrials: 2
                  source:
                    %3$s
                  task:
                    handler: %1$s
                    input: {%4$s}
                """.formatted(handler, pool.name(), source, input));
        return space.run(handler);
    }

    private static TaskFailure failure(Run run) {
        assertThat(run.awaitFinished()).as(run.name()).returns(1L, TaskSetStatus::failed);
        List<TaskFailure> failures = run.status().failures();
        return failures.getFirst();
    }
}
