package dev.quiver.controller.pool;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import io.fabric8.kubernetes.api.model.Pod;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.pool.podspec.WorkerPodBuilder;
import dev.quiver.controller.status.Event;
import dev.quiver.controller.store.Keyspaces;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Carries out a plan: drains recorded before deletions, creations in growing batches until the API server refuses.
 * Every act can be repeated.
 *
 * @param calls to Redis about pools
 * @param made gets each new pod at once
 */
record PoolApply(WorkerPods pods, WorkerPodBuilder builder, PoolCalls calls, Consumer<Pod> made)
        implements PodMarks.Marks {

    private static final Logger log = LoggerFactory.getLogger(PoolApply.class);

    /**
     * Deletes and creates pods as planned; nothing is created while an earlier refusal of the API server holds.
     *
     * @param events takes those of the act
     * @return the memory after it
     */
    PoolMemory carryOut(PoolView view, PoolPlan plan, PoolMemory memory, Consumer<Event> events) {
        WorkerPool pool = view.pool();
        long generation = pool.getMetadata().getGeneration();
        delete(pool, plan.deletions());
        PoolEvents.replaced(plan).ifPresent(events);
        PoolMemory after = tell(pool, plan, memory.keeping(view.pods()));
        if (view.scaling().isPresent()) {
            after = after.with(view.scaling().get().memory());
        }
        if (plan.replacesBroken()) {
            after = after.replaced(plan, view.now());
        } else if (view.available() >= view.wanted()) {
            after = after.recovered();
        }
        if (memory.refusal().filter(r -> r.holds(generation, view.now())).isPresent()) {
            return after;
        }
        return after.with(create(pool, view.hash(), plan.create())
                .map(no -> Refusal.after(memory.refusal(), generation, no, view.now())));
    }

    /** Tells pods that stay for now whether they may take work. One that Redis did not take is told again. */
    private PoolMemory tell(WorkerPool pool, PoolPlan plan, PoolMemory memory) {
        String name = pool.getMetadata().getName();
        PoolMemory after = memory;
        for (WorkerPod pod : plan.drains()) {
            after = calls.tryRun(pool, control -> control.drain(name, pod.uid())) ? after.told(pod, true) : after;
        }
        for (WorkerPod pod : plan.resumes()) {
            after = calls.tryRun(pool, control -> control.undrain(name, pod.uid())) ? after.told(pod, false) : after;
        }
        return after;
    }

    /**
     * Drains and deletes pods. The intent is written to Redis first if Redis is there; preStop drains without it, too.
     */
    void delete(WorkerPool pool, List<PoolPlan.Deletion> deletions) {
        String name = pool.getMetadata().getName();
        for (PoolPlan.Deletion deletion : deletions) {
            WorkerPod pod = deletion.pod();
            boolean recorded = calls.tryRun(pool, control -> control.drain(name, pod.uid()));
            noteFate(pool, pod.uid(), pod.fate());
            pods.delete(pool.getMetadata().getNamespace(), pod);
            log.info(
                    "deleting pod {}/{}: {}{}{}",
                    pool.getMetadata().getNamespace(),
                    pod.name(),
                    deletion.cause().name().toLowerCase(Locale.ROOT),
                    pod.problem().isEmpty() ? "" : ", " + pod.problem(),
                    recorded ? "" : " (not recorded in Redis)");
        }
    }

    /** The API server's refusal, where it gave one. */
    private Optional<WorkerPods.Creation.Refused> create(WorkerPool pool, String hash, List<String> names) {
        Keyspace keyspace = Keyspaces.of(pool);
        for (List<String> batch : SlowStart.batches(names)) {
            for (String name : batch) {
                switch (pods.create(builder.build(pool, keyspace, name, hash))) {
                    case WorkerPods.Creation.Made(Pod pod) -> made.accept(pod);
                    // The cache is behind.
                    case WorkerPods.Creation.Exists _ -> {}
                    case WorkerPods.Creation.Refused no -> {
                        return Optional.of(no);
                    }
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public boolean keepDraining(WorkerPool pool, Set<String> podUids) {
        return calls.tryRun(
                pool, control -> control.keepDraining(pool.getMetadata().getName(), podUids));
    }

    @Override
    public void undrain(WorkerPool pool, Set<String> podUids) {
        podUids.forEach(uid -> {
            calls.tryRun(pool, control -> control.undrain(pool.getMetadata().getName(), uid));
            noteFate(pool, uid, WorkerPod.DELETED);
        });
    }

    @Override
    public boolean noteFate(WorkerPool pool, String podUid, String fate) {
        return calls.tryRun(pool, control -> control.noteFate(pool.getMetadata().getName(), podUid, fate));
    }

    @Override
    public boolean noteContainerEnd(WorkerPool pool, String podUid, String words) {
        return calls.tryRun(
                pool, control -> control.noteContainerEnd(pool.getMetadata().getName(), podUid, words));
    }
}
