package dev.quiver.controller;

import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import dev.quiver.controller.pool.PodPlatform;
import dev.quiver.controller.pool.PodStage;
import dev.quiver.controller.serve.ResourceGauges;
import dev.quiver.controller.status.Announcement;
import dev.quiver.controller.status.Announcer;
import dev.quiver.controller.status.Busyness;
import dev.quiver.controller.status.StatusWriter;
import dev.quiver.controller.status.WriteBudget;
import dev.quiver.controller.store.KeptFacts;
import dev.quiver.controller.store.KeyspaceWatch;
import dev.quiver.controller.store.RedisAdmin;
import dev.quiver.controller.store.Rosters;
import dev.quiver.controller.store.Runs;
import dev.quiver.controller.store.Store;
import dev.quiver.controller.store.StoreLoop;
import dev.quiver.controller.store.Sweep;
import dev.quiver.controller.store.TenantSecret;
import dev.quiver.controller.store.Tenants;
import dev.quiver.controller.store.UnusedUsers;
import dev.quiver.controller.taskset.TaskSetRuns;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.OwnDialect;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.keyspace.StoreVerdict;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/**
 * Who is handed what. Plain constructors, one place.
 *
 * @param doors for the reconcilers
 * @param loop for the leader's clock
 * @param platform for the pods
 */
record Wiring(Doors doors, StoreLoop.Parts loop, PodPlatform platform) {

    private static final String OPENSHIFT_IDS = "security.openshift.io";
    private static final Announcement REWOUND = Announcement.warning(
            "StoreRewound", "Redis came back with an older state of this run: what was done since then runs again.");

    static Wiring of(
            Settings settings,
            KubernetesClient client,
            MeterRegistry metrics,
            LongSupplier term,
            Consumer<StaleLeaderException> stale,
            Clock clock)
            throws IOException {
        RedisEndpoint endpoint = RedisEndpoint.read(settings.redis());
        RedisStore redis = RedisStore.open(endpoint, "quiver-operator", OwnDialect.LIBRARY);
        OwnDialect dialect = new OwnDialect(redis);
        Store store = new Store(dialect, new RedisAdmin(redis, endpoint, OwnDialect.LIBRARY), term, clock);
        store.onStale(stale);

        WriteBudget budget = new WriteBudget(settings.statusWritesPerSecond());
        Busyness busyness = new Busyness();
        StatusWriter<TaskSetStatus, TaskSet> setStatus = new StatusWriter<>(
                client,
                budget,
                busyness,
                TaskSet::new,
                metrics.counter("quiver.status.writes", "kind", "TaskSet"),
                clock);
        StatusWriter<WorkerPoolStatus, WorkerPool> poolStatus = new StatusWriter<>(
                client,
                budget,
                busyness,
                WorkerPool::new,
                metrics.counter("quiver.status.writes", "kind", "WorkerPool"),
                clock);

        Announcer announcer = new Announcer(client, clock);
        Rosters rosters = new Rosters(store, clock);
        Function<Keyspace, TaskSetControl> control = keyspace -> dialect.control(keyspace, term.getAsLong());
        TaskSetRuns taskSets = new TaskSetRuns(control, setStatus::due);
        Runs runs = new Runs(taskSets);
        store.onJudged(runs::wakeAll);
        KeptFacts facts = new KeptFacts(client, settings.lease().namespace());
        KeyspaceWatch watch = new KeyspaceWatch(store, facts);
        watch.onLoss((keyspace, verdict) -> {
            rosters.announceAgain(keyspace);
            runs.wakeAll(keyspace);
            if (verdict instanceof StoreVerdict.Rewound) {
                runs.resources(keyspace).forEach(set -> announcer.tell(set, REWOUND));
            }
        });
        Tenants tenants = new Tenants(
                new Tenants.Settings(settings.tenancy(), endpoint, settings.tenants()),
                new TenantSecret(client),
                store,
                TenantRules::of,
                clock);

        Gauge.builder("quiver.store.up", store, s -> s.state().up() ? 1 : 0)
                .description("Whether Redis can be used")
                .register(metrics);
        Gauge.builder("quiver.workers.heard", rosters, Rosters::heard)
                .description("Workers with a heartbeat")
                .register(metrics);
        Gauge.builder("quiver.resources.busy", busyness, Busyness::running)
                .description("Resources that share the budget of status writes")
                .register(metrics);
        return new Wiring(
                new Doors(
                        client,
                        store,
                        tenants,
                        rosters,
                        control,
                        runs.of(taskSets),
                        poolStatus,
                        setStatus,
                        announcer,
                        busyness,
                        facts,
                        new ResourceGauges(metrics, PodStage.names()),
                        settings.storePatience()),
                new StoreLoop.Parts(
                        store,
                        runs,
                        rosters,
                        watch,
                        facts,
                        new Sweep(List.of(taskSets), client),
                        new UnusedUsers(tenants, client)::remove,
                        stale),
                new PodPlatform(
                        settings.workerImage(),
                        settings.pullPolicy(),
                        settings.supervisorResources(),
                        client.hasApiGroup(OPENSHIFT_IDS, false)));
    }
}
