package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;

/** How fast pods are replaced when their template or image changes. */
@ValidationRule(
        value = "string(self.maxUnavailable)" + Rules.IS_PODS_OR_PERCENTAGE,
        message = Rules.PODS_OR_PERCENTAGE,
        fieldPath = ".maxUnavailable")
@ValidationRule(
        value = "string(self.maxSurge)" + Rules.IS_PODS_OR_PERCENTAGE,
        message = Rules.PODS_OR_PERCENTAGE,
        fieldPath = ".maxSurge")
@ValidationRule(
        value = "!(string(self.maxUnavailable) in ['0', '0%']) || !(string(self.maxSurge) in ['0', '0%'])",
        message = "maxUnavailable and maxSurge must not both be 0: no pod could ever be replaced")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Rollout(
        @JsonPropertyDescription(
                "How many pods may be missing from the wanted replicas while the pool rolls: a number of pods"
                        + " from 0 to 1000, or a percentage of replicas from 0% to 100%, rounded down. Draining pods count as missing."
                        + " May not be 0 together with maxSurge.")
        @Default("25%")
        IntOrString maxUnavailable,

        @JsonPropertyDescription(
                "How many pods may exist above the wanted replicas while the pool rolls: a number of pods from 0"
                        + " to 1000, or a percentage of replicas from 0% to 100%, rounded up.")
        @Default("0")
        IntOrString maxSurge) {
    /** A quarter at a time, and no pod above the wanted number. */
    public static final Rollout DEFAULT = new Rollout(null, null);

    public Rollout {
        maxUnavailable = maxUnavailable == null ? new IntOrString("25%") : maxUnavailable;
        maxSurge = maxSurge == null ? new IntOrString(0) : maxSurge;
    }
}
