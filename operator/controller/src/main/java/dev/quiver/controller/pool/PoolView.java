package dev.quiver.controller.pool;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.pool.scaling.Decision;
import dev.quiver.controller.reconcile.Built;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.RecordBacklog;
import dev.quiver.controller.store.StoreState;
import dev.quiver.controller.store.WorkerRegistry;
import dev.quiver.crds.v1alpha1.Autoscaling;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.task.scheduling.Resources;

/**
 * The known facts about a pool at the start of a reconcile.
 *
 * @param before the status last written; empty components when there was none
 * @param hash of the parts of new pods
 * @param pods every pod that the pool owns
 * @param blocker the reason why no pod can be made
 * @param registry its workers in Redis; absent until they were read
 * @param prefix the use that it makes of {@code spec.grantedPrefix}
 * @param backlog of history in its keyspace; absent while it is not known
 * @param scaling how many pods the work needs, of a pool with {@code spec.autoscaling} that is not suspended
 * @param asked when Redis was last asked for that work, or when the asking began
 * @param resources that it declares or that its Tasks wait for; absent until they were read
 * @param probes why resources are missing that the operator probes, by name
 * @param second another installation that watches the namespace, as a message; absent in general
 */
@Built
record PoolView(
        WorkerPool pool,
        WorkerPoolStatus before,
        String hash,
        List<WorkerPod> pods,
        Optional<Blocker> blocker,
        StoreState store,
        Optional<WorkerRegistry> registry,
        GrantedPrefixes.Use prefix,
        Instant now,
        Optional<RecordBacklog> backlog,
        Optional<Decision> scaling,
        Optional<Instant> asked,
        Optional<Resources.Known> resources,
        Map<String, String> probes,
        Optional<String> second) {

    PoolView {
        resources = resources == null ? Optional.empty() : resources;
        probes = probes == null ? Map.of() : probes;
    }

    /** Whether the pool is being deleted: its pods drain, and none is made. */
    boolean deleting() {
        return pool.isMarkedForDeletion();
    }

    /** How many pods there should be; suspending does not change {@code spec.replicas}. */
    int wanted() {
        return follows()
                ? desired()
                : pool.getSpec().suspend() ? 0 : pool.getSpec().replicas();
    }

    /** How many there should be by the work, where the pool has {@code spec.autoscaling}, whoever sees to it. */
    int desired() {
        return scaling.map(Decision::desired)
                .orElse(pool.getSpec().suspend() ? 0 : pool.getSpec().replicas());
    }

    /** Whether the operator makes the number of pods follow the work. */
    boolean follows() {
        return scaling.isPresent()
                && pool.getSpec()
                        .follows()
                        .filter(how -> how.mode() == Autoscaling.Mode.Scale)
                        .isPresent();
    }

    /** Whether pods are wanted and cannot be made: then the existing pods stay unchanged. */
    boolean blocked() {
        return blocker.isPresent() && wanted() > 0;
    }

    PoolFacts facts(PoolMemory memory) {
        return PoolFactsBuilder.builder()
                .pool(pool.getMetadata().getName())
                .wanted(wanted())
                .hash(hash)
                .bounds(RolloutBounds.of(pool.getSpec().rollout(), wanted()))
                .pods(pods)
                .replaceFrom(memory.backoff().from())
                .most(follows() ? OptionalInt.of(pool.getSpec().autoscaling().maxReplicas()) : OptionalInt.empty())
                .holds(scaling.filter(it -> it.need().isEmpty()).isPresent())
                .marks(memory.keeping(pods).marks())
                .build();
    }

    long count(PodStage stage) {
        return pods.stream().filter(p -> p.stage() == stage).count();
    }

    /** The number of pods in each stage that has some, by its label. */
    Map<String, Long> byStage() {
        return pods.stream().collect(Collectors.groupingBy(pod -> pod.stage().label(), Collectors.counting()));
    }

    List<WorkerPod> live() {
        return pods.stream().filter(WorkerPod::live).toList();
    }

    boolean updated(WorkerPod pod) {
        return pod.hash().equals(hash);
    }

    int available() {
        return (int) pods.stream().filter(WorkerPod::available).count();
    }
}
