package dev.quiver.bench.taskset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.readiness.Readiness;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Table;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.kube.Cluster;
import dev.quiver.bench.kube.TaskSetRun;
import dev.quiver.bench.peer.PeerKind;

/**
 * How long a suite takes on pods of which one is slow. The longest tests go first, with copies and without, against the
 * order of the source and against pytest-xdist.
 */
public final class MakespanBench implements Bench {

    private static final String NAMESPACE = "quiver-bench-suite";
    private static final Duration PATIENCE = Duration.ofMinutes(8);
    private static final int PODS = 4;
    private static final int SLOTS = 2;
    private static final int TESTS = 160;
    private static final double MEAN = 0.6;
    private static final long SEED = 27;

    /** Makespan by the ideal, with the longest first and one slow pod. */
    private static final double AIM = 1.2;

    private static final double AIM_FROM_HALF = 1.6;

    /** History has read the end of a run, and seals it, within this time. */
    private static final Duration SEALED = Duration.ofSeconds(5);

    private static final String POOL = """
            apiVersion: quiver.dev/v1alpha1
            kind: WorkerPool
            metadata: {name: suite, namespace: %s}
            spec:
              replicas: %d
              slots: {count: %d, inputSize: 16Ki, outputSize: 16Ki}
              drainSeconds: 0
              template:
                spec:
                  containers:
                    - name: worker
                      image: docker.io/quiver/demo:0.1.0
                      resources: {requests: {cpu: 100m, memory: 256Mi}}
            """.formatted(NAMESPACE, PODS, SLOTS);
    private static final String SET = """
            apiVersion: quiver.dev/v1alpha1
            kind: TaskSet
            metadata: {name: run-%d, namespace: %s}
            spec:
              replicas: %d
              workerPoolRef: {name: suite}
              taskSetClass: bench-suite
              order: %s
              speculation: {mode: %s}
              maxTrials: 1
              source:
                items:
            %s
              task:
                command:
                  - sh
                  - -c
                  - 'if [ "$(hostname)" = "$SLOW" ] && [ "$(date +%%s)" -ge "$FROM" ]; then exec sleep "$1"; fi; exec sleep "$0"'
                env:
                  - {name: SLOW, value: "%s"}
                  - {name: FROM, value: "%d"}
            """;

    /** A way to give the tests of a suite out. */
    private enum Way {
        LONGEST("longest first", "LongestFirst", "Never"),
        COPIES("longest first, copies", "LongestFirst", "WhenIdle"),
        SOURCE("source order", "Source", "Never");

        private final String words;
        private final String order;
        private final String speculation;

        Way(String words, String order, String speculation) {
            this.words = words;
            this.order = order;
            this.speculation = speculation;
        }
    }

    private int runs;

    @Override
    public String name() {
        return "taskset-makespan";
    }

    @Override
    public String question() {
        return "time of a skewed suite on pods of which one is slow, by the ideal (aims: " + AIM + ", from half-way on "
                + AIM_FROM_HALF + ")";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        Suite suite = Suite.of(TESTS, MEAN, SEED);
        List<String> text = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        Optional<XdistSuite> xdist =
                lab.alone() ? Optional.empty() : Optional.of(new XdistSuite(lab, PeerKind.XDIST.install(lab)));
        try (Cluster cluster = Cluster.open(lab)) {
            KubernetesClient client = cluster.client();
            String slowPod = open(client);
            text.add(cluster.described());
            text.add(String.format(
                    Locale.ROOT,
                    "%d tests that sleep %.0f s in all, the longest %.1f s; %d pods of %d slots, and as many processes of %s;"
                            + " of Quiver from the creation of the set to its end, of pytest from its first test to its last",
                    TESTS,
                    suite.total(),
                    suite.ideal(1e9),
                    PODS,
                    SLOTS,
                    xdist.map(it -> it.xdist().version()).orElse("nobody")));
            for (int i = 0; i < 2; i++) { // what the class is to learn
                seconds(client, suite, Way.SOURCE, Slow.NONE, slowPod, 1);
            }
            Table table = new Table(
                    "makespan / ideal",
                    Way.LONGEST.words,
                    Way.COPIES.words,
                    Way.SOURCE.words,
                    "xdist load",
                    "xdist worksteal");
            for (Slow slow : Slow.values()) {
                compare(lab, client, suite, slow, slowPod, xdist, table, figures);
            }
            text.add(table.toString());
            client.namespaces().withName(NAMESPACE).delete();
            client.namespaces().withName(NAMESPACE).waitUntilCondition(it -> it == null, 120, TimeUnit.SECONDS);
        }
        return new Report(text, figures);
    }

    private void compare(
            Lab lab,
            KubernetesClient client,
            Suite suite,
            Slow slow,
            String slowPod,
            Optional<XdistSuite> xdist,
            Table table,
            List<Figure> figures)
            throws Exception {
        double ideal = suite.ideal((PODS - 1 + slow.speed()) * SLOTS);
        Map<String, List<Double>> all = new LinkedHashMap<>();
        for (int round = 0; round < lab.pace().rounds(); round++) {
            for (Way way : Way.values()) {
                for (int before = 0; before < slow.runsBefore(); before++) {
                    seconds(
                            client,
                            suite,
                            Way.LONGEST,
                            slow.before(),
                            slowPod,
                            ideal); // what the pods know of themselves
                }
                note(all, way.words, seconds(client, suite, way, slow, slowPod, ideal) / ideal);
            }
            if (xdist.isPresent()) {
                for (String dist : List.of("load", "worksteal")) {
                    note(all, dist, xdist.get().run(suite, dist, PODS * SLOTS, SLOTS, slow, ideal) / ideal);
                }
            }
        }
        Map<String, Double> medians = new LinkedHashMap<>();
        all.forEach((who, ratios) ->
                medians.put(who, ratios.stream().sorted().toList().get(ratios.size() / 2)));
        table.row(
                slow.words,
                shown(medians.get(Way.LONGEST.words)),
                shown(medians.get(Way.COPIES.words)),
                shown(medians.get(Way.SOURCE.words)),
                shown(medians.get("load")),
                shown(medians.get("worksteal")));
        medians.forEach((who, ratio) -> figures.add(
                who.startsWith(Way.LONGEST.words)
                        ? Figure.of(
                                name(),
                                slow.words + ", " + who,
                                ratio,
                                "times the ideal",
                                Way.SOURCE.words,
                                medians.get(Way.SOURCE.words))
                        : Figure.of(name(), slow.words + ", " + who, ratio, "times the ideal")));
    }

    private static void note(Map<String, List<Double>> all, String who, double ratio) {
        all.computeIfAbsent(who, _ -> new ArrayList<>()).add(ratio);
    }

    /** Makes the pool; returns the pod that is to be slow. */
    private static String open(KubernetesClient client) throws Exception {
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        client.resource(POOL).serverSideApply();
        Waiting.await(
                "the pods of the pool",
                PATIENCE,
                () -> client.pods().inNamespace(NAMESPACE).list().getItems().stream()
                                .filter(Readiness::isPodReady)
                                .count()
                        == PODS);
        return client.pods().inNamespace(NAMESPACE).list().getItems().stream()
                .map(pod -> pod.getMetadata().getName())
                .sorted()
                .findFirst()
                .orElseThrow();
    }

    private double seconds(KubernetesClient client, Suite suite, Way way, Slow slow, String slowPod, double ideal)
            throws Exception {
        String items = IntStream.range(0, TESTS)
                .mapToObj(i -> "      - {name: test-%03d, args: [\"%s\", \"%s\"]}"
                        .formatted(i, suite.argument(i, 1), suite.argument(i, slow.factor)))
                .collect(Collectors.joining("\n"));
        String yaml = SET.formatted(
                runs++,
                NAMESPACE,
                PODS,
                way.order,
                way.speculation,
                items,
                slow == Slow.NONE ? "" : slowPod,
                slow.from(ideal));
        try {
            TaskSetRun.Outcome outcome = TaskSetRun.toEnd(client, yaml, PATIENCE, () -> {});
            if (outcome.count("succeeded") != TESTS) {
                throw new IllegalStateException("not all tests passed: " + outcome.status());
            }
            return outcome.time().toNanos() / 1e9;
        } finally {
            TaskSetRun.remove(client, yaml, PATIENCE);
            LockSupport.parkNanos(SEALED.toNanos());
        }
    }

    private static String shown(Double ratio) {
        return ratio == null ? "–" : String.format(Locale.ROOT, "%.2f", ratio);
    }
}
