package dev.quiver.lifecycle.worker;

/**
 * The two columns of a settlement that differ between kinds of work.
 *
 * @param kind a letter of {@link SettlementKind}, or of a kind of work's own, and the time that follows it
 * @param data may be empty
 */
public record SettlementRow(String kind, String data) {

    /** Passed without a result. */
    public static final SettlementRow PASSED = of(SettlementKind.PASSED, "");

    /** A row of this kind. */
    public static SettlementRow of(SettlementKind kind, String data) {
        return new SettlementRow(kind.letter(), data);
    }
}
