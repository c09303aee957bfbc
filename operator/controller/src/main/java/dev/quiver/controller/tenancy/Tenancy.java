package dev.quiver.controller.tenancy;

import java.util.Locale;

/** How namespaces reach Redis; see DESIGN.md. */
public enum Tenancy {
    /** Each through a Redis user of its own that the operator makes. */
    ACL,
    /**
     * All through the operator's own user, knowingly: a user who may make pods in one namespace may read every other's
     * keys.
     */
    SHARED,
    /** Each through a Secret that somebody else has made, as the operator's values name it. */
    SECRETS;

    /** {@code acl}, {@code shared} or {@code secrets}. */
    public static Tenancy of(String name) {
        for (Tenancy tenancy : values()) {
            if (tenancy.name().toLowerCase(Locale.ROOT).equals(name)) {
                return tenancy;
            }
        }
        throw new IllegalArgumentException("tenancy must be acl, shared or secrets, not " + name);
    }
}
