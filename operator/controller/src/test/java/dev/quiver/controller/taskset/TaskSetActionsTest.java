package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.run.ObservedPool;
import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.Pace;
import dev.quiver.controller.store.StoreAdmin;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreWatch;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatusBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetControl;

class TaskSetActionsTest {

    private final List<Object> ended = new ArrayList<>();
    private final List<Integer> workersTold = new ArrayList<>();
    private boolean redisFails;

    @Test
    void limitsThatRedisDidNotHearAreNotTakenForTold() {
        TaskSetActions actions = new TaskSetActions(context(), null, null, null, null);
        TaskSetPlan.Steer steer = new TaskSetPlan.Steer(List.of(), true);
        redisFails = true;
        TaskSetActions.Applied failed = actions.apply(view(), steer);
        assertThat(failed.synced()).isFalse();
        assertThat(failed.changed())
                .as("the status says that Redis did not answer")
                .isTrue();
        redisFails = false;
        assertThat(actions.apply(view(), steer).synced()).isTrue();
        assertThat(workersTold).containsExactly(2);
    }

    /** Keys of the pool may be broken by a tenant, and the calls that give a place then refuse. */
    @Test
    void aPlaceThatIsRefusedKeepsNoRunFromItsEnd() {
        TaskSetActions actions = new TaskSetActions(context(), null, null, null, null);
        TaskSetView view = view();
        view.set().getMetadata().setGeneration(2L);
        TaskSetPlan.Steer steer = new TaskSetPlan.Steer(List.of(new StatusChange.Cancel()), true);
        assertThat(actions.apply(view, steer).synced()).isFalse();
        assertThat(ended).containsExactly(new StatusChange.Cancel());
    }

    private static TaskSetView view() {
        TaskSet set = Samples.set(
                "guest",
                Samples.counted(3).replicas(2).workerTemplate(null).workerPoolRef(new WorkerPoolRef("shared")));
        set.getMetadata().setUid("u");
        return TaskSetViewBuilder.builder()
                .set(set)
                .before(TaskSetStatusBuilder.builder().total(3L).build())
                .keyspace(Keyspace.ofNamespace("team"))
                .store(new ObservedStore.Answered<>(Optional.empty()))
                .workers(new ObservedPool.Shared(Samples.pool("shared", 2)))
                .adjusted(false)
                .pace(Pace.UNSEEN)
                .now(Instant.EPOCH)
                .build();
    }

    private TaskSetContext context() {
        TaskSetControl control = proxy(TaskSetControl.class, arguments -> {
            if (redisFails) {
                throw new StoreUnreachableException("Connection reset", null);
            }
            if (arguments[1] instanceof StatusChange change) {
                ended.add(change);
                return null;
            }
            workersTold.add((Integer) arguments[1]);
            return true;
        });
        StoreAdmin admin = proxy(StoreAdmin.class, arguments -> new StoreAdmin.Deployment("one", "noeviction", 0, 5));
        StoreWatch store = new StoreWatch(admin, Clock.systemUTC(), _ -> {});
        StoreCalls calls = new StoreCalls(store, Clock.systemUTC(), _ -> {});
        store.look();
        return new TaskSetContext(
                new ControllerContext(null, store, calls, null, null, null, null, null, null),
                null,
                null,
                _ -> control,
                null,
                _ -> {
                    throw new StoreRefusedException(
                            StoreRefusedException.Kind.OTHER, "the pool's keys are of another type", null);
                },
                null);
    }

    private interface Answer {
        Object to(Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> answer.to(arguments)));
    }
}
