package dev.quiver.lifecycle.worker;

import java.util.List;
import java.util.function.Function;

/** Settlements as arguments of a step's script: id, call of the claim, kind, run ms, data. */
public final class SettlementRows {

    private SettlementRows() {}

    /**
     * Appends a settlement's row.
     *
     * @param passed the kind and the data of a settlement that passed
     * @throws IllegalArgumentException for a claim of another source
     */
    public static void add(
            List<String> rows,
            String source,
            Settlement settlement,
            Function<Settlement.Passed, SettlementRow> passed) {
        addClaim(rows, source, settlement.claim());
        switch (settlement) {
            case Settlement.Passed done -> {
                SettlementRow row = passed.apply(done);
                add(rows, row.kind(), done.runTime().toMillis(), row.data());
            }
            case Settlement.Failed failed ->
                add(rows, kind(failed.retry()), failed.runTime().toMillis(), failure(failed));
            case Settlement.Pending pending ->
                add(rows, SettlementKind.PENDING.letter(), pending.runTime().toMillis(), "");
            case Settlement.Lost lost ->
                add(rows, SettlementKind.LOST.letter(), 0, TrialFailureJson.write(lost.failure()));
            case Settlement.Returned returned ->
                add(rows, kind(returned), 0, returned.missing().orElse(""));
            case Settlement.Moved moved ->
                add(rows, SettlementKind.MOVED.letter(), 0, moved.to().text());
        }
    }

    /** Appends a settlement's row, whose kind and data its source knows. */
    public static void add(List<String> rows, String source, Settlement settlement, SettlementRow row) {
        addClaim(rows, source, settlement.claim());
        add(rows, row.kind(), settlement.runTime().toMillis(), row.data());
    }

    private static void addClaim(List<String> rows, String source, Claim claim) {
        if (!claim.uid().equals(source)) {
            throw new IllegalArgumentException("a claim of " + claim.uid() + " in a step of " + source);
        }
        rows.add(claim.id());
        rows.add(Long.toString(claim.fence()));
    }

    /** The words with which a source ends stand in a line before the failure. */
    private static String failure(Settlement.Failed failed) {
        String failure = TrialFailureJson.write(failed.failure());
        return failed.retry() instanceof Retry.EndsSource(String words)
                ? words.replace('\n', ' ') + "\n" + failure
                : failure;
    }

    private static String kind(Settlement.Returned returned) {
        if (returned.pause().isZero()) {
            return SettlementKind.RETURNED.letter();
        }
        return (returned.missing().isPresent() ? SettlementKind.BLOCKED : SettlementKind.RETURNED_FOR_NOW)
                .letter(returned.pause());
    }

    private static String kind(Retry retry) {
        return switch (retry) {
            case Retry.AtOnce atOnce -> SettlementKind.FAILED.letter();
            case Retry.EndsSource ends -> SettlementKind.FAILED_FOR_ALL.letter();
            case Retry.Never never -> SettlementKind.FAILED_FOR_GOOD.letter();
            case Retry.After after -> SettlementKind.FAILED_FOR_NOW.letter(after.delay());
        };
    }

    private static void add(List<String> rows, String kind, long millis, String data) {
        rows.add(kind);
        rows.add(Long.toString(Math.max(millis, 0)));
        rows.add(data);
    }
}
