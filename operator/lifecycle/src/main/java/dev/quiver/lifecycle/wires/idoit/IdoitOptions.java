package dev.quiver.lifecycle.wires.idoit;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.model.TaskBody;

/**
 * The field {@code quiver} of a task that Quiver created: all that the wire has no field for.
 *
 * @param node its name for people; absent for a task of others
 * @param maxTrials that may fail; absent: the type's
 * @param backoff between trials; absent: the type's
 * @param timeLimit of one trial; absent: the type's
 * @param began when the tree began, or will, ms; of a root
 */
record IdoitOptions(
        Optional<String> node,
        OptionalInt maxTrials,
        Optional<RetryBackoff> backoff,
        Optional<Duration> timeLimit,
        OptionalLong began) {

    static final IdoitOptions NONE = new IdoitOptions(
            Optional.empty(), OptionalInt.empty(), Optional.empty(), Optional.empty(), OptionalLong.empty());

    static String write(TaskBody body, int maxTrials, OptionalLong began) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        all.put("node", body.name());
        if (body.execution().isPresent()) {
            all.put("maxTrials", maxTrials);
            all.put("initialMillis", body.backoff().initial().toMillis());
            all.put("factor", body.backoff().factor());
            all.put("mostMillis", body.backoff().most().toMillis());
            all.put("jitterPercent", body.backoff().jitterPercent());
            body.timeLimit().ifPresent(limit -> all.put("timeLimitMillis", limit.toMillis()));
        }
        began.ifPresent(time -> all.put("began", time));
        return JsJson.write(all);
    }

    /** An option that another program may have changed counts as absent. */
    static IdoitOptions read(String text) {
        if (text.isEmpty()) {
            return NONE;
        }
        try {
            JsonNode all = JsJson.read(text);
            return new IdoitOptions(
                    Optional.ofNullable(all.path("node").textValue()),
                    all.path("maxTrials").canConvertToInt()
                            ? OptionalInt.of(all.get("maxTrials").intValue())
                            : OptionalInt.empty(),
                    all.has("initialMillis")
                            ? Optional.of(new RetryBackoff(
                                    Duration.ofMillis(all.path("initialMillis").longValue()),
                                    all.path("factor").asInt(1),
                                    Duration.ofMillis(all.path("mostMillis").longValue()),
                                    all.path("jitterPercent").intValue()))
                            : Optional.empty(),
                    all.has("timeLimitMillis")
                            ? Optional.of(
                                    Duration.ofMillis(all.get("timeLimitMillis").longValue()))
                            : Optional.empty(),
                    all.has("began") ? OptionalLong.of(all.get("began").longValue()) : OptionalLong.empty());
        } catch (IllegalArgumentException senseless) {
            return NONE;
        }
    }
}
