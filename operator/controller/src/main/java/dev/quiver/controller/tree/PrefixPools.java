package dev.quiver.controller.tree;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.GrantedPrefixes.Use;
import dev.quiver.crds.v1alpha1.PrefixWire;
import dev.quiver.crds.v1alpha1.WorkerPool;

/**
 * The reason why pools do not work under the prefix that a run needs, in words. Pure.
 *
 * @param prefixes those that namespaces were granted
 * @param wire of the run
 */
public record PrefixPools(GrantedPrefixes prefixes, PrefixWire wire) {

    /**
     * Why a run has no prefix that its pools work under, in words; absent for one that can run, and for the own layout.
     *
     * @param wire that a pool must share its prefix with
     * @param place the field that names a pool of that name
     */
    public static Optional<String> missing(TreeView view, PrefixWire wire, UnaryOperator<String> place) {
        Optional<String> pools = new PrefixPools(view.prefixes(), wire).missing(view.servingPools(), place);
        return switch (view.layout()) {
            case TreeLayout.Own _ -> Optional.empty();
            case TreeLayout.Withheld(String message) -> pools.or(() -> Optional.of(message));
            case TreeLayout.Foreign _ -> pools;
        };
    }

    private Optional<String> missing(List<WorkerPool> pools, UnaryOperator<String> place) {
        return pools.stream().flatMap(pool -> ofPool(pool, place)).findFirst();
    }

    private Stream<String> ofPool(WorkerPool pool, UnaryOperator<String> place) {
        String name = pool.getMetadata().getName();
        String field = place.apply(name) + ": WorkerPool " + name;
        boolean shares =
                pool.getSpec().foreignKeys().filter(keys -> keys.wire() == wire).isPresent();
        return switch (prefixes.of(pool)) {
            case Use.Granted _ when shares -> Stream.empty();
            case Use.Granted _ ->
                Stream.of(field + " shares its spec.grantedPrefix with programs of another wire, and wire: " + wire
                        + " needs spec.grantedPrefix.wire: " + wire + ".");
            case Use.None _ -> Stream.of(field + " has no spec.grantedPrefix, and wire: " + wire + " needs one.");
            case Use.Refused(var _, String message) -> Stream.of(field + ": " + message);
        };
    }
}
