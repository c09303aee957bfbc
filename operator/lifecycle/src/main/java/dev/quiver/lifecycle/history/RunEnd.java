package dev.quiver.lifecycle.history;

import java.util.Optional;

/**
 * How a run ended, with the counters of Redis, which are the run's numbers.
 *
 * @param status succeeded, failed or cancelled
 * @param reason one PascalCase word
 * @param message for people
 * @param startedAt when its first task was given out, milliseconds since 1970
 * @param tasks how many it had
 * @param succeeded tasks that passed
 * @param pending tasks that ended pending
 * @param failed tasks that ended failed
 * @param trials trials that counted
 * @param lost losses
 * @param runMillis sum of the trials' times
 * @param notRecorded trials that were counted and have no record, for want of room in Redis
 */
public record RunEnd(
        Status status,
        Optional<String> reason,
        Optional<String> message,
        Optional<Long> startedAt,
        long tasks,
        long succeeded,
        long pending,
        long failed,
        long trials,
        long lost,
        long runMillis,
        long notRecorded) {

    /** Numbers of the counter field, in the order of the record. */
    static final int NUMBERS = 8;

    /** The ends of a run. */
    public enum Status {
        /** No task failed. */
        SUCCEEDED,
        /** It failed. */
        FAILED,
        /** Somebody ended it. */
        CANCELLED;

        /** The word of Redis and of the API, lower case. */
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        static Status of(String word) throws MalformedEntryException {
            return switch (word) {
                case "succeeded" -> SUCCEEDED;
                case "failed" -> FAILED;
                case "cancelled" -> CANCELLED;
                default -> throw MalformedEntryException.newer("no run ends as " + word);
            };
        }
    }
}
