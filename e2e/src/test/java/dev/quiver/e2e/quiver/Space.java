package dev.quiver.e2e.quiver;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;

import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.e2e.cluster.Repository;

/** A namespace of one test's own, which goes with all that is in it when the test is over. */
public final class Space implements AutoCloseable {

    private final Installation installation;
    private final String name;
    private final boolean restricted;
    private final Kubectl kubectl;

    private Space(Installation installation, String name, boolean restricted) {
        this.installation = installation;
        this.name = name;
        this.restricted = restricted;
        this.kubectl = installation.kubectl().in(name);
    }

    /** Makes the namespace, which enforces the restricted Pod Security Standard or none. */
    static Space open(Installation installation, String name, boolean restricted) {
        Space space = new Space(installation, name, restricted);
        space.kubectl.run("create", "namespace", name);
        if (restricted) {
            space.kubectl.run("label", "namespace", name, Installation.RESTRICTED);
        }
        return space;
    }

    /** The namespace of another tenant beside this one; to be closed. */
    public Space beside(String suffix) {
        return open(installation, name + "-" + suffix, restricted);
    }

    /** The namespace's name. */
    public String name() {
        return name;
    }

    /** kubectl in this namespace. */
    public Kubectl kubectl() {
        return kubectl;
    }

    /** Applies one of the examples that newcomers are given. */
    public void applyExample(String file) {
        Path path = Repository.root().resolve("crds/examples").resolve(file);
        kubectl.run("apply", "-f", path.toString());
    }

    /** Applies a TaskSet and returns it as a run. */
    public Run run(TaskSet set) {
        kubectl.apply(set);
        return run(set.getMetadata().getName());
    }

    /** Applies what is being written and returns it as a run. */
    public Run run(Tasks tasks) {
        return run(tasks.build());
    }

    /** A TaskSet that was applied. */
    public Run run(String taskSet) {
        return new Run(this, taskSet);
    }

    /** A Task that was applied. */
    public Tree tree(String task) {
        return new Tree(this, task);
    }

    /** The map-reduce job of that name, whether it exists yet or not. */
    public Job job(String name) {
        return new Job(this, name);
    }

    /** A WorkerPool that was applied. */
    public Pool pool(String workerPool) {
        return new Pool(this, workerPool);
    }

    /** Applies a shared pool of that many pods and slots, and waits until its workers can take tasks. */
    public Pool readyPool(String workerPool, int replicas, int slots) {
        return readyPool(workerPool, replicas, slots, "");
    }

    /** The same with more about its container, one line of YAML such as {@code "env: […]"}. */
    public Pool readyPool(String workerPool, int replicas, int slots, String container) {
        return readyPool(workerPool, replicas, slots, container, 20);
    }

    /** The same whose workers let running tasks go on for longer than any test takes when they are to leave. */
    public Pool patientPool(String workerPool, int replicas, int slots) {
        return readyPool(workerPool, replicas, slots, "", 600);
    }

    private Pool readyPool(String workerPool, int replicas, int slots, String container, int drainSeconds) {
        kubectl.apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: %s}
                spec:
                  replicas: %d
                  drainSeconds: %d
                  slots: {count: %d}
                  template:
                    spec:
                      securityContext: {runAsNonRoot: true}
                      containers: [{name: worker, image: quiver/demo:0.1.0, %s}]
                """.formatted(workerPool, replicas, drainSeconds, slots, container));
        Pool pool = pool(workerPool);
        pool.awaitReady();
        return pool;
    }

    /** All pods of the namespace. */
    public List<Pod> pods() {
        return client().pods().inNamespace(name).list().getItems();
    }

    /** The events of the namespace that say something about this kind, as {@code Reason: message}. */
    public List<String> events(String kind) {
        return client().v1().events().inNamespace(name).list().getItems().stream()
                .filter(event -> kind.equals(event.getInvolvedObject().getKind()))
                .map(event -> event.getReason() + ": " + event.getMessage())
                .toList();
    }

    /** Waits for an event about this kind with these words: it is written after the status that says the same. */
    public void awaitEvent(String kind, String words) {
        Awaitility.await("an event of a " + kind + " says " + words)
                .until(() -> events(kind).stream().anyMatch(event -> event.contains(words)));
    }

    /** The lines of all workers' logs, container {@code worker}, of the pods that are there. */
    public List<String> log() {
        return pods().stream().flatMap(pod -> log(pod).stream()).toList();
    }

    /** The lines of one worker's log, empty while there is none. */
    public List<String> log(Pod pod) {
        Predicate<Pod> started = it -> it.getStatus().getContainerStatuses().stream()
                .anyMatch(status -> status.getName().equals("worker")
                        && (status.getState().getRunning() != null
                                || status.getState().getTerminated() != null));
        return started.test(pod)
                ? client().pods()
                        .inNamespace(name)
                        .withName(pod.getMetadata().getName())
                        .inContainer("worker")
                        .getLog()
                        .lines()
                        .toList()
                : List.of();
    }

    Installation installation() {
        return installation;
    }

    KubernetesClient client() {
        return installation.cluster().client();
    }

    @Override
    public void close() {
        // Runs first: what they run is stopped at once, so that no pod drains for its full time.
        kubectl.run("delete", "tset,qtask,mrj", "--all", "--wait=false", "--ignore-not-found");
        kubectl.run("delete", "namespace", name, "--wait=false", "--ignore-not-found");
    }
}
