package dev.quiver.controller.status;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Reason;

/**
 * Collects the conditions of one fresh status. A condition whose status did not change keeps its transition time; a
 * condition that is not set again disappears. For one thread.
 */
public final class Conditions {

    /**
     * Longer messages are cut, in bytes of JSON: a status stays small whatever message an admission webhook returns.
     */
    public static final int MAX_MESSAGE_BYTES = 1024;

    private final List<Condition> before;
    private final long generation;
    private final Instant now;
    private final Map<ConditionType, Condition> fresh = new LinkedHashMap<>();

    /**
     * Takes only transition times from the last status.
     *
     * @param before the conditions last written
     * @param generation of the spec that the new ones are about
     */
    public Conditions(List<Condition> before, long generation, Instant now) {
        this.before = before;
        this.generation = generation;
        this.now = now;
    }

    /** Sets a condition, with the reason's own sentence. */
    public Conditions set(ConditionType type, ConditionStatus truth, Reason reason) {
        return set(type, truth, reason, reason.sentence());
    }

    /** Sets a condition; a second call for the same type replaces the first. */
    public Conditions set(ConditionType type, ConditionStatus truth, Reason reason, String message) {
        String since = find(before, type)
                .filter(old -> old.getStatus().equals(truth.name()))
                .map(Condition::getLastTransitionTime)
                .orElseGet(this::timestamp);
        fresh.put(
                type,
                new ConditionBuilder()
                        .withType(type.name())
                        .withStatus(truth.name())
                        .withReason(reason.name())
                        .withMessage(JsonText.first(message, MAX_MESSAGE_BYTES))
                        .withLastTransitionTime(since)
                        .withObservedGeneration(generation)
                        .build());
        return this;
    }

    /**
     * Sets a condition whose message counts as much as its status: a new message is a transition, too.
     */
    public Conditions setAnew(ConditionType type, ConditionStatus truth, Reason reason, String message) {
        set(type, truth, reason, message);
        Condition condition = fresh.get(type);
        boolean same = find(before, type)
                .filter(old -> old.getStatus().equals(condition.getStatus())
                        && old.getMessage().equals(condition.getMessage()))
                .isPresent();
        if (!same) {
            condition.setLastTransitionTime(timestamp());
        }
        return this;
    }

    /** Copies a condition from the last status, for the present spec; false when that had none of the type. */
    public boolean keep(ConditionType type) {
        Optional<Condition> old = find(before, type);
        old.ifPresent(condition -> fresh.put(
                type,
                new ConditionBuilder(condition)
                        .withObservedGeneration(generation)
                        .build()));
        return old.isPresent();
    }

    /** The conditions of a run that is over, under the generation of a later spec: all as they were. */
    public static List<Condition> kept(List<Condition> before, long generation, Instant now) {
        return new Conditions(before, generation, now).keepAll().list();
    }

    /** Copies all conditions from the last status, of the types that this build knows. */
    Conditions keepAll() {
        before.stream()
                .flatMap(condition -> Stream.of(ConditionType.values())
                        .filter(type -> type.name().equals(condition.getType())))
                .forEach(this::keep);
        return this;
    }

    /** The conditions in the order in which they were set. */
    public List<Condition> list() {
        return List.copyOf(fresh.values());
    }

    /** The condition of that type. */
    public static Optional<Condition> find(List<Condition> conditions, ConditionType type) {
        return conditions.stream().filter(c -> type.name().equals(c.getType())).findFirst();
    }

    /** Whether the condition is there and True. */
    public static boolean isTrue(List<Condition> conditions, ConditionType type) {
        return find(conditions, type)
                .filter(c -> ConditionStatus.True.name().equals(c.getStatus()))
                .isPresent();
    }

    private String timestamp() {
        return now.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
