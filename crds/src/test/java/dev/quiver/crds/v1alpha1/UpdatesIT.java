package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.crds.apiserver.ApiServer;

/** The fields that may change in an object that is there, and those that may not. */
@ExtendWith(ApiServer.class)
class UpdatesIT {
    private static final String ONLY = "cannot be changed without schedule: only replicas, maxParallelTasks, suspend,"
            + " cancel, relPriority, tags, activeDeadlineSeconds and ttlSecondsAfterFinished can";

    private final KubernetesClient client;
    private String name;

    UpdatesIT(KubernetesClient client) {
        this.client = client;
    }

    @BeforeEach
    void nameEachObjectAnew(TestInfo test) {
        name = "u" + Integer.toHexString(test.getDisplayName().hashCode());
    }

    @Test
    void changesWhatIsMeantToChange() {
        client.resource(Specimens.taskSet(name)).create();
        var changed = change(spec -> TaskSetSpecBuilder.builder(spec)
                .replicas(7)
                .maxParallelTasks(3)
                .relPriority(-4)
                .tags(List.of("view"))
                .suspend(true)
                .cancel(true)
                .activeDeadlineSeconds(60L)
                .ttlSecondsAfterFinished(0L)
                .build());
        assertThat(changed.getSpec().replicas()).isEqualTo(7);
        assertThat(changed.getMetadata().getGeneration()).isEqualTo(2);
        change(spec -> TaskSetSpecBuilder.builder(spec)
                .suspend(false)
                .relPriority(null)
                .tags(null)
                .maxParallelTasks(null)
                .activeDeadlineSeconds(null)
                .ttlSecondsAfterFinished(null)
                .build());
    }

    @Test
    void doesNotTakeACancelBack() {
        client.resource(Specimens.taskSet(name)).create();
        change(spec -> TaskSetSpecBuilder.builder(spec).cancel(true).build());
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec).cancel(false).build(),
                "spec.cancel",
                "only false to true is allowed");
    }

    @Test
    void keepsWhatTheRunWasStartedWith() {
        client.resource(Specimens.taskSet(name)).create();
        refuses(spec -> TaskSetSpecBuilder.builder(spec).maxTrials(4).build(), "spec.maxTrials", ONLY);
        refuses(spec -> TaskSetSpecBuilder.builder(spec).maxFailedTasks(4).build(), "spec.maxFailedTasks", ONLY);
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .storeLossPolicy(StoreLossPolicy.Resubmit)
                        .build(),
                "spec.storeLossPolicy",
                ONLY);
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .task(TaskTemplate.ofCommand("false"))
                        .build(),
                "spec.task",
                ONLY);
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .task(TaskTemplateBuilder.builder()
                                .command(List.of("true"))
                                .workingDir("/tmp")
                                .build())
                        .build(),
                "spec.task",
                ONLY);
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .source(TaskSource.ofCount(11))
                        .build(),
                "spec.source",
                ONLY);
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .source(TaskSource.ofMatrix(Map.of("A", List.of("1"))))
                        .build(),
                "spec.source",
                ONLY);
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .workerPoolRef(new WorkerPoolRef("other"))
                        .build(),
                "spec.workerPoolRef",
                ONLY);
    }

    @Test
    void changesTheWorkOfASchedule() {
        var set = Specimens.taskSet(name);
        set.setSpec(TaskSetSpecBuilder.builder(set.getSpec())
                .schedule(TaskSchedule.ofCron("@daily"))
                .build());
        client.resource(set).create();
        change(spec -> TaskSetSpecBuilder.builder(spec)
                .source(TaskSource.ofCount(11))
                .task(TaskTemplate.ofCommand("false"))
                .workerPoolRef(new WorkerPoolRef("other"))
                .maxTrials(4)
                .maxFailedTasks(4)
                .storeLossPolicy(StoreLossPolicy.Resubmit)
                .failurePolicy(new FailurePolicy(true, null))
                .backoff(Backoff.DEFAULT)
                .taskSetClass("specs")
                .order(TaskOrder.Source)
                .speculation(new Speculation(Speculation.Mode.WhenIdle))
                .build());
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec).workerPoolRef(null).build(),
                "must have exactly one of workerTemplate and workerPoolRef");
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .source(TaskSource.ofItems(List.of(new TaskItem(
                                "a", null, null, TaskInput.ofJson(JsonNodeFactory.instance.textNode("a"))))))
                        .build(),
                "spec.source.items",
                "an item may have input only with task.handler");
        refuses(spec -> TaskSetSpecBuilder.builder(spec).schedule(null).build(), "spec.schedule", "cannot be added");
    }

    @Test
    void keepsWhatFailuresMean() {
        client.resource(Specimens.taskSet(name)).create();
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .failurePolicy(new FailurePolicy(true, null))
                        .build(),
                "spec.failurePolicy",
                ONLY);
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .backoff(Backoff.DEFAULT)
                        .build(),
                "spec.backoff",
                ONLY);
    }

    @Test
    void keepsTheClassAndTheHistoryOfARun() {
        client.resource(Specimens.taskSet(name)).create();
        refuses(spec -> TaskSetSpecBuilder.builder(spec).taskSetClass("specs").build(), "spec.taskSetClass", ONLY);
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .history(RunHistory.DEFAULT)
                        .build(),
                "spec.history",
                ONLY);

        var other = Specimens.taskSet(name + "-recorded");
        other.setSpec(TaskSetSpecBuilder.builder(other.getSpec())
                .taskSetClass("specs")
                .history(RunHistory.DEFAULT)
                .build());
        client.resource(other).create();
        name = name + "-recorded";
        refuses(spec -> TaskSetSpecBuilder.builder(spec).taskSetClass("others").build(), "spec.taskSetClass", ONLY);
        refuses(spec -> TaskSetSpecBuilder.builder(spec).taskSetClass(null).build(), "spec.taskSetClass", ONLY);
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .history(RunHistoryBuilder.builder()
                                .retention(new RunHistoryRetention(3, null))
                                .build())
                        .build(),
                "spec.history",
                ONLY);
        refuses(spec -> TaskSetSpecBuilder.builder(spec).history(null).build(), "spec.history", ONLY);
        change(spec -> TaskSetSpecBuilder.builder(spec).replicas(3).build());
    }

    @Test
    void doesNotChangeFromSharedToOwnWorkersNorToBothNorToNone() {
        client.resource(Specimens.taskSet(name)).create();
        var own = WorkerTemplateBuilder.builder().template(Specimens.template()).build();
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .workerPoolRef(null)
                        .workerTemplate(own)
                        .build(),
                "spec.workerTemplate",
                ONLY);
        refuses(spec -> TaskSetSpecBuilder.builder(spec).workerTemplate(own).build(), "spec.workerTemplate", ONLY);
        refuses(spec -> TaskSetSpecBuilder.builder(spec).workerPoolRef(null).build(), "spec.workerPoolRef", ONLY);
    }

    @Test
    void keepsTheOwnWorkersAsTheyWere() {
        var set = Specimens.taskSet(name);
        var own = WorkerTemplateBuilder.builder().template(Specimens.template()).build();
        set.setSpec(TaskSetSpecBuilder.builder(set.getSpec())
                .workerPoolRef(null)
                .workerTemplate(own)
                .build());
        client.resource(set).create();
        refuses(
                spec -> TaskSetSpecBuilder.builder(spec)
                        .workerTemplate(WorkerTemplateBuilder.builder(own)
                                .drainSeconds(1)
                                .build())
                        .build(),
                "spec.workerTemplate",
                ONLY);
        change(spec -> TaskSetSpecBuilder.builder(spec).replicas(3).build());
    }

    @ParameterizedTest
    @ValueSource(strings = {"add", "change", "remove"})
    void keepsTheKeyspaceOfAPool(String how) {
        var pool = Specimens.pool(name);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .keyspace(how.equals("add") ? null : "team-a")
                .build());
        client.resource(pool).create();
        var after = switch (how) {
            case "add" -> "team-a";
            case "change" -> "team-b";
            default -> null;
        };
        var refusal = catchThrowableOfType(
                KubernetesClientException.class,
                () -> client.resources(WorkerPool.class).withName(name).edit(p -> {
                    p.setSpec(WorkerPoolSpecBuilder.builder(p.getSpec())
                            .keyspace(after)
                            .build());
                    return p;
                }));
        assertThat(refusal).hasMessageContaining("spec.keyspace").hasMessageContaining("make a new WorkerPool instead");
    }

    @Test
    void addsChangesAndRemovesTheGrantedPrefixOfAPool() {
        client.resource(Specimens.pool(name)).create();
        var resize = new GrantedType("resize", null, null, null, null);
        for (var next : Arrays.asList(
                new GrantedPrefix("idoit:", null), new GrantedPrefix("idoqueue:", List.of(resize)), null)) {
            var changed = client.resources(WorkerPool.class).withName(name).edit(pool -> {
                pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                        .grantedPrefix(next)
                        .build());
                return pool;
            });
            assertThat(changed.getSpec().grantedPrefix()).isEqualTo(next);
        }
    }

    @Test
    void changesTheTemplateAndTheSlotsOfAPool() {
        client.resource(Specimens.pool(name)).create();
        var changed = client.resources(WorkerPool.class).withName(name).edit(pool -> {
            var spec = pool.getSpec();
            spec.template().getSpec().getContainers().get(0).setImage("quiver/demo:0.2.0");
            pool.setSpec(WorkerPoolSpecBuilder.builder(spec)
                    .slots(new Slots(2, new Quantity("8Ki"), new Quantity("16Mi")))
                    .suspend(true)
                    .build());
            return pool;
        });
        assertThat(changed.getMetadata().getGeneration()).isEqualTo(2);
        assertThat(changed.getSpec().slots().count()).isEqualTo(2);
    }

    @Test
    void addsChangesAndRemovesTheAutoscalingOfAPool() {
        client.resource(Specimens.pool(name)).create();
        for (var next : Arrays.asList(
                new Autoscaling(4, null, null, null),
                new Autoscaling(1, Autoscaling.Mode.Report, 3600, 0),
                new Autoscaling(1000, Autoscaling.Mode.Scale, 1, 3600),
                null)) {
            var changed = client.resources(WorkerPool.class).withName(name).edit(pool -> {
                pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                        .autoscaling(next)
                        .build());
                return pool;
            });
            assertThat(changed.getSpec().autoscaling()).isEqualTo(next);
        }
    }

    @Test
    void addsChangesAndRemovesTheOrderOfAPool() {
        client.resource(Specimens.pool(name)).create();
        for (var next : Arrays.asList(
                new Fairness(List.of()), new Fairness(List.of(new FairnessWeight("acme", 2))), (Fairness) null)) {
            var boosts = next == null ? List.<PriorityBoost>of() : List.of(new PriorityBoost("view", 1000));
            var ageing = next == null ? 0 : 10;
            var resources = next == null
                    ? List.<PoolResource>of()
                    : List.of(new PoolResource("online", ResourceState.Missing, 1, null, null, null));
            var aliases = next == null
                    ? List.<ResourceAlias>of()
                    : List.of(new ResourceAlias("account!*", List.of("online")));
            var changed = client.resources(WorkerPool.class).withName(name).edit(pool -> {
                pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                        .priorityBoosts(boosts)
                        .ageingPerMinute(ageing)
                        .fairness(next)
                        .resources(resources)
                        .resourceAliases(aliases)
                        .build());
                return pool;
            });
            assertThat(changed.getSpec())
                    .returns(boosts, WorkerPoolSpec::priorityBoosts)
                    .returns(ageing, WorkerPoolSpec::ageingPerMinute)
                    .returns(next, WorkerPoolSpec::fairness)
                    .returns(resources, WorkerPoolSpec::resources)
                    .returns(aliases, WorkerPoolSpec::resourceAliases);
        }
    }

    @Test
    void refusesToScaleAPoolAboveItsMaximum() {
        var pool = Specimens.pool(name);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .replicas(0)
                .autoscaling(new Autoscaling(4, null, null, null))
                .build());
        client.resource(pool).create();
        var resource = client.resources(WorkerPool.class).withName(name);
        assertThat(resource.scale(4).getSpec().replicas()).isEqualTo(4);
        var refusal = catchThrowableOfType(KubernetesClientException.class, () -> resource.scale(5));
        assertThat(refusal)
                .hasMessageContaining("spec.replicas")
                .hasMessageContaining("replicas must not be greater than autoscaling.maxReplicas");
    }

    @Test
    void scalesBothKindsThroughTheSubresource() {
        client.resource(Specimens.taskSet(name)).create();
        client.resource(Specimens.pool(name)).create();
        assertThat(client.resources(TaskSet.class)
                        .withName(name)
                        .scale(9)
                        .getSpec()
                        .replicas())
                .isEqualTo(9);
        assertThat(client.resources(WorkerPool.class)
                        .withName(name)
                        .scale(5)
                        .getSpec()
                        .replicas())
                .isEqualTo(5);
        var pool = Specimens.pool(name);
        pool.setStatus(WorkerPoolStatusBuilder.builder()
                .replicas(4)
                .selector("quiver.dev/pool=" + name)
                .build());
        client.resource(pool).patchStatus();
        var scale = client.resources(WorkerPool.class).withName(name).scale();
        assertThat(scale.getSpec().getReplicas()).isEqualTo(5);
        assertThat(scale.getStatus().getReplicas()).isEqualTo(4);
        assertThat(scale.getStatus().getSelector()).isEqualTo("quiver.dev/pool=" + name);
    }

    private TaskSet change(UnaryOperator<TaskSetSpec> change) {
        return client.resources(TaskSet.class).withName(name).edit(set -> {
            set.setSpec(change.apply(set.getSpec()));
            return set;
        });
    }

    private void refuses(UnaryOperator<TaskSetSpec> change, String... words) {
        var refusal = catchThrowableOfType(KubernetesClientException.class, () -> change(change));
        assertThat(refusal).isNotNull();
        assertThat(refusal.getCode()).isEqualTo(422);
        assertThat(refusal.getMessage()).contains(words);
    }
}
