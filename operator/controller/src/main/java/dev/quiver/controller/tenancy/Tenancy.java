package dev.quiver.controller.tenancy;

import java.util.Locale;

/** How namespaces reach Redis; see DESIGN.md. */
public enum Tenancy {
    /** Each namespace has a Redis user of its own, which the operator makes. */
    ACL,
    /**
     * All namespaces use the operator's own user, by choice: a user who may make pods in one namespace may read the
     * keys of all others.
     */
    SHARED,
    /** Each namespace has a Secret that an administrator has made, as the operator's values name it. */
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
