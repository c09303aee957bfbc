package dev.quiver.controller.pool;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

import dev.quiver.crds.v1alpha1.PoolResourceStatus;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.task.model.Permits;
import dev.quiver.lifecycle.task.scheduling.PoolOrder;
import dev.quiver.lifecycle.task.scheduling.Resources;
import dev.quiver.lifecycle.text.PrintableText;

/** The resources of a pool in its status; while Redis is away they keep their last values. Pure. */
final class ResourceRows {

    private static final String POOL = "spec";

    private ResourceRows() {}

    /** Tasks that wait for a resource; null of a pool that declares none, while none of its Tasks names one. */
    static Long blocked(PoolView view) {
        if (view.resources().isEmpty()) {
            return view.before().blocked();
        }
        long blocked = view.resources().get().blocked();
        return blocked == 0 && view.pool().getSpec().resources().isEmpty() ? null : Long.valueOf(blocked);
    }

    /** The resources, those first for which most Tasks wait. */
    static List<PoolResourceStatus> of(PoolView view) {
        return view.resources()
                .map(known -> known.resources().stream()
                        .limit(WorkerPoolStatus.MAX_RESOURCES)
                        .map(state -> row(state, reason(state, view)))
                        .toList())
                .orElse(view.before().resources());
    }

    private static PoolResourceStatus row(Resources.State state, Optional<String> reason) {
        return new PoolResourceStatus(
                PrintableText.line(state.name(), Resources.NAME_BYTES),
                state.missing() ? ResourceState.Missing : ResourceState.Available,
                state.missing() ? state.since().map(ResourceRows::time).orElse(null) : null,
                state.missing() ? by(state) : null,
                state.waiting(),
                state.permits().map(Permits::most).orElse(null),
                state.permits().map(Permits::used).orElse(null),
                state.permits()
                        .flatMap(Permits::window)
                        .map(window -> (int) window.toSeconds())
                        .orElse(null),
                state.permits().map(Permits::holders).map(ResourceRows::holders).orElse(List.of()),
                reason.orElse(null));
    }

    /** After a restart the operator does not know yet why an earlier one closed it: the status still says so. */
    private static Optional<String> reason(Resources.State state, PoolView view) {
        if (!state.missing()) {
            return Optional.empty();
        }
        boolean byProbe = by(state).equals(PoolOrder.PROBE);
        Optional<String> known = Optional.ofNullable(view.probes().get(state.name()))
                .or(() -> state.pattern().filter(_ -> byProbe).map(view.probes()::get))
                .map(words -> PrintableText.line(words, PoolResourceStatus.MESSAGE_LENGTH));
        return byProbe
                ? known.or(() -> view.before().resources().stream()
                        .filter(row -> row.name().equals(state.name()))
                        .findFirst()
                        .map(PoolResourceStatus::message))
                : known;
    }

    private static List<String> holders(List<String> ids) {
        return ids.stream()
                .map(id -> PrintableText.line(id, PoolResourceStatus.HOLDER_LENGTH))
                .limit(PoolResourceStatus.MOST_HOLDERS)
                .toList();
    }

    private static String by(Resources.State state) {
        if (!state.declared()) {
            return PoolResourceStatus.UNDECLARED;
        }
        return state.closedBy()
                .map(owner -> PrintableText.line(owner, Resources.NAME_BYTES))
                .orElse(POOL);
    }

    private static String time(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
