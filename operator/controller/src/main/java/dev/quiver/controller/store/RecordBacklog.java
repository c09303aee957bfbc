package dev.quiver.controller.store;

import java.time.Duration;

import dev.quiver.crds.v1alpha1.HistoryReason;
import dev.quiver.lifecycle.history.Shortage;
import dev.quiver.lifecycle.history.stream.HistoryBacklog;

/**
 * How far history is behind in a keyspace, in words that change seldom: a new message is a write of every status.
 *
 * @param reason {@code CaughtUp} where it is not behind
 * @param extent a sentence with the bytes and the age; empty where it is not behind
 */
public record RecordBacklog(HistoryReason reason, String extent) {

    /** History is not behind and its volume has room, or nobody records. */
    public static final RecordBacklog NONE = new RecordBacklog(HistoryReason.CaughtUp, "");

    private static final int PARTS = 16;
    private static final int MIB_BITS = 20;
    private static final long[] MINUTES = {1, 2, 5, 10, 20, 30};
    private static final long[] HOURS = {1, 2, 3, 6, 12, 24, 48, 96, 168};

    static RecordBacklog of(HistoryBacklog seen) {
        return switch (seen.level()) {
            case NOTHING -> seen.shortage().map(RecordBacklog::shortOfRoom).orElse(NONE);
            case OFF -> NONE;
            case TAILS -> new RecordBacklog(HistoryReason.OutputLeftOut, extent(seen));
            case PASSES -> new RecordBacklog(HistoryReason.PassesLeftOut, extent(seen));
            case TRIALS -> new RecordBacklog(HistoryReason.TrialsLeftOut, extent(seen));
        };
    }

    /** Whether history is behind. */
    public boolean behind() {
        return reason != HistoryReason.CaughtUp && reason != HistoryReason.VolumeShort;
    }

    /**
     * The reason for a resource.
     *
     * @param waits whether it gives out no task meanwhile
     */
    public HistoryReason reason(boolean waits) {
        return behind() && waits ? HistoryReason.TasksWait : reason;
    }

    /** The sentence of that reason, and how far history is behind. */
    public String message(boolean waits) {
        return (reason(waits).sentence() + " " + extent).strip();
    }

    private static RecordBacklog shortOfRoom(Shortage shortage) {
        long part = shortage.room() / Math.max(1, shortage.wanted() / PARTS);
        return new RecordBacklog(
                HistoryReason.VolumeShort,
                "It may take " + size(shortage.wanted()) + ", and its volume has room for "
                        + (part == 0 ? "less than " : "about ")
                        + size(shortage.wanted() / PARTS * Math.max(1, part)) + ".");
    }

    private static String extent(HistoryBacklog seen) {
        // In sixteenths of the room: the marks stand at such parts.
        long part = Math.min(seen.bytes() / Math.max(1, seen.room() / PARTS), PARTS);
        return "At least " + size(seen.room() / PARTS * part) + " of " + size(seen.room())
                + " wait to be read, the oldest " + age(seen.age()) + ".";
    }

    private static String size(long bytes) {
        long mebibytes = bytes >> MIB_BITS;
        return mebibytes > 0 ? mebibytes + " MiB" : (bytes >> 10) + " KiB";
    }

    private static String age(Duration age) {
        if (age.toMinutes() < 1) {
            return "for less than a minute";
        }
        return age.toHours() < 1
                ? "for at least " + largest(MINUTES, age.toMinutes(), " minute")
                : "for at least " + largest(HOURS, age.toHours(), " hour");
    }

    private static String largest(long[] steps, long within, String unit) {
        long step = steps[0];
        for (long next : steps) {
            step = next <= within ? next : step;
        }
        return step + unit + (step == 1 ? "" : "s");
    }
}
