package dev.quiver.controller.status;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.crds.v1alpha1.ConditionType;

/**
 * Decides whether a status is written now. All custom resources share one budget of writes, so each waits longer the
 * more of them run: {@code interval = max(1 s, running / budget)}. Pure and immutable.
 *
 * @param writesPerSecond status writes that the operator may request of the API server in a second, at least 1
 */
public record WriteBudget(int writesPerSecond) {

    /** No status is written more often than this, except for the end of a run. */
    static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);

    /** Refuses a budget that would never write. */
    public WriteBudget {
        if (writesPerSecond < 1) {
            throw new IllegalArgumentException("status writes per second must be at least 1, not " + writesPerSecond);
        }
    }

    /** The decision about a fresh status. */
    public sealed interface Decision {
        /** Write it. */
        record Write() implements Decision {}

        /** It differs, and its turn comes later. */
        record Wait(Duration delay) implements Decision {}

        /** It equals the last one. */
        record Nothing() implements Decision {}
    }

    /** The least time between two writes for one resource while so many of them run. */
    public Duration interval(int running) {
        Duration fairShare = Duration.ofMillis(1000L * running / writesPerSecond);
        return fairShare.compareTo(SHORTEST_INTERVAL) > 0 ? fairShare : SHORTEST_INTERVAL;
    }

    /**
     * Decides for one resource.
     *
     * @param change the kind of change in the fresh status
     * @param last when it was last written by this leader
     * @param running number of resources with work under way
     */
    public Decision decide(Change change, Optional<Instant> last, int running, Instant now) {
        return switch (change) {
            case NONE -> new Decision.Nothing();
            case AT_ONCE -> new Decision.Write();
            case PROGRESS -> {
                Instant due = last.map(at -> at.plus(interval(running))).orElse(now);
                yield due.isAfter(now) ? new Decision.Wait(Duration.between(now, due)) : new Decision.Write();
            }
        };
    }

    /** The kind of change that a fresh status makes. */
    public enum Change {
        /** No change, or that of an estimate alone. */
        NONE,
        /** Numbers or conditions. */
        PROGRESS,
        /** The end of the run, or an intent that must be on record before the act. */
        AT_ONCE;

        /**
         * The kind of change that the fresh status of a run makes for a reader.
         *
         * @param written the last one
         * @param worth a status without what alone is not worth a write, such as an estimate
         * @param conditions those of a status
         */
        public static <S> Change ofRun(
                Optional<S> written, S fresh, UnaryOperator<S> worth, Function<S, List<Condition>> conditions) {
            if (written.map(worth).filter(worth.apply(fresh)::equals).isPresent()) {
                return NONE;
            }
            Predicate<S> finished = status -> Conditions.isTrue(conditions.apply(status), ConditionType.Finished);
            return finished.test(fresh) && written.filter(finished).isEmpty() ? AT_ONCE : PROGRESS;
        }
    }
}
