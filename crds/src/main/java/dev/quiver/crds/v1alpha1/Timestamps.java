package dev.quiver.crds.v1alpha1;

/** The form of a time in a status. */
final class Timestamps {
    /** The form that Java's Instant and Go's RFC3339 print for UTC. */
    static final String PATTERN =
            "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$";

    private Timestamps() {}
}
