package dev.quiver.controller.mapreduce;

import java.util.Optional;

import dev.quiver.controller.tree.PrefixPools;
import dev.quiver.crds.v1alpha1.PrefixWire;

/** The reason why a job with {@code wire: Queue} has no prefix that its pool works under, in words. Pure. */
final class JobPrefix {

    private JobPrefix() {}

    /** What keeps it from running; absent for one that can, and for another layout. */
    static Optional<String> missing(JobView view) {
        return switch (view.layout()) {
            case JobLayout.Own _ -> Optional.empty();
            case JobLayout.Withheld(String message) -> pools(view).or(() -> Optional.of(message));
            case JobLayout.Queue _ -> pools(view);
        };
    }

    private static Optional<String> pools(JobView view) {
        return new PrefixPools(view.prefixes(), PrefixWire.Queue)
                .missing(view.servingPools(), _ -> "spec.workerPoolRef.name");
    }
}
