package dev.quiver.controller.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;

import dev.quiver.controller.kube.PreconditionedDelete;
import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.reconcile.FinalizerGate;

/**
 * The three ways in which a run leaves its reconciler: to another installation, at its end, and by its deletion.
 * Thread-safe.
 *
 * @param <R> the runs
 * @param noun the kind in Events, such as "the TaskSet"
 * @param others the wait before the next look where another installation serves a run; absent where this one does
 * @param gate releases the finalizer of a deleted run
 * @param deletion requests the deletion of a run whose time to live has passed
 * @param memory of the runs
 * @param successor wakes the run that has the name of one that goes
 */
public record Retirement<R extends CustomResource<?, ?>>(
        String noun,
        Function<HasMetadata, Optional<Duration>> others,
        FinalizerGate gate,
        Consumer<HasMetadata> deletion,
        RunMemory<?, R> memory,
        Consumer<R> successor) {

    /** The retirement of one kind, with the parts that all kinds share. */
    public static <S, R extends CustomResource<?, S>> Retirement<R> of(
            String noun, ControllerContext shared, RunMemory<S, R> memory, PoolWatch<R> pools) {
        return new Retirement<>(
                noun,
                shared.owners()::left,
                shared.gate(),
                new PreconditionedDelete(shared.kubernetes())::of,
                memory,
                pools::wakeSuccessor);
    }

    /** Forgets a run that another installation serves: the wait before the next look; absent for a run of ours. */
    public Optional<Duration> elsewhere(R run) {
        Optional<Duration> wait = others.apply(run);
        wait.ifPresent(_ -> memory.forget(run));
        return wait;
    }

    /**
     * Keeps a run that is over until its time to live has passed, and then deletes it.
     *
     * @param report writes the status, which shows the end; returns the wait before it can be written
     * @param ttl how long the run is kept after its end; absent for ever
     * @param end when the run finished; null in a status that does not show it
     */
    public UpdateControl<R> over(
            R run, Supplier<Optional<Duration>> report, Optional<Duration> ttl, String end, Instant now) {
        memory.rest(run);
        Optional<Duration> turn = report.get();
        Optional<Duration> left = ttl.flatMap(kept -> Optional.ofNullable(end)
                .map(at -> Duration.between(now, Instant.parse(at).plus(kept))));
        boolean passed = left.filter(it -> !it.isPositive()).isPresent();
        if (passed) {
            deletion.accept(run);
        }
        return Stream.of(turn, left.filter(_ -> !passed))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder())
                .map(wait -> UpdateControl.<R>noUpdate().rescheduleAfter(wait))
                .orElseGet(UpdateControl::noUpdate);
    }

    /**
     * Releases a deleted run once its keys are dropped, and forgets it.
     *
     * @param drop drops them; false where Redis has not done so yet
     */
    public DeleteControl deleted(R run, BooleanSupplier drop) {
        Optional<Duration> wait = elsewhere(run);
        if (wait.isPresent()) {
            return DeleteControl.noFinalizerRemoval().rescheduleAfter(wait.get());
        }
        DeleteControl control = gate.pass(run, drop.getAsBoolean(), noun, () -> {});
        if (control.isRemoveFinalizer()) {
            memory.forget(run);
            successor.accept(run);
        }
        return control;
    }
}
