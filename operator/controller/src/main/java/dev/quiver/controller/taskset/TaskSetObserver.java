package dev.quiver.controller.taskset;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.PoolWatch;
import dev.quiver.controller.run.RunKeyspace;
import dev.quiver.controller.run.RunMemory;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;

/** Collects the facts about a TaskSet: from the informers, from the memory, and from Redis. Thread-safe. */
record TaskSetObserver(TaskSetContext context, PoolWatch<TaskSet> pools, RunMemory<TaskSetStatus, TaskSet> memory) {

    /** The facts now. A TaskSet that is not finished is followed from here on. */
    TaskSetView observe(TaskSet set, RunMemory.Spec present) {
        ControllerContext shared = context.shared();
        Instant now = shared.clock().instant();
        Keyspace keyspace = keyspace(set);
        TaskSetStatus before = context.reporter()
                .current(set)
                .orElseGet(() -> TaskSetStatusBuilder.builder().build());
        if (!Conditions.isTrue(before.conditions(), ConditionType.Finished)) {
            memory.follow(set, keyspace);
        }
        ObservedStore<TaskSetSnapshot> store = look(set, keyspace);
        memory.seen(
                set,
                store.snapshot()
                        .filter(run -> !run.status().isFinal())
                        .map(_ -> set.getMetadata().getUid()));
        return TaskSetViewBuilder.builder()
                .set(set)
                .before(before)
                .keyspace(keyspace)
                .store(store)
                .workers(workers(set))
                .adjusted(memory.hasWritten(set, present))
                .pace(memory.pace(set, store.snapshot().flatMap(TaskSetView::going)))
                .now(now)
                .backlog(shared.backlogs().of(keyspace))
                .build();
    }

    private ObservedStore<TaskSetSnapshot> look(TaskSet set, Keyspace keyspace) {
        ControllerContext shared = context.shared();
        String uid = set.getMetadata().getUid();
        return shared.records()
                .problem(keyspace)
                .<ObservedStore<TaskSetSnapshot>>map(
                        message -> new ObservedStore.Away<>(StoreReason.Unsupported, message))
                .orElseGet(() -> shared.calls()
                        .ask(
                                () -> new ObservedStore.Answered<>(Optional.ofNullable(context.control()
                                        .apply(keyspace)
                                        .snapshot(List.of(uid))
                                        .get(uid))),
                                away -> new ObservedStore.Away<>(away.reason(), away.message())));
    }

    /** The pool that works for a TaskSet, as the informer has it. */
    ObservedPool workers(TaskSet set) {
        return TaskSetView.workers(set, pools.pool(set, set.poolName()));
    }

    /** Where the TaskSet is, or would be accepted. */
    Keyspace keyspace(TaskSet set) {
        Optional<TaskSetStatus> status = context.reporter().current(set);
        return RunKeyspace.of(
                set.getMetadata().getNamespace(),
                status.map(TaskSetStatus::keyspace),
                status.map(TaskSetStatus::total).isPresent(),
                pools.pool(set, set.poolName()),
                memory.keyspace(set));
    }
}
