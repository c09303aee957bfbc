package dev.quiver.history.query;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

import dev.quiver.lifecycle.history.TrialStatus;

/**
 * Compares a run with another one. Tasks of one source meet by their numbers, others by the hashes of their names.
 * Stateless.
 */
public final class Comparison {

    /** A task counts as slower or faster from half as much again on, and 100 ms. */
    private static final double RATIO = 1.5;

    private static final int MILLIS = 100;

    private Comparison() {}

    /** The change of a task since the other run. */
    public enum What {
        /** It passed there and did not here. */
        NEWLY_FAILED,
        /** It passed in neither. */
        STILL_FAILED,
        /** It did not pass there and did here. */
        FIXED,
        /** It passed in both, and took longer here. */
        SLOWER,
        /** It passed in both, and took longer there. */
        FASTER,
        /** It is here alone. */
        ADDED,
        /** It is there alone. */
        GONE;

        /** The word of the API. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** By the word of the API. */
        public static What of(String word) {
            for (What what : values()) {
                if (what.word().equals(word)) {
                    return what;
                }
            }
            throw new BadQueryException(
                    "what is one of newly-failed, still-failed, fixed, slower, faster, added, gone");
        }
    }

    /** A task that differs: its number here, or there where it is gone; absent where it is in one alone. */
    public record Difference(
            long task,
            Optional<TrialStatus> status,
            Optional<TrialStatus> withStatus,
            Optional<Integer> runMillis,
            Optional<Integer> withRunMillis) {}

    /** How many tasks differ in which way, and a page of those of one. */
    public record Result(Map<What, Integer> counts, Page<Difference> page) {}

    /**
     * Compares.
     *
     * @param bytes of memory for both runs; what does not fit is a bad query
     */
    public static Result of(
            Connection connection, Run run, Run with, What what, int limit, Optional<String> token, long bytes)
            throws SQLException {
        boolean byName = run.sourceHash().isPresent()
                && with.sourceHash().isPresent()
                && !run.sourceHash().equals(with.sourceHash());
        RunOutcomes here = RunOutcomes.of(connection, run, byName, bytes / 2);
        RunOutcomes there = RunOutcomes.of(connection, with, byName, bytes / 2);
        Map<What, Integer> counts = new EnumMap<>(What.class);
        long after = PageToken.read(token, 1).map(key -> key[0]).orElse(-1L);
        // The lowest ones, and the highest of these first: a page is all that is kept, however many there are.
        PriorityQueue<Difference> found =
                new PriorityQueue<>(Comparator.comparingLong(Difference::task).reversed());
        int a = 0;
        int b = 0;
        while (a < here.size || b < there.size) {
            boolean onlyHere = b == there.size || a < here.size && here.keys[a] < there.keys[b];
            boolean onlyThere = !onlyHere && (a == here.size || there.keys[b] < here.keys[a]);
            int mine = onlyThere ? -1 : a++;
            int other = onlyHere ? -1 : b++;
            Optional<What> became = became(here, mine, there, other);
            if (became.isPresent()) {
                counts.merge(became.get(), 1, Integer::sum);
                if (became.get() == what && (mine < 0 ? there.tasks[other] : here.tasks[mine]) > after) {
                    found.add(difference(here, mine, there, other));
                    if (found.size() > limit + 1) {
                        found.remove();
                    }
                }
            }
        }
        return new Result(counts, page(found, limit));
    }

    private static Optional<What> became(RunOutcomes here, int a, RunOutcomes there, int b) {
        if (a < 0 || b < 0) {
            return Optional.of(a < 0 ? What.GONE : What.ADDED);
        }
        boolean passed = here.passed(a);
        if (passed != there.passed(b)) {
            return Optional.of(passed ? What.FIXED : What.NEWLY_FAILED);
        }
        if (!passed) {
            return Optional.of(What.STILL_FAILED);
        }
        long more = (long) here.millis[a] - there.millis[b];
        if (Math.abs(more) < MILLIS) {
            return Optional.empty();
        }
        double ratio = Math.max(1, here.millis[a]) / (double) Math.max(1, there.millis[b]);
        if (ratio >= RATIO) {
            return Optional.of(What.SLOWER);
        }
        return ratio <= 1 / RATIO ? Optional.of(What.FASTER) : Optional.empty();
    }

    private static Difference difference(RunOutcomes here, int a, RunOutcomes there, int b) {
        return new Difference(
                a < 0 ? there.tasks[b] : here.tasks[a],
                a < 0 ? Optional.empty() : Optional.of(TrialStatus.values()[here.statuses[a]]),
                b < 0 ? Optional.empty() : Optional.of(TrialStatus.values()[there.statuses[b]]),
                a < 0 ? Optional.empty() : Optional.of(here.millis[a]),
                b < 0 ? Optional.empty() : Optional.of(there.millis[b]));
    }

    private static Page<Difference> page(PriorityQueue<Difference> found, int limit) {
        List<Difference> behind = found.stream()
                .sorted(Comparator.comparingLong(Difference::task))
                .toList();
        return behind.size() <= limit
                ? new Page<>(behind, Optional.empty())
                : new Page<>(
                        behind.subList(0, limit),
                        Optional.of(PageToken.of(behind.get(limit - 1).task())));
    }
}
