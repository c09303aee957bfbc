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
            List<String> rows, String source, Settlement settlement, Function<Settlement.Passed, Passed> passed) {
        Claim claim = settlement.claim();
        if (!claim.uid().equals(source)) {
            throw new IllegalArgumentException("a claim of " + claim.uid() + " in a step of " + source);
        }
        rows.add(claim.id());
        rows.add(Long.toString(claim.fence()));
        switch (settlement) {
            case Settlement.Passed done -> {
                Passed row = passed.apply(done);
                add(rows, row.kind(), done.runTime().toMillis(), row.data());
            }
            case Settlement.Failed failed ->
                add(rows, kind(failed.retry()), failed.runTime().toMillis(), TaskFailureJson.write(failed.failure()));
            case Settlement.Lost lost -> add(rows, "l", 0, TaskFailureJson.write(lost.failure()));
            case Settlement.Returned returned ->
                add(
                        rows,
                        returned.pause().isZero() ? "r" : "w" + returned.pause().toMillis(),
                        0,
                        "");
            case Settlement.Moved moved -> add(rows, "m", 0, moved.to().text());
        }
    }

    /**
     * The two columns of a settlement that passed which differ between kinds of work.
     *
     * @param data may be empty
     */
    public record Passed(String kind, String data) {

        /** Without a result. */
        public static final Passed PLAIN = new Passed("p", "");
    }

    private static String kind(Retry retry) {
        return switch (retry) {
            case Retry.AtOnce atOnce -> "f";
            case Retry.Never never -> "x";
            case Retry.After after -> "d" + after.delay().toMillis();
        };
    }

    private static void add(List<String> rows, String kind, long millis, String data) {
        rows.add(kind);
        rows.add(Long.toString(Math.max(millis, 0)));
        rows.add(data);
    }
}
