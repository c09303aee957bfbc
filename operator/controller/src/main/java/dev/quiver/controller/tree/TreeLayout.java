package dev.quiver.controller.tree;

import java.util.Optional;

import dev.quiver.controller.store.GrantedPrefixes;

/** The layout of a run's tree in Redis, and its place there. Pure. */
public sealed interface TreeLayout {

    /** The own one, in the run's keyspace. */
    record Own() implements TreeLayout {}

    /**
     * The layout of other programs, under a prefix.
     *
     * @param pool that the prefix is granted to
     * @param type of the work there; absent where those programs have no types
     */
    record Foreign(String prefix, String pool, Optional<String> type) implements TreeLayout {}

    /** The layout of other programs, without a prefix under which this operator may look. */
    record Withheld(String message) implements TreeLayout {}

    /** The layout of other programs, in a place that is granted or not. */
    static TreeLayout foreign(GrantedPrefixes.Place place, String pool, Optional<String> type) {
        return switch (place) {
            case GrantedPrefixes.Place.At(String prefix) -> new Foreign(prefix, pool, type);
            case GrantedPrefixes.Place.Withheld(String message) -> new Withheld(message);
        };
    }

    /** The prefix of the tree's keys; absent for the own layout. */
    default Optional<String> granted() {
        return this instanceof Foreign foreign ? Optional.of(foreign.prefix()) : Optional.empty();
    }
}
