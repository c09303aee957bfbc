package dev.quiver.controller.pool;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Condition;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.PoolQueue;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.PoolResourceStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/**
 * The metrics of each pool by namespace and name, for a number of pools that is bounded; {@code operator/METRICS.md} says
 * what each is. A scrape reads what the last reconcile of a pool and the last look at Redis found. Thread-safe.
 */
public final class PoolFigures implements MultiCollector {

    /** Pools with metrics of their own at most; the others are only counted. */
    static final int MOST_POOLS = 2000;

    /** Resources of a pool with a metric at most, those first for which most tasks wait. */
    static final int MOST_WANTED = 16;

    private static final String READY = PodStage.READY.label();
    private static final Set<String> CANNOT_START = PoolEvents.ALARMING;
    private static final Map<String, Function<PoolQueue, Long>> QUEUE = Map.of(
            "queued", PoolQueue::queued,
            "delayed", PoolQueue::delayed,
            "blocked", PoolQueue::blocked,
            "running", PoolQueue::running);

    private final Function<String, Optional<PoolQueue>> queues;
    private final DesiredReplicas desired;
    private final Map<String, Shown> shown = new ConcurrentHashMap<>();
    private final Set<String> unlisted = ConcurrentHashMap.newKeySet();

    /**
     * The figures of a pool after its last reconcile.
     *
     * @param labels namespace and name
     * @param stages number of pods by stage
     * @param slots of all live workers; absent until they were read
     * @param busy slots that run a task
     * @param trouble why its pods cannot start
     * @param violated whether a container broke the rules of its slots within the last hour
     * @param stopped whether a person wants no pod, so that tasks wait on purpose
     * @param wanted how many tasks wait for a resource, by its name
     */
    private record Figures(
            Labels labels,
            Map<String, Long> stages,
            Optional<Integer> slots,
            int busy,
            Optional<String> trouble,
            boolean violated,
            boolean stopped,
            Map<String, Long> wanted) {}

    private static final class Shown {
        private final LongAdder replaced = new LongAdder();
        private volatile Figures figures;
    }

    /**
     * Shows no pool yet.
     *
     * @param queues the tasks of a pool by its uid; absent while they are not known
     * @param desired the gauge of pools that follow their work
     */
    public PoolFigures(Function<String, Optional<PoolQueue>> queues, DesiredReplicas desired) {
        this.queues = queues;
        this.desired = desired;
    }

    /** Notes a pool after a reconcile. */
    void note(WorkerPool pool, PoolView view, WorkerPoolStatus status) {
        desired.note(pool, view.desired());
        list(pool).ifPresent(it -> it.figures = figures(pool, view, status));
    }

    /** Counts the pods that a plan replaces because they are broken. */
    void replaced(WorkerPool pool, PoolPlan plan) {
        if (plan.replacesBroken()) {
            list(pool)
                    .ifPresent(it -> it.replaced.add(plan.deletions().stream()
                            .filter(deletion -> deletion.cause() == PoolPlan.Cause.REPLACED)
                            .count()));
        }
    }

    /** Forgets a pool that is gone, or that another installation serves. */
    void forget(WorkerPool pool) {
        String uid = pool.getMetadata().getUid();
        desired.forget(pool);
        shown.remove(uid);
        unlisted.remove(uid);
    }

    /** The pools without metrics of their own. */
    public int unlisted() {
        return unlisted.size();
    }

    /** Whether a pool has metrics of its own, from now on: then its tasks are worth reading. */
    boolean lists(WorkerPool pool) {
        return list(pool).isPresent();
    }

    private synchronized Optional<Shown> list(WorkerPool pool) {
        String uid = pool.getMetadata().getUid();
        if (!shown.containsKey(uid) && shown.size() >= MOST_POOLS) {
            unlisted.add(uid);
            return Optional.empty();
        }
        unlisted.remove(uid);
        return Optional.of(shown.computeIfAbsent(uid, _ -> new Shown()));
    }

    private static Figures figures(WorkerPool pool, PoolView view, WorkerPoolStatus status) {
        List<Condition> conditions = status.conditions();
        return new Figures(
                Labels.of(
                        "namespace", pool.getMetadata().getNamespace(),
                        "pool", pool.getMetadata().getName()),
                view.byStage(),
                Optional.ofNullable(status.slots()),
                Optional.ofNullable(status.busySlots()).orElse(0),
                Conditions.find(conditions, ConditionType.Ready)
                        .map(Condition::getReason)
                        .filter(CANNOT_START::contains),
                Conditions.find(conditions, ConditionType.SlotsIntact)
                        .filter(c -> WorkerPoolReason.SlotsViolated.name().equals(c.getReason()))
                        .isPresent(),
                pool.getSpec().suspend() || pool.getSpec().follows().isEmpty() && view.desired() == 0,
                wanted(status));
    }

    private static Map<String, Long> wanted(WorkerPoolStatus status) {
        return status.resources().stream()
                .filter(resource -> resource.waiting() != null && resource.waiting() > 0)
                .limit(MOST_WANTED)
                .collect(Collectors.toMap(PoolResourceStatus::name, PoolResourceStatus::waiting, Math::max));
    }

    @Override
    public MetricSnapshots collect() {
        Gauges tasks = new Gauges("quiver_pool_tasks", "Tasks of a pool by state");
        Gauges stalled =
                new Gauges("quiver_pool_stalled_seconds", "Since a task was given out or settled while one is queued");
        Gauges slots = new Gauges("quiver_pool_slots", "Slots of a pool's live workers");
        Gauges pods = new Gauges("quiver_pool_pods", "Worker pods of a pool by stage");
        Gauges trouble = new Gauges("quiver_pool_cannot_start", "1 while pods of a pool cannot start, by the reason");
        Gauges wanted = new Gauges("quiver_resource_wanted", "Tasks that wait for a resource of a pool");
        Gauges violated = new Gauges("quiver_pool_slots_violated", "1 for an hour after a container broke its slots");
        CounterSnapshot.Builder replaced =
                CounterSnapshot.builder().name("quiver_pool_pods_replaced").help("Broken pods that were replaced");
        shown.forEach((uid, pool) -> {
            Figures now = pool.figures;
            if (now == null) {
                return;
            }
            Labels labels = now.labels();
            queues.apply(uid).ifPresent(queue -> {
                tasks.states(labels, QUEUE, queue.withRunning(now.busy()));
                stalled.add(labels, now.stopped() ? 0 : queue.stalled().toMillis() / 1000.0);
            });
            now.slots().ifPresent(all -> {
                slots.add(labels.merge(Labels.of("state", "busy")), now.busy());
                slots.add(labels.merge(Labels.of("state", "free")), Math.max(0, all - now.busy()));
            });
            pods.add(labels.merge(Labels.of("stage", READY)), now.stages().getOrDefault(READY, 0L));
            now.stages().forEach((stage, number) -> {
                if (!stage.equals(READY)) {
                    pods.add(labels.merge(Labels.of("stage", stage)), number);
                }
            });
            now.trouble().ifPresent(reason -> trouble.add(labels.merge(Labels.of("reason", reason)), 1));
            now.wanted().forEach((name, waiting) -> wanted.add(labels.merge(Labels.of("resource", name)), waiting));
            violated.add(labels, now.violated() ? 1 : 0);
            replaced.dataPoint(CounterDataPointSnapshot.builder()
                    .labels(labels)
                    .value(pool.replaced.sum())
                    .build());
        });
        return new MetricSnapshots(
                tasks.build(),
                stalled.build(),
                slots.build(),
                pods.build(),
                trouble.build(),
                wanted.build(),
                violated.build(),
                replaced.build());
    }

    /** One gauge under way. */
    private static final class Gauges {
        private final GaugeSnapshot.Builder builder;

        Gauges(String name, String help) {
            this.builder = GaugeSnapshot.builder().name(name).help(help);
        }

        void add(Labels labels, double value) {
            builder.dataPoint(
                    GaugeDataPointSnapshot.builder().labels(labels).value(value).build());
        }

        void states(Labels labels, Map<String, Function<PoolQueue, Long>> states, PoolQueue queue) {
            states.forEach((state, number) -> add(labels.merge(Labels.of("state", state)), number.apply(queue)));
        }

        GaugeSnapshot build() {
            return builder.build();
        }
    }
}
