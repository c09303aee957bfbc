package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

/** What every stage of a {@link MapReduce} has: a function or a program, its arguments, and its attempts. */
public sealed interface MapReduceStage permits MapReduceWorker, MapReduceCombine {

    /** The program and its first arguments; empty for a function. */
    List<String> command();

    /** The name of the function; null for a command. */
    String handler();

    /** Arguments before the one that the stage is about. */
    List<JsonNode> args();

    /** Attempts as they are given; null for the default. */
    Integer attempts();

    /** Waits as they are given; null for the default. */
    Backoff backoff();

    /** The time of an attempt where the stage has none of its own: a function that froze does not hold its slot for ever. */
    Duration LONGEST = Duration.ofHours(1);

    /** Seconds that an attempt may take; null for the default. */
    Integer activeDeadlineSeconds();

    /** The function; absent for a command. */
    default Optional<String> handlerName() {
        return Optional.ofNullable(handler());
    }

    /** The attempts after which it counts as failed. */
    default int attemptsOrDefault() {
        return attempts() == null ? 3 : attempts();
    }

    /** The waits between its attempts. */
    default Backoff backoffOrDefault() {
        return backoff() == null ? Backoff.DEFAULT : backoff();
    }

    /** The time that an attempt may take. */
    default Duration activeDeadline() {
        return activeDeadlineSeconds() == null ? LONGEST : Duration.ofSeconds(activeDeadlineSeconds());
    }
}
