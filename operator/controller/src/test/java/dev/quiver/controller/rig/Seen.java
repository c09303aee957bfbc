package dev.quiver.controller.rig;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

/**
 * The view of a person through the API, and waiting for it.
 *
 * @param client asks the API server
 */
public record Seen(KubernetesClient client) {

    /** The status of a run, empty components when there is none. */
    public Optional<TaskSetStatus> run(String name) {
        return Optional.ofNullable(
                        client.resources(TaskSet.class).withName(name).get())
                .map(TaskSet::getStatus);
    }

    /** The status of a pool. */
    public Optional<WorkerPoolStatus> pool(String name) {
        return Optional.ofNullable(
                        client.resources(WorkerPool.class).withName(name).get())
                .map(WorkerPool::getStatus);
    }

    /** Waits until a run's status is so, and gives it. */
    public TaskSetStatus awaitRun(String name, Predicate<TaskSetStatus> so) {
        return until(() -> run(name), status -> status.filter(so).isPresent()).orElseThrow();
    }

    /** Waits until a pool's status is so, and gives it. */
    public WorkerPoolStatus awaitPool(String name, Predicate<WorkerPoolStatus> so) {
        return until(() -> pool(name), status -> status.filter(so).isPresent()).orElseThrow();
    }

    /** Waits until a run's condition has that reason, and gives it. */
    public Condition awaitRun(String name, ConditionType type, Enum<?> reason) {
        return condition(awaitRun(name, s -> has(s.conditions(), type, reason)).conditions(), type);
    }

    /** Waits until a pool's condition has that reason, and gives it. */
    public Condition awaitPool(String name, ConditionType type, Enum<?> reason) {
        return condition(awaitPool(name, s -> has(s.conditions(), type, reason)).conditions(), type);
    }

    /** The status of a Task. */
    public Optional<TaskStatus> task(String name) {
        return Optional.ofNullable(client.resources(Task.class).withName(name).get())
                .map(Task::getStatus);
    }

    /** Waits until a Task's status is so, and gives it. */
    public TaskStatus awaitTask(String name, Predicate<TaskStatus> so) {
        return until(() -> task(name), status -> status.filter(so).isPresent()).orElseThrow();
    }

    /** Waits until a Task's condition has that reason, and gives it. */
    public Condition awaitTask(String name, ConditionType type, Enum<?> reason) {
        return condition(awaitTask(name, s -> has(s.conditions(), type, reason)).conditions(), type);
    }

    /** The status of a map-reduce job. */
    public Optional<MapReduceJobStatus> job(String name) {
        return Optional.ofNullable(
                        client.resources(MapReduceJob.class).withName(name).get())
                .map(MapReduceJob::getStatus);
    }

    /** Waits until a job's status is so, and gives it. */
    public MapReduceJobStatus awaitJob(String name, Predicate<MapReduceJobStatus> so) {
        return until(() -> job(name), status -> status.filter(so).isPresent()).orElseThrow();
    }

    /** Waits until a job's condition has that reason, and gives it. */
    public Condition awaitJob(String name, ConditionType type, Enum<?> reason) {
        return condition(awaitJob(name, s -> has(s.conditions(), type, reason)).conditions(), type);
    }

    /** The row of {@code kubectl get} for a Task. */
    public List<String> columns(String task) {
        return columns("qtasks", task);
    }

    /** The row of {@code kubectl get}. */
    public List<String> columns(String plural, String name) {
        var request = client.getHttpClient()
                .newHttpRequestBuilder()
                .uri(client.getMasterUrl() + "apis/quiver.dev/v1alpha1/namespaces/" + client.getNamespace() + "/"
                        + plural + "/" + name)
                .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
                .build();
        try {
            String table = client.getHttpClient()
                    .sendAsync(request, String.class)
                    .join()
                    .body();
            List<String> cells = new ArrayList<>();
            new JsonMapper().readTree(table).at("/rows/0/cells").forEach(cell -> cells.add(cell.asText()));
            return cells;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits for so many pods of a pool that are not terminating, and gives them. */
    public List<Pod> awaitPods(String pool, int count) {
        return until(() -> new Kubelet(client).live(pool), pods -> pods.size() == count);
    }

    /** Waits until a worker is let in by Redis in the first pod of a pool. */
    public NoopWorker awaitWorker(Pod pod, String redisUri) {
        return until(() -> NoopWorker.in(pod, redisUri), Optional::isPresent).orElseThrow();
    }

    /** Likewise one that knows no library of this release. */
    public NoopWorker awaitWorkerOfBefore(Pod pod, String redisUri) {
        return until(() -> NoopWorker.ofBefore(pod, redisUri), Optional::isPresent)
                .orElseThrow();
    }

    /** Likewise, in that keyspace. */
    public NoopWorker awaitWorker(Pod pod, String redisUri, Keyspace keyspace) {
        return until(() -> NoopWorker.in(pod, redisUri, keyspace), Optional::isPresent)
                .orElseThrow();
    }

    /** The Events about a resource, by reason. */
    public List<String> events(String name) {
        return client.v1().events().list().getItems().stream()
                .filter(e -> name.equals(e.getInvolvedObject().getName()))
                .map(Event::getReason)
                .toList();
    }

    /** Waits until there are Events for these reasons about a resource: they are written after its status. */
    public void awaitEvents(String name, String... reasons) {
        until(() -> events(name), told -> told.containsAll(List.of(reasons)));
    }

    /** Deletes all runs, and then all pools, and waits until they are gone. */
    public void deleteAll() {
        for (var kind : List.of(TaskSet.class, Task.class, MapReduceJob.class, WorkerPool.class)) {
            client.resources(kind).delete();
            until(() -> client.resources(kind).list().getItems(), List::isEmpty);
        }
    }

    /** Waits until it is so. A look that Redis does not answer in time is one more. */
    public static <T> T until(Callable<T> look, Predicate<T> so) {
        return await().pollInterval(Duration.ofMillis(100))
                .ignoreException(StoreUnreachableException.class)
                .until(look, so::test);
    }

    /** Waits until it is no longer there. */
    public static void gone(Callable<?> look) {
        until(() -> Optional.ofNullable(look.call()), Optional::isEmpty);
    }

    /** The condition of that type. */
    public static Condition condition(List<Condition> conditions, ConditionType type) {
        return Conditions.find(conditions, type).orElseThrow();
    }

    private static boolean has(List<Condition> conditions, ConditionType type, Enum<?> reason) {
        return Conditions.find(conditions, type)
                .filter(c -> c.getReason().equals(reason.name()))
                .isPresent();
    }
}
