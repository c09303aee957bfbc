package dev.quiver.controller.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.status.Event;
import dev.quiver.controller.store.StoreAdmin;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreWatch;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TreeStatus;
import dev.quiver.lifecycle.task.model.Trees;

class TreeActionsTest {

    private final List<Event> events = new ArrayList<>();

    @Test
    void aSpecThatBecameTooLargeForATreeIsToldAPerson() {
        TreePlan.Maker tooLarge = (id, delay) -> {
            throw new IllegalArgumentException("the tree has 5 MiB, at most 4 are allowed");
        };
        TreeActions.Applied applied =
                actions().apply(view(), new TreePlan.Steer(List.of(), false, Optional.of(tooLarge)));
        assertThat(applied.synced()).as("the rest of the spec holds").isTrue();
        assertThat(events)
                .singleElement()
                .returns("RanksKept", Event::reason)
                .returns(
                        "The waiting tasks keep the priorities and tags that they had before the spec changed:"
                                + " the tree has 5 MiB, at most 4 are allowed.",
                        Event::message);
    }

    private TreeActions<TreeView> actions() {
        StoreAdmin admin = proxy(StoreAdmin.class, method -> new StoreAdmin.Deployment("one", "noeviction", 0, 5));
        StoreWatch store = new StoreWatch(admin, Clock.systemUTC(), _ -> {});
        StoreCalls calls = new StoreCalls(store, Clock.systemUTC(), _ -> {});
        store.look();
        Trees trees = proxy(Trees.class, method -> {
            throw new AssertionError("nothing changes: " + method);
        });
        return new TreeActions<>(
                calls,
                null,
                new TreeActions.Kind<>(
                        (_, _) -> trees,
                        _ -> null,
                        (_, _) -> {},
                        (_, event) -> events.add(event),
                        TaskReason.GraphInvalid));
    }

    private static TreeView view() {
        HasMetadata run = new Task();
        run.setMetadata(new ObjectMetaBuilder().withName("t").withUid("u").build());
        TreeStatus before = proxy(TreeStatus.class, _ -> null);
        return proxy(TreeView.class, method -> switch (method) {
            case "run" -> run;
            case "before" -> before;
            default -> null;
        });
    }

    private interface Answer {
        Object to(String method);
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> answer.to(method.getName())));
    }
}
