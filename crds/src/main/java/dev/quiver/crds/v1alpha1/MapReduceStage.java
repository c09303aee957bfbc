package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

/** The part that all stages of a {@link MapReduce} share: a function or a program, its arguments, and its trials. */
public sealed interface MapReduceStage permits MapReduceWorker, MapReduceCombine {

    /** The program and its first arguments; empty for a function. */
    List<String> command();

    /** The name of the function; null for a command. */
    String handler();

    /** Arguments before the one that the stage is about. */
    List<JsonNode> args();

    /** Trials as they are given; null for the default. */
    Integer maxTrials();

    /** Waits as they are given; null for the default. */
    Backoff backoff();

    /** The time of a trial where the stage has none of its own: a function that froze does not hold its slot for ever. */
    Duration LONGEST = Duration.ofHours(1);

    /** Seconds that a trial may take; null for the default. */
    Integer activeDeadlineSeconds();

    /** The function; absent for a command. */
    default Optional<String> handlerName() {
        return Optional.ofNullable(handler());
    }

    /** The trials after which it counts as failed. */
    default int maxTrialsOrDefault() {
        return maxTrials() == null ? 3 : maxTrials();
    }

    /** The waits between its trials. */
    default Backoff backoffOrDefault() {
        return backoff() == null ? Backoff.DEFAULT : backoff();
    }

    /** The time that a trial may take. */
    default Duration activeDeadline() {
        return activeDeadlineSeconds() == null ? LONGEST : Duration.ofSeconds(activeDeadlineSeconds());
    }
}
