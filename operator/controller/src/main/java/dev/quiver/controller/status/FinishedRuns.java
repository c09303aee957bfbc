package dev.quiver.controller.status;

import java.util.List;

import io.fabric8.kubernetes.api.model.Condition;
import io.micrometer.core.instrument.MeterRegistry;

import dev.quiver.crds.v1alpha1.ConditionType;

/**
 * Counts the ends of runs of one kind by the reason of {@code Finished=True}, which is one of an enum. Thread-safe.
 *
 * @param kind of the resources
 */
record FinishedRuns(MeterRegistry metrics, String kind) {

    /** Counts a run whose written status says for the first time that it is over. */
    void note(List<Condition> before, List<Condition> after) {
        if (!Conditions.isTrue(before, ConditionType.Finished)) {
            Conditions.find(after, ConditionType.Finished)
                    .filter(is -> ConditionStatus.True.name().equals(is.getStatus()))
                    .ifPresent(is -> metrics.counter("quiver.runs.finished", "kind", kind, "reason", is.getReason())
                            .increment());
        }
    }
}
