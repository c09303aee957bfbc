package dev.quiver.bench.autoscale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Table;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.kube.ApiServer;
import dev.quiver.bench.kube.Kinds;
import dev.quiver.bench.kube.Operator;
import dev.quiver.bench.process.ProcessMemory;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;

/** Processor time of Redis and of the operator for many idle pools, before and after they follow their work. */
public final class IdlePoolsBench implements Bench {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String POOL = """
            apiVersion: quiver.dev/v1alpha1
            kind: WorkerPool
            metadata: {name: pool-%d, namespace: default}
            spec:
              replicas: 0
              template: {spec: {containers: [{name: worker, image: noop}]}}
            """;

    @Override
    public String name() {
        return "autoscale-idle";
    }

    @Override
    public String question() {
        return "processor time for idle pools, without and with autoscaling (aims: 1 % of a core of Redis, 2 % of the operator)";
    }

    private record Load(double redis, double operator) {}

    @Override
    public Report run(Lab lab) throws Exception {
        int pools = lab.pace().commands() / 10;
        int sources = lab.pace().commands();
        List<String> text = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(lab);
                ApiServer api = ApiServer.start();
                Operator operator = Operator.start(lab, Program.operator(lab), api.kubeconfig(), redis.port())) {
            for (int i = 0; i < pools; i++) {
                api.client().resource(POOL.formatted(i)).create();
            }
            suspended(redis, pools, sources);
            Load without = measure(lab, redis, operator);
            for (int i = 0; i < pools; i++) {
                follow(api.client(), i);
            }
            Waiting.await("the last pool follows its work", PATIENCE, () -> follows(api.client(), pools - 1));
            Load with = measure(lab, redis, operator);
            text.add(redis.described());
            text.add("%,d pools at zero and %,d suspended sets in one namespace".formatted(pools, sources));
            Table table = new Table("percent of a core", "without", "with", "difference", "aim");
            row(table, "Redis", without.redis(), with.redis(), 1);
            row(table, "operator", without.operator(), with.operator(), 2);
            text.add(table.toString());
            figures.add(
                    Figure.of(name(), "Redis", with.redis(), "% of a core", "without autoscaling", without.redis()));
            figures.add(Figure.of(
                    name(), "operator", with.operator(), "% of a core", "without autoscaling", without.operator()));
        }
        return new Report(text, figures);
    }

    /** Sets that wait, as Redis has them; their resources cost the same with and without autoscaling. */
    private static void suspended(RedisServer redis, int pools, int sources) throws Exception {
        Keyspace keyspace = Keyspace.ofNamespace("default");
        Waiting.await("the leader's term", PATIENCE, () -> redis.commands().hexists(keyspace.meta(), "term"));
        long term = Long.parseLong(redis.commands().hget(keyspace.meta(), "term"));
        try (RedisStore store = Headquarters.connected(redis.port(), "bench")) {
            TaskSetControl control = new Lifecycle(store).control(keyspace, term);
            ExecutionSpec spec = new ExecutionSpec(
                    "set", List.of("noop"), List.of(), List.of(), Optional.empty(), new TaskSource.Count(100));
            for (int i = 0; i < sources; i++) {
                control.open(new TaskSetOpening(
                        UUID.randomUUID().toString(), "pool-" + i % pools, spec, TaskSetLimits.DEFAULT, 1, 0, true));
            }
        }
    }

    private static void row(Table table, String who, double without, double with, double aim) {
        table.row(who, shown(without), shown(with), shown(with - without), shown(aim));
    }

    private static String shown(double percent) {
        return String.format(Locale.ROOT, "%.2f", percent);
    }

    private static Load measure(Lab lab, RedisServer redis, Operator operator) throws Exception {
        Waiting.letPass(lab.pace().settle().multipliedBy(2));
        Duration window = lab.pace().settle().multipliedBy(4);
        double redisBefore = ProcessMemory.cpuSeconds(redis.pid());
        double operatorBefore = ProcessMemory.cpuSeconds(operator.process().pid());
        Waiting.letPass(window);
        double percent = 100.0 / (window.toMillis() / 1e3);
        return new Load(
                Math.max(0.01, (ProcessMemory.cpuSeconds(redis.pid()) - redisBefore) * percent),
                Math.max(0.01, (ProcessMemory.cpuSeconds(operator.process().pid()) - operatorBefore) * percent));
    }

    private static void follow(KubernetesClient client, int pool) {
        client.genericKubernetesResources(Kinds.POOLS)
                .inNamespace("default")
                .withName("pool-" + pool)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"autoscaling\":{\"maxReplicas\":10}}}");
    }

    private static boolean follows(KubernetesClient client, int pool) {
        GenericKubernetesResource now = client.genericKubernetesResources(Kinds.POOLS)
                .inNamespace("default")
                .withName("pool-" + pool)
                .get();
        return now.get("status", "queued") instanceof Number;
    }
}
