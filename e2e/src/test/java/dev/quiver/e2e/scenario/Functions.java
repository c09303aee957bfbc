package dev.quiver.e2e.scenario;

import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;

/** A handler program as a user would write it in Python, good and bad functions in it, and runs of them. */
final class Functions {

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
                if task.trial == 1:
                    raise quiver.RetryAfter(3)

            @quiver.handler("stubborn")
            def stubborn(value):
                hashlib.pbkdf2_hmac("sha256", b"x", b"y", 2_000_000_000)  # C code that never looks up

            @quiver.handler("crash")
            def crash(value, task):
                if task.trial == 1:
                    os._exit(3)

            @quiver.handler("endless")
            def endless(value):
                time.sleep(600)

            quiver.serve()
            """;

    private Functions() {}

    /** One worker whose slots run the program above. */
    static Pool pool(Space space, Installation quiver, int slots) {
        return pool(space, quiver, "functions", PROGRAM, "drainSeconds: 10", "slots: {count: %d}".formatted(slots));
    }

    /** One worker whose slots run this program; each of the fields is one more line of its pool's spec. */
    static Pool pool(Space space, Installation quiver, String name, String program, String... fields) {
        quiver.load(Images.archives("columns"));
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: %s}
                spec:
                  replicas: 1
                %s
                  handler:
                    command:
                      - python3
                      - -c
                      - |
                %s
                  template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/columns:0.1.0}]}}
                """.formatted(name, String.join("\n", fields).indent(2), program.indent(12)));
        Pool pool = space.pool(name);
        pool.awaitReady();
        return pool;
    }

    static Run call(Space space, Pool pool, String handler, String source, String input) {
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
}
