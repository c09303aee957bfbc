package dev.quiver.controller.status;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.status.WriteBudget.Change;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskFailure;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskStatusBuilder;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

/** A status says what the present leader knows, of the resource that it looked at. */
@ExtendWith(ApiServer.class)
class StatusWriterIT {

    private StatusWriter<WorkerPoolStatus, WorkerPool> writer;
    private StatusWriter<WorkerPoolStatus, WorkerPool> successor;
    private WorkerPool seen;

    @BeforeEach
    void create(KubernetesClient client) {
        writer = writer(client);
        successor = writer(client);
        client.resources(WorkerPool.class).withName("p").delete();
        seen = client.resource(Samples.pool("p", 1)).create();
    }

    @Test
    void writesAgainAndAgainThoughItsCopyIsOld(KubernetesClient client) {
        for (int replicas = 1; replicas <= 3; replicas++) {
            assertThat(writer.write(seen, status(replicas), Change.AT_ONCE)).isEmpty();
        }
        assertThat(present(client).getStatus().replicas()).isEqualTo(3);
        assertThat(writer.current(seen)).contains(status(3));
    }

    @Test
    void whatALeaderSaysThatWasReplacedMeanwhileIsRefused(KubernetesClient client) {
        writer.write(seen, status(1), Change.AT_ONCE);
        successor.write(present(client), status(2), Change.AT_ONCE);
        assertConflict(() -> writer.write(seen, status(3), Change.AT_ONCE));
        assertThat(present(client).getStatus().replicas()).isEqualTo(2);
        assertThat(writer.current(present(client)))
                .as("what the other wrote is what stands")
                .contains(status(2));
        writer.write(present(client), status(4), Change.AT_ONCE);
        assertThat(present(client).getStatus().replicas()).isEqualTo(4);
    }

    @Test
    void aWordAboutAResourceWhoseNameWasTakenByAnotherIsRefused(KubernetesClient client) {
        client.resources(WorkerPool.class).withName("p").delete();
        client.resource(Samples.pool("p", 1)).create();
        assertConflict(() -> writer.write(seen, status(1), Change.AT_ONCE));
        assertThat(present(client).getStatus()).isNull();
    }

    @Test
    void aResourceThatIsGoneIsNoError(KubernetesClient client) {
        client.resources(WorkerPool.class).withName("p").delete();
        assertThat(writer.write(seen, status(1), Change.AT_ONCE)).isEmpty();
        assertThat(client.resources(WorkerPool.class).withName("p").get()).isNull();
    }

    @Test
    void aCopyThatIsLaterThanTheLastWriteIsBelieved(KubernetesClient client) {
        writer.write(seen, status(1), Change.AT_ONCE);
        client.resources(WorkerPool.class).withName("p").scale(3);
        assertThat(writer.current(present(client)))
                .as("it says the same when read back, so nothing is written twice")
                .contains(status(1));
        successor.write(present(client), status(2), Change.AT_ONCE);
        assertThat(writer.current(present(client))).contains(status(2));
    }

    @Test
    void textsOfTenantsAreShownAsTheyAre(KubernetesClient client) {
        String odd = IntStream.concat(IntStream.range(0, 0xa0), IntStream.of(0x200b, 0x202e, 0xfeff, 0xfffe, 0xffff))
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
        writer.write(
                seen,
                WorkerPoolStatusBuilder.builder(status(1))
                        .handlers(List.of("a\u007f", "b\u202e"))
                        .conditions(new Conditions(List.of(), 1, Instant.now())
                                .set(
                                        ConditionType.Ready,
                                        ConditionStatus.False,
                                        WorkerPoolReason.ContainersCrashing,
                                        "it said " + odd)
                                .list())
                        .build(),
                Change.AT_ONCE);
        WorkerPoolStatus written = present(client).getStatus();
        assertThat(written.replicas()).isEqualTo(1);
        assertThat(written.handlers()).containsExactly("a\\u007f", "b\\u202e");
        assertThat(written.conditions())
                .singleElement()
                .extracting(Condition::getMessage, as(STRING))
                .contains("\\u0000\\u0001", "\\u007f\\u0080", "\\u200b\\u202e\\ufeff\\ufffe\\uffff");
    }

    @Test
    void aResultIsKeptExactly(KubernetesClient client) {
        client.resources(Task.class).withName("odd").delete();
        Task task = client.resource(Samples.task("odd", Samples.tree("p", TaskNode.ofCommand("a", "true"))))
                .create();
        StatusWriter<TaskStatus, Task> tasks = writer(client, Task::new);
        JsonNode result = JsonNodeFactory.instance
                .objectNode()
                .put("k\u007f\u0085\u2028", "a\u007f\u0080\u0085\u009f\ufeff\ufffe\uffff\u202e\ud83d\ude00")
                .put("n", 7);

        tasks.write(task, TaskStatusBuilder.builder().result(result).build(), Change.AT_ONCE);

        assertThat(client.resources(Task.class)
                        .withName("odd")
                        .require()
                        .getStatus()
                        .result())
                .isEqualTo(result);
    }

    @Test
    void whatTheApiServerRefusesIsLeftOutAndNamed(KubernetesClient client) {
        TaskSet set = set(client, "refused");
        StatusWriter<TaskSetStatus, TaskSet> sets = writer(client, TaskSet::new);
        TaskSetStatus bad = TaskSetStatusBuilder.builder()
                .total(5L)
                .keyspace("team")
                .failures(List.of(new TaskFailure("t", 1, 1, null, "no word", "why")))
                .conditions(finished())
                .build();

        assertThat(sets.write(set, bad, Change.AT_ONCE)).isEmpty();

        TaskSetStatus written = presentSet(client, "refused").getStatus();
        assertThat(written.failures()).isEmpty();
        assertThat(written.total()).isEqualTo(5);
        assertThat(Conditions.isTrue(written.conditions(), ConditionType.Finished))
                .isTrue();
        assertThat(Conditions.find(written.conditions(), ConditionType.StatusComplete))
                .hasValueSatisfying(incomplete -> assertThat(incomplete.getMessage())
                        .as("the API server's own answer")
                        .contains("failures[0].reason"));
        assertThat(sets.current(presentSet(client, "refused")))
                .as("an equal status is not sent again")
                .contains(bad);

        sets.write(
                presentSet(client, "refused"),
                TaskSetStatusBuilder.builder(bad).failures(List.of()).build(),
                Change.AT_ONCE);
        assertThat(Conditions.find(
                        presentSet(client, "refused").getStatus().conditions(), ConditionType.StatusComplete))
                .isEmpty();
    }

    @Test
    void whatIsRefusedEvenWithoutSamplesHasTheConditionsAtLeast(KubernetesClient client) {
        TaskSet set = set(client, "bare");
        StatusWriter<TaskSetStatus, TaskSet> sets = writer(client, TaskSet::new);

        sets.write(
                set,
                TaskSetStatusBuilder.builder()
                        .total(-5L)
                        .keyspace("team")
                        .conditions(finished())
                        .build(),
                Change.AT_ONCE);

        TaskSetStatus written = presentSet(client, "bare").getStatus();
        assertThat(written.total()).isNull();
        assertThat(written.keyspace()).isEqualTo("team");
        assertThat(written.conditions()).extracting(Condition::getType).containsExactly("Finished", "StatusComplete");
    }

    private static List<Condition> finished() {
        return new Conditions(List.of(), 1, Instant.now())
                .set(ConditionType.Finished, ConditionStatus.True, TaskSetReason.TasksFailed)
                .list();
    }

    private static TaskSet set(KubernetesClient client, String name) {
        client.resources(TaskSet.class).withName(name).delete();
        return client.resource(Samples.set(name, Samples.counted(1))).create();
    }

    private static TaskSet presentSet(KubernetesClient client, String name) {
        return client.resources(TaskSet.class).withName(name).require();
    }

    private static void assertConflict(Runnable write) {
        assertThatThrownBy(write::run)
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getCode()).isEqualTo(HttpURLConnection.HTTP_CONFLICT));
    }

    private static WorkerPool present(KubernetesClient client) {
        return client.resources(WorkerPool.class).withName("p").require();
    }

    private static WorkerPoolStatus status(int replicas) {
        return WorkerPoolStatusBuilder.builder().replicas(replicas).build();
    }

    private static StatusWriter<WorkerPoolStatus, WorkerPool> writer(KubernetesClient client) {
        return writer(client, WorkerPool::new);
    }

    private static <S, T extends CustomResource<?, S>> StatusWriter<S, T> writer(
            KubernetesClient client, Supplier<T> shell) {
        return new StatusWriter<>(
                client,
                new WriteBudget(50),
                new ActiveResources(),
                shell,
                Counter.builder("writes").register(new SimpleMeterRegistry()),
                Clock.systemUTC());
    }
}
