package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.Autoscaling;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.lifecycle.redis.RedisServer;

/** The metrics of an operator that leads, as Prometheus reads them. */
@ExtendWith(ApiServer.class)
class PoolMetricsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final Path PAGE = Path.of("../METRICS.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(quiver_\\w+)` \\| (\\w+) \\| ([^|]*) \\|");
    private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (quiver_\\w+) (\\w+)$");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");
    /** Labels of Prometheus' own types. */
    private static final Set<String> OF_TYPES = Set.of("le", "quantile");

    private final KubernetesClient client;
    private final Seen seen;
    private final Kubelet kubelet;
    private OperatorRig operator;

    PoolMetricsIT(KubernetesClient client) {
        this.client = client;
        this.seen = new Seen(client);
        this.kubelet = new Kubelet(client);
    }

    @BeforeEach
    void start() {
        operator = OperatorRig.of(
                        client.getConfiguration(),
                        client.getNamespace(),
                        REDIS.process().uri(),
                        OperatorRig.QUICK)
                .start();
    }

    @AfterEach
    void end() {
        operator.close();
        client.leases().withName("quiver-operator").delete();
    }

    private void pool(String name, int replicas) {
        WorkerPool pool = Samples.pool(name, replicas);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .autoscaling(new Autoscaling(8, Autoscaling.Mode.Report, 1, 0))
                .build());
        client.resource(pool).create();
    }

    private void work(String name, String pool, int tasks) {
        client.resource(Samples.set(
                        name,
                        Samples.counted(tasks)
                                .maxParallelTasks(3)
                                .workerTemplate(null)
                                .workerPoolRef(new WorkerPoolRef(pool))))
                .create();
    }

    private double value(String series) {
        return operator.metrics()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .map(line -> Double.valueOf(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(Double.NaN);
    }

    private String of(String metric, String pool, String... label) {
        String further = label.length == 0 ? "" : "," + label[0] + "=\"" + label[1] + "\"";
        return metric + "{namespace=\"" + client.getNamespace() + "\",pool=\"" + pool + "\"" + further + "}";
    }

    private void await(String series, double value) {
        Seen.until(() -> value(series), now -> now == value);
    }

    @Test
    void aPoolShowsItsTasksSlotsAndPods() throws InterruptedException {
        pool("shown", 1);
        work("ten", "shown", 10);
        await(of("quiver_pool_tasks", "shown", "state", "queued"), 3);
        await(of("quiver_pool_tasks", "shown", "state", "blocked"), 7);
        Seen.until(() -> value(of("quiver_pool_stalled_seconds", "shown")), seconds -> seconds > 0);
        Pod pod = seen.awaitPods("shown", 1).getFirst();
        await(of("quiver_pool_pods", "shown", "stage", "starting"), 1);
        kubelet.allReady("shown");
        await(of("quiver_pool_pods", "shown", "stage", "ready"), 1);
        try (NoopWorker worker = seen.awaitWorker(pod, REDIS.process().uri())) {
            Seen.until(() -> worker.claim(3), held -> held == 3);
            worker.heartbeat();
            await(of("quiver_pool_slots", "shown", "state", "busy"), 3);
            await(of("quiver_pool_slots", "shown", "state", "free"), 1);
            await(of("quiver_pool_tasks", "shown", "state", "running"), 3);
            await(of("quiver_pool_tasks", "shown", "state", "queued"), 0);
            assertThat(value(of("quiver_pool_tasks", "shown", "state", "blocked")))
                    .as("a run with all its tasks at a time stands in no order")
                    .isEqualTo(7);
            assertThat(value(of("quiver_pool_stalled_seconds", "shown"))).isZero();
            worker.pass();
            Seen.until(worker::passAll, ran -> ran == 0);
            worker.heartbeat();
        }
        seen.awaitRun("ten", status -> status.succeeded() != null && status.succeeded() == 10);
        await("quiver_runs_finished_total{kind=\"TaskSet\",reason=\"AllTasksSucceeded\"}", 1);
        for (String state : List.of("queued", "delayed", "blocked", "running")) {
            await(of("quiver_pool_tasks", "shown", "state", state), 0);
        }
        client.resources(TaskSet.class).withName("ten").delete();
        client.resources(WorkerPool.class).withName("shown").delete();
        Seen.until(
                () -> {
                    kubelet.finish("shown");
                    return operator.metrics();
                },
                text -> !text.contains("pool=\"shown\""));
    }

    @Test
    void aPoolWhosePodsCannotStartOrBreakIsSeen() {
        client.resource(Samples.pool("bad", 1)).create();
        kubelet.waiting(seen.awaitPods("bad", 1).getFirst(), "ImagePullBackOff", "no such image");
        await(of("quiver_pool_cannot_start", "bad", "reason", "ImagePullFailed"), 1);
        client.resource(Samples.pool("hostile", 1)).create();
        Pod pod = seen.awaitPods("hostile", 1).getFirst();
        kubelet.ready(pod);
        await(of("quiver_pool_slots_violated", "hostile"), 0);
        try (NoopWorker worker = seen.awaitWorker(pod, REDIS.process().uri())) {
            worker.complain("WORD_BACKWARDS in slot 3: generation 7 after 9");
            await(of("quiver_pool_slots_violated", "hostile"), 1);
            await(of("quiver_pool_pods_replaced_total", "hostile"), 1);
        }
    }

    @Test
    void theLeaderAndItsRedisAreSeen() {
        await("quiver_leader", 1);
        assertThat(value("quiver_leader_term")).isPositive();
        assertThat(value("quiver_build_info{version=\"0.1.0\",worker_image=\"quiver/worker:test\"}"))
                .isEqualTo(1);
        Seen.until(() -> value("quiver_store_bytes"), bytes -> bytes > 100_000);
        assertThat(value("quiver_store_max_bytes")).isZero();
        assertThat(value("quiver_store_evicts")).isZero();
        assertThat(value("quiver_store_call_seconds_count")).isPositive();
        assertThat(value("quiver_pools_unlisted")).isZero();
        assertThat(value("quiver_record_keyspaces_behind")).isZero();
    }

    /** A counter without a series here has an end that this test does not bring about, and its row is read all the same. */
    @Test
    void whatIsReadIsOnThePageWithThatTypeAndTheseLabels() throws IOException {
        pool("listed", 1);
        work("few", "listed", 4);
        await(of("quiver_pool_tasks", "listed", "state", "queued"), 3);
        Map<String, MatchResult> page = ROW.matcher(Files.readString(PAGE))
                .results()
                .collect(Collectors.toMap(row -> row.group(1), row -> row));
        String text = operator.metrics();
        Map<String, String> types = new TreeMap<>();
        TYPE.matcher(text).results().forEach(type -> types.put(type.group(1), type.group(2)));
        types.keySet().removeIf(name -> name.endsWith("_max"));
        assertThat(types).hasSizeGreaterThan(20);
        types.forEach((name, type) -> {
            assertThat(page).as(name).containsKey(name);
            assertThat(page.get(name).group(2)).as(name).isEqualTo(type);
            Set<String> labels = text.lines()
                    .filter(line -> line.startsWith(name + "{") || line.startsWith(name + "_count{"))
                    .findFirst()
                    .map(line -> LABEL.matcher(line)
                            .results()
                            .map(label -> label.group(1))
                            .filter(label -> !OF_TYPES.contains(label))
                            .collect(Collectors.toCollection(TreeSet::new)))
                    .orElseGet(TreeSet::new);
            boolean shown = text.lines()
                    .anyMatch(line -> line.startsWith(name + "{")
                            || line.startsWith(name + "_count")
                            || line.startsWith(name + " "));
            if (shown) {
                assertThat(labels).as(name).isEqualTo(labels(page.get(name).group(3)));
            }
        });
    }

    private static Set<String> labels(String cell) {
        return Arrays.stream(cell.split(", "))
                .map(label -> label.strip().replace("`", ""))
                .filter(label -> !label.equals("none"))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
