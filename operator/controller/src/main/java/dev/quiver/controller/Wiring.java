package dev.quiver.controller;

import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import dev.quiver.controller.mapreduce.MapReduceContext;
import dev.quiver.controller.mapreduce.MapReduceReconciler;
import dev.quiver.controller.owner.NamespaceGate;
import dev.quiver.controller.owner.NamespaceLeases;
import dev.quiver.controller.pool.DesiredReplicas;
import dev.quiver.controller.pool.PoolContext;
import dev.quiver.controller.pool.PoolFigures;
import dev.quiver.controller.pool.PoolResources;
import dev.quiver.controller.pool.PrefixGrants;
import dev.quiver.controller.pool.WorkerPoolReconciler;
import dev.quiver.controller.pool.podspec.HistoryEndpoint;
import dev.quiver.controller.pool.podspec.PodPlatform;
import dev.quiver.controller.pool.probe.ResourceProbes;
import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.reconcile.FinalizerGate;
import dev.quiver.controller.run.RecordClient;
import dev.quiver.controller.run.Runs;
import dev.quiver.controller.status.ActiveResources;
import dev.quiver.controller.status.Event;
import dev.quiver.controller.status.EventRecorder;
import dev.quiver.controller.status.StatusReporter;
import dev.quiver.controller.status.WriteBudget;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.HistoryRooms;
import dev.quiver.controller.store.KeyspaceRecords;
import dev.quiver.controller.store.KeyspaceWatch;
import dev.quiver.controller.store.LivingNamespaces;
import dev.quiver.controller.store.PoolLoads;
import dev.quiver.controller.store.PoolQueues;
import dev.quiver.controller.store.RecordBacklogs;
import dev.quiver.controller.store.RedisAdmin;
import dev.quiver.controller.store.Store;
import dev.quiver.controller.store.StoreAdmin;
import dev.quiver.controller.store.StoreLoop;
import dev.quiver.controller.store.StoreWatch;
import dev.quiver.controller.store.Sweep;
import dev.quiver.controller.store.WorkerRegistries;
import dev.quiver.controller.task.TaskContext;
import dev.quiver.controller.task.TaskReconciler;
import dev.quiver.controller.taskset.TaskSetContext;
import dev.quiver.controller.taskset.TaskSetReconciler;
import dev.quiver.controller.taskset.TaskSetRuns;
import dev.quiver.controller.tenancy.HistoryAccess;
import dev.quiver.controller.tenancy.ReaderAccounts;
import dev.quiver.controller.tenancy.RedisPolicy;
import dev.quiver.controller.tenancy.RedisUsers;
import dev.quiver.controller.tenancy.Tenants;
import dev.quiver.controller.tenancy.UnusedUsers;
import dev.quiver.controller.tree.TreeKeys;
import dev.quiver.controller.tree.TreeRuns;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.keyspace.StoreChange;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisMode;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.schedule.TaskSchedules;
import dev.quiver.lifecycle.task.tree.FunctionProbe;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/**
 * Puts the parts together: plain constructors, in one place.
 *
 * @param reconcilers one for each kind
 * @param loop for the leader's clock
 */
record Wiring(List<Reconciler<?>> reconcilers, StoreLoop.Parts loop) {

    private static final String OPENSHIFT_IDS = "security.openshift.io";
    private static final Event REWOUND = Event.warning(
            "StoreRewound", "Redis came back with an older state of this run: tasks that ended since then run again.");

    static Wiring of(
            Settings settings,
            KubernetesClient client,
            PrometheusMeterRegistry metrics,
            LongSupplier term,
            Consumer<StaleLeaderException> stale,
            Clock clock)
            throws IOException {
        RedisEndpoint endpoint = RedisEndpoint.read(settings.redis());
        RedisStore redis = RedisStore.open(endpoint, "quiver-operator", Lifecycle.LIBRARY);
        Timer calls = Timer.builder("quiver.store.call")
                .description("Calls of the operator to Redis, answered or not")
                .register(metrics);
        redis.onCall(nanos -> calls.record(nanos, TimeUnit.NANOSECONDS));
        Lifecycle lifecycle = new Lifecycle(redis);
        GrantedPrefixes prefixes =
                new GrantedPrefixes(settings.grantedPrefixes(), endpoint.mode() == RedisMode.CLUSTER);
        Store store = Store.of(
                lifecycle,
                new RedisAdmin(redis, endpoint, Lifecycle.LIBRARY),
                term,
                prefixes,
                new HistoryRooms(settings.history()),
                new LivingNamespaces(client),
                stale,
                clock);
        RedisUsers users = new RedisUsers(store.admin(), store.calls(), store.watch());
        KeyspaceRecords records = new KeyspaceRecords(client, settings.lease().namespace());

        // What all kinds share.
        EventRecorder recorder = new EventRecorder(client, clock);
        ActiveResources active = new ActiveResources();
        WriteBudget budget = new WriteBudget(settings.statusWritesPerSecond());
        var reporting = new StatusReporter.Shared(client, budget, active, recorder, metrics, clock);
        FinalizerGate gate = new FinalizerGate(recorder, settings.storePatience(), clock);
        NamespaceLeases owned =
                new NamespaceLeases(client, settings.lease().installation(), NamespaceLeases.Times.USUAL, clock);
        ControllerContext context = new ControllerContext(
                client,
                store.watch(),
                store.calls(),
                store.backlogs(),
                store.recording(),
                records,
                gate,
                new NamespaceGate(owned, recorder),
                clock);

        // WorkerPools.
        WorkerRegistries registries =
                new WorkerRegistries(store.controls()::pools, store.watch(), store.keyspaces(), clock);
        PoolLoads loads = new PoolLoads(lifecycle::waiting, store.watch(), store.keyspaces(), clock);
        PoolQueues queues = new PoolQueues(lifecycle::waiting, store.watch(), store.keyspaces(), clock);
        PoolResources resources = new PoolResources(
                lifecycle::resources,
                lifecycle::waiting,
                WorkerPoolStatus.MAX_RESOURCES,
                store.watch(),
                store.keyspaces());
        ResourceProbes probes = new ResourceProbes(
                keyspace -> lifecycle.order(keyspace, term.getAsLong())::probed,
                keyspace -> FunctionProbe.in(lifecycle.trees(keyspace, term.getAsLong())),
                registries::announcement,
                settings.probeHosts(),
                clock);
        PoolFigures figures = new PoolFigures(queues::of, new DesiredReplicas(metrics));
        Tenants.Settings tenancy = new Tenants.Settings(
                settings.tenancy(),
                endpoint,
                settings.tenants(),
                prefixes::of,
                settings.packs().flatMap(HistoryEndpoint::authorities));
        Optional<ReaderAccounts> readers =
                Optional.of(new ReaderAccounts(client, clock)).filter(_ -> settings.history());
        Tenants tenants = new Tenants(tenancy, client, users, clock, readers);
        PoolContext pools = new PoolContext(
                context,
                PoolContext.reporter(reporting),
                tenants,
                registries,
                loads,
                queues,
                resources,
                probes,
                figures,
                platform(settings, client),
                prefixes,
                store.keyspaces(),
                store.controls()::pools,
                keyspace -> PrefixGrants.in(
                        lifecycle.grants(keyspace, term.getAsLong()),
                        lifecycle.queueGrants(keyspace, term.getAsLong())),
                keyspace -> lifecycle.order(keyspace, term.getAsLong()));

        // TaskSets: a kind of run, which is followed and swept.
        Function<Keyspace, TaskSetControl> control = keyspace -> lifecycle.control(keyspace, term.getAsLong());
        StatusReporter<TaskSetStatus, TaskSet> setReporter = TaskSetContext.reporter(reporting);
        TaskSetRuns taskSets = new TaskSetRuns(control, setReporter::due);
        Runs runs = new Runs(taskSets);
        TaskSetContext sets = new TaskSetContext(
                context,
                setReporter,
                runs.of(taskSets),
                control,
                store.controls()::pools,
                keyspace -> lifecycle.places(keyspace, term.getAsLong()),
                new RecordClient(settings.record()));

        // Tasks: another one.
        Function<Keyspace, TaskTrees> trees = keyspace -> lifecycle.trees(keyspace, term.getAsLong());
        Function<Keyspace, TaskSchedules> schedules = keyspace -> lifecycle.schedules(keyspace, term.getAsLong());
        StatusReporter<TaskStatus, Task> taskReporter = TaskContext.reporter(reporting);
        TreeRuns taskRuns = new TreeRuns(Task.class, trees, taskReporter::due);
        TaskContext tasks = new TaskContext(
                context,
                taskReporter,
                runs.of(taskRuns),
                trees,
                (keyspace, prefix, pool) -> lifecycle.trees(keyspace, prefix, pool, term.getAsLong()),
                schedules,
                prefixes);

        // Map-reduce jobs: trees as well.
        StatusReporter<MapReduceJobStatus, MapReduceJob> jobReporter = MapReduceContext.reporter(reporting);
        MapReduceContext jobs = new MapReduceContext(
                context,
                jobReporter,
                runs.of(new TreeRuns(MapReduceJob.class, trees, jobReporter::due)),
                trees,
                (keyspace, prefix, pool, type) -> lifecycle.queueTrees(keyspace, prefix, pool, type, term.getAsLong()),
                schedules,
                lifecycle::jobs,
                prefixes);
        Sweep sweep = new Sweep(
                List.of(taskSets, new TreeKeys(List.of(Task.class, MapReduceJob.class), trees, schedules)),
                client,
                store.recording()::deleted);

        store.keyspaces().onChange(runs::wakeAll);
        store.backlogs().onChange(runs::wakeAll);
        store.backlogs().onChange(registries::wakeAll);
        KeyspaceWatch watch = new KeyspaceWatch(store.controls()::health, store.keyspaces(), records);
        watch.onLoss((keyspace, change) -> {
            registries.announceAgain(keyspace);
            runs.wakeAll(keyspace);
            if (change instanceof StoreChange.Rewound) {
                runs.resources(keyspace).forEach(run -> recorder.publish(run, REWOUND));
            }
        });
        metrics.getPrometheusRegistry().register(figures);
        Gauge.builder("quiver.pools.unlisted", figures, PoolFigures::unlisted)
                .description("Pools without metrics of their own")
                .register(metrics);
        Gauge.builder("quiver.record.keyspaces.behind", store.backlogs(), RecordBacklogs::behind)
                .description("Keyspaces whose records history does not read in time")
                .register(metrics);
        gauges(metrics, store.watch(), registries, active);
        WorkerPoolReconciler poolReconciler = new WorkerPoolReconciler(pools);
        return new Wiring(
                List.of(
                        poolReconciler,
                        new TaskSetReconciler(sets),
                        new TaskReconciler(tasks),
                        new MapReduceReconciler(jobs)),
                new StoreLoop.Parts(
                        store,
                        runs,
                        registries,
                        loads,
                        queues,
                        probes,
                        resources,
                        watch,
                        records,
                        sweep,
                        new UnusedUsers(tenants, client)::remove,
                        eachSecond(
                                owned::renew,
                                redisPolicy(settings, client, poolReconciler::namespaces, clock),
                                settings.history() ? history(settings, tenancy, client, users, clock) : () -> {}),
                        stale));
    }

    private static Runnable eachSecond(Runnable... acts) {
        return () -> List.of(acts).forEach(Runnable::run);
    }

    private static Runnable redisPolicy(
            Settings settings, KubernetesClient client, Supplier<Set<String>> tenants, Clock clock) {
        return settings.redisPolicy()
                .<Runnable>map(
                        name -> new RedisPolicy(client, settings.lease().namespace(), name, tenants, clock)::ensure)
                .orElse(() -> {});
    }

    private static Runnable history(
            Settings settings, Tenants.Settings tenancy, KubernetesClient client, RedisUsers users, Clock clock) {
        return new HistoryAccess(tenancy, client, users, clock, settings.lease().namespace())::ensure;
    }

    private static PodPlatform platform(Settings settings, KubernetesClient client) {
        return new PodPlatform(
                settings.workerImage(),
                settings.pullPolicy(),
                settings.supervisorResources(),
                client.hasApiGroup(OPENSHIFT_IDS, false),
                settings.packs());
    }

    /** A figure of Redis as it last answered; 0 before. */
    private static void deployment(
            MeterRegistry metrics,
            StoreWatch store,
            String name,
            String description,
            ToLongFunction<StoreAdmin.Deployment> figure) {
        Gauge.builder(name, store, s -> s.seen().map(figure::applyAsLong).orElse(0L))
                .description(description)
                .register(metrics);
    }

    private static void gauges(
            MeterRegistry metrics, StoreWatch store, WorkerRegistries registries, ActiveResources active) {
        Gauge.builder("quiver.store.up", store, s -> s.state().up() ? 1 : 0)
                .description("Whether Redis can be used")
                .register(metrics);
        deployment(metrics, store, "quiver.store.bytes", "Memory that Redis uses", StoreAdmin.Deployment::used);
        deployment(metrics, store, "quiver.store.max.bytes", "maxmemory of Redis", StoreAdmin.Deployment::memory);
        deployment(metrics, store, "quiver.store.evicts", "Whether Redis may drop keys", it -> it.evicts() ? 1 : 0);
        Gauge.builder("quiver.workers.heard", registries, WorkerRegistries::aliveWorkers)
                .description("Workers with a heartbeat")
                .register(metrics);
        Gauge.builder("quiver.resources.busy", active, ActiveResources::count)
                .description("Resources that share the budget of status writes")
                .register(metrics);
    }
}
