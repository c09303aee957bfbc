package dev.quiver.controller.status;

/** The status of a condition; {@link #name()} is its value there. */
public enum ConditionStatus {
    /** It holds. */
    True,
    /** It does not hold. */
    False,
    /** It is not known, or not yet. */
    Unknown;

    /** True or False. */
    public static ConditionStatus of(boolean value) {
        return value ? True : False;
    }
}
