package dev.quiver.e2e.chaos;

/** YAML of a pool whose functions make a list of numbers, take one number, and sum numbers up; and of work for it. */
final class Functions {

    private Functions() {}

    /**
     * The pool. One more pod comes and goes with the work, under the accidents.
     *
     * @param seconds that a number takes
     */
    static String pool(String name, int replicas, int slots, double seconds) {
        return """
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: %s}
                spec:
                  replicas: %d
                  autoscaling: {maxReplicas: %d, targetSeconds: 1, coolDownSeconds: 1}
                  slots: {count: %d}
                  history: {keep: All}
                  handler:
                    command:
                      - python3
                      - -c
                      - |
                        import time
                        import quiver

                        @quiver.handler("numbers")
                        def numbers(count):
                            return list(range(count))

                        @quiver.handler("number")
                        def number(value, task):
                            time.sleep(%s)
                            if value %% %d == 0:
                                raise ValueError("fails always")
                            return value

                        def counted(value):
                            return value if isinstance(value, dict) else {"passed": 1, "sum": value}

                        @quiver.handler("total")
                        def total(values):
                            passed = [counted(value) for value in values if value is not None]
                            return {name: sum(one[name] for one in passed) for name in ("passed", "sum")}

                        quiver.serve()
                  template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/columns:0.1.0}]}}
                """.formatted(name, replicas, replicas + 1, slots, seconds, Runs.FAILING);
    }

    /**
     * A Task: a list of so many numbers, a call for each, and the sum of what the calls returned.
     *
     * @param more fields of its specification, each a line
     */
    static String tree(String name, String pool, int numbers, String more) {
        return """
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: %s}
                spec:
                  workerPoolRef: {name: %s}
                  nodes:
                    - {name: all, chain: [numbers, each, total]}
                    - {name: numbers, handler: numbers, args: [%d]}
                    - {name: each, forEach: {do: number}, onChildError: Continue}
                    - {name: number, handler: number, maxTrials: 2, backoff: {initialSeconds: 1}}
                    - {name: total, handler: total}
                """.formatted(name, pool, numbers) + more.indent(2);
    }

    /** A map-reduce job of the same numbers as chunks. */
    static String job(String name, String pool, int numbers, String more) {
        return """
                apiVersion: quiver.dev/v1alpha1
                kind: MapReduceJob
                metadata: {name: %s}
                spec:
                  workerPoolRef: {name: %s}
                  input: {json: %d}
                  map: {handler: numbers}
                  process: {handler: number, maxTrials: 2, backoff: {initialSeconds: 1}}
                  combine: {handler: total}
                  reduce: {handler: total}
                  failurePolicy: SkipChunk
                """.formatted(name, pool, numbers) + more.indent(2);
    }
}
