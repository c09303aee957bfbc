package dev.quiver.controller.mapreduce;

import java.util.Optional;

import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.crds.v1alpha1.MapReduceJobSpec;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;
import dev.quiver.crds.v1alpha1.MapReduceWire;

/** The layout of a job in Redis, and its place there. Pure. */
sealed interface JobLayout {

    /** The own one. */
    record Own() implements JobLayout {}

    /**
     * That of a map-reduce queue, under a prefix.
     *
     * @param pool that the prefix is granted to
     * @param type of the job there
     */
    record Queue(String prefix, String pool, String type) implements JobLayout {}

    /** That of a queue, without a prefix under which this operator may look. */
    record Withheld(String message) implements JobLayout {}

    /**
     * The layout of a job. Once its status names a prefix, it is there or nowhere.
     *
     * @param before the status last written
     */
    static JobLayout of(MapReduceJobSpec spec, MapReduceJobStatus before, String namespace, GrantedPrefixes prefixes) {
        if (spec.wire() == MapReduceWire.Quiver) {
            return new Own();
        }
        Optional<String> recorded = Optional.ofNullable(before.grantedPrefix());
        return switch (prefixes.place(
                namespace, recorded, "the job", spec.wire().name())) {
            case GrantedPrefixes.Place.At(String prefix) ->
                new Queue(prefix, spec.workerPoolRef().name(), spec.queueType());
            case GrantedPrefixes.Place.Withheld(String message) -> new Withheld(message);
        };
    }

    /** The prefix of its keys; absent for the own layout. */
    default Optional<String> granted() {
        return this instanceof Queue(String prefix, String _, String _) ? Optional.of(prefix) : Optional.empty();
    }
}
