package dev.quiver.bench.scale;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.kube.ApiServer;
import dev.quiver.bench.kube.Operator;
import dev.quiver.bench.kube.RequestCount;
import dev.quiver.bench.process.ProcessMemory;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.redis.RedisServer;

/**
 * Many TaskSets that wait in one pool without workers. Measured are their acceptance, their cost while nothing happens,
 * the status after a change, a restart of the operator, and their deletion.
 */
public final class ResourcesBench implements Bench {

    private static final Duration PATIENCE = Duration.ofMinutes(20);
    private static final int HANDS = 4; // requests of this bench at a time
    private static final int CHANGES = 20;
    private static final double IDLE_AIM = 2; // percent of a core
    private static final double MEMORY_AIM = 256; // MiB
    private static final double DELETION_AIM = 60; // seconds
    /** One of so many is deleted once more without an operator. */
    private static final int SHARE = 10;
    /** More than the time after which a run is looked at without an event, so that no look is left out. */
    private static final int SETTLES_OF_QUIET = 20;

    private static final String[] KINDS = {"tasksets", "workerpools", "pods", "events", "configmaps", "secrets"};

    private static final String POOL = """
            apiVersion: quiver.dev/v1alpha1
            kind: WorkerPool
            metadata: {name: workers, namespace: default}
            spec:
              replicas: 0
              template: {spec: {containers: [{name: worker, image: noop}]}}
            """;
    private static final String SET = """
            apiVersion: quiver.dev/v1alpha1
            kind: TaskSet
            metadata: {name: set-%d, namespace: default}
            spec:
              workerPoolRef: {name: workers}
              source: {count: 100}
              task: {command: [noop]}
            """;

    @Override
    public String name() {
        return "scale-resources";
    }

    @Override
    public String question() {
        return "operator's processor time, memory and delays with many waiting TaskSets";
    }

    /**
     * Use of the processors while nothing happens.
     *
     * @param operator percent of a core
     * @param redis likewise
     * @param requests to the API server in a second, but those for Leases
     */
    private record Quiet(double operator, double redis, double requests) {}

    /**
     * Time and requests spent until now.
     *
     * @param operator seconds of a core
     * @param redis likewise
     * @param server likewise, of the API server without its etcd
     */
    private record Effort(double operator, double redis, double server, RequestCount requests) {}

    @Override
    public Report run(Lab lab) throws Exception {
        int number = lab.pace().commands();
        Aims aims = new Aims(name());
        List<String> text = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(lab);
                ApiServer api = ApiServer.start();
                SetWatch sets = SetWatch.of(api.client())) {
            Program program = Operator.trained(lab, api.kubeconfig(), redis.port());
            text.add(redis.described());
            text.add("real API server and etcd, real operator; %,d TaskSets of one pool at zero replicas, no kubelet"
                    .formatted(number));
            api.client().resource(POOL).create();
            try (Operator operator = Operator.start(lab, program, api.kubeconfig(), redis.port())) {
                Quiet empty = quiet(lab, api, redis, operator);
                aims.add("operator without them", empty.operator(), "% of a core");
                long from = System.nanoTime();
                double created = create(api.client(), number);
                aims.add("created after", created, "s");
                sets.await("all are accepted", PATIENCE, () -> alive(operator) && sets.reported() == number);
                aims.add("accepted after", seconds(from), "s");
                Waiting.letPass(lab.pace().settle().multipliedBy(SETTLES_OF_QUIET)); // their share of writes is minutes
                Quiet full = quiet(lab, api, redis, operator);
                aims.add("operator while nothing happens", full.operator(), "% of a core", IDLE_AIM);
                aims.add("Redis while nothing happens", full.redis(), "% of a core");
                aims.add("requests to the API server", full.requests(), "a second");
                aims.add("operator's memory", memory(operator), "MiB", MEMORY_AIM);
                double[] delays = changes(sets, number);
                aims.add("status after a change, median", delays[delays.length / 2], "s");
                aims.add("status after a change, worst", delays[delays.length - 1], "s");
            }
            double deletion;
            try (Operator next = Operator.start(lab, program, api.kubeconfig(), redis.port())) {
                aims.add("next operator ready after", next.toReady().toMillis() / 1e3, "s");
                aims.add("next operator's first status after", change(sets, "set-1"), "s");
                aims.add("next operator's memory", memory(next), "MiB", MEMORY_AIM);
                Effort before = effort(api, redis, next);
                long from = System.nanoTime();
                sets.deleteAll();
                sets.await("all are gone", PATIENCE, () -> alive(next) && sets.known() == 0);
                deletion = seconds(from);
                aims.add("all deleted after", deletion, "s", DELETION_AIM);
                Effort after = effort(api, redis, next);
                aims.add("a deletion: operator", 1e3 * (after.operator() - before.operator()) / number, "ms of a core");
                aims.add("a deletion: Redis", 1e3 * (after.redis() - before.redis()) / number, "ms of a core");
                aims.add("a deletion: API server", 1e3 * (after.server() - before.server()) / number, "ms of a core");
                aims.add(
                        "a deletion: requests",
                        (double) after.requests().since(before.requests(), KINDS) / number,
                        "to the API server");
            }
            double alone = deletedAlone(api.client(), sets, Math.max(1, number / SHARE)) * SHARE;
            aims.add("as many deleted by the API server alone", alone, "s");
            aims.add("deletion over the API server alone", deletion / alone, "times");
        }
        text.add(aims.table());
        return new Report(text, aims.figures());
    }

    /** The bound: the same two writes for each, of which the second one takes off a finalizer, and no operator. */
    private static double deletedAlone(KubernetesClient client, SetWatch sets, int number) throws Exception {
        create(client, number);
        each(number, i -> sets.setFinalizers("set-" + i, "[\"bench.quiver.dev/alone\"]"));
        sets.await("all are created", PATIENCE, () -> sets.known() == number);
        long from = System.nanoTime();
        sets.deleteAll();
        each(number, i -> sets.setFinalizers("set-" + i, "[]"));
        sets.await("all are gone again", PATIENCE, () -> sets.known() == 0);
        return seconds(from);
    }

    private static double memory(Operator operator) throws IOException {
        return ProcessMemory.pssMiB(operator.process().pid());
    }

    /** Whether it still runs; one that ended says so at once. */
    private static boolean alive(Operator operator) {
        if (!ProcessHandle.of(operator.process().pid())
                .map(ProcessHandle::isAlive)
                .orElse(false)) {
            throw new IllegalStateException("the operator has ended");
        }
        return true;
    }

    private static double create(KubernetesClient client, int number) throws Exception {
        long from = System.nanoTime();
        each(number, i -> client.resource(SET.formatted(i)).create());
        return seconds(from);
    }

    /** Calls with each number, some at a time. */
    private static void each(int number, IntConsumer call) throws Exception {
        try (ExecutorService hands = Executors.newFixedThreadPool(HANDS)) {
            List<Future<?>> done = new ArrayList<>();
            for (int hand = 0; hand < HANDS; hand++) {
                int first = hand;
                done.add(hands.submit(() -> {
                    for (int i = first; i < number; i += HANDS) {
                        call.accept(i);
                    }
                }));
            }
            for (Future<?> one : done) {
                one.get();
            }
        }
    }

    private static Quiet quiet(Lab lab, ApiServer api, RedisServer redis, Operator operator) throws Exception {
        Duration settle = lab.pace().settle();
        Waiting.letPass(settle.multipliedBy(2));
        RequestCount before = api.requests();
        double ofOperator = ProcessMemory.cpuSeconds(operator.process().pid());
        double ofRedis = ProcessMemory.cpuSeconds(redis.pid());
        long from = System.nanoTime();
        Waiting.letPass(settle.multipliedBy(SETTLES_OF_QUIET));
        double percent = 100 / seconds(from);
        return new Quiet(
                (ProcessMemory.cpuSeconds(operator.process().pid()) - ofOperator) * percent,
                (ProcessMemory.cpuSeconds(redis.pid()) - ofRedis) * percent,
                api.requests().since(before, KINDS) * percent / 100);
    }

    private static Effort effort(ApiServer api, RedisServer redis, Operator operator) throws Exception {
        return new Effort(
                ProcessMemory.cpuSeconds(operator.process().pid()),
                ProcessMemory.cpuSeconds(redis.pid()),
                api.cpuSeconds(),
                api.requests());
    }

    /** Suspends some of them, one after the other; returns after how many seconds each status said so, sorted. */
    private static double[] changes(SetWatch sets, int number) throws Exception {
        double[] delays = new double[CHANGES];
        for (int i = 0; i < CHANGES; i++) {
            delays[i] = change(sets, "set-" + (long) i * number / CHANGES);
        }
        Arrays.sort(delays);
        return delays;
    }

    private static double change(SetWatch sets, String name) throws Exception {
        long from = System.nanoTime();
        sets.suspend(name);
        sets.await(name + " is suspended", PATIENCE, () -> sets.isSuspended(name));
        return seconds(from);
    }

    private static double seconds(long fromNanos) {
        return (System.nanoTime() - fromNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
