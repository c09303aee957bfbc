package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** A resource, or a pattern of resources, that Tasks of a pool may name. */
@ValidationRule(
        value = "!has(self.perSeconds) || has(self.permits)",
        message = "needs permits: as many may start in that time",
        fieldPath = ".perSeconds")
@ValidationRule(
        value = "!has(self.probe) || !has(self.initially) || self.initially == 'Available'",
        message = "must be Available with a probe, which closes the resource itself",
        fieldPath = ".initially")
public record PoolResource(
        @JsonPropertyDescription(
                "Its name: 1 to 128 printable characters without blanks. With a * behind the first ! or : it declares all"
                        + " names that begin so, such as tenant!*.")
        @Required
        @Size(min = 1, max = SchedulingRules.NAME_LENGTH)
        @Pattern(SchedulingRules.NAME)
        String name,

        @JsonPropertyDescription(
                "Whether it is there before anybody closes or opens it. Missing holds its Tasks until a program opens it for"
                        + " all owners. A change counts at once.")
        @Default("Available")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        ResourceState initially,

        @JsonPropertyDescription(
                "How many Tasks may run with it at a time, of a pattern with each of its names: 1 to 10000. Left out, any"
                        + " number. Lowering it stops none.")
        @Min(1)
        @Max(10_000)
        Integer permits,

        @JsonPropertyDescription(
                "Turns permits into a rate: so many Tasks may start in a window of so many seconds, 1 to 86400, which begins with"
                        + " the first. A permit is not given back then.")
        @Min(1)
        @Max(86_400)
        Integer perSeconds,

        @JsonPropertyDescription(
                "What becomes of Tasks that run with it when it goes. Continue lets them end. Cancel stops them within seconds;"
                        + " they go back to their places, and use no trial. A TaskSet's tasks always go on.")
        @Default("Continue")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        ResourceLoss onLoss,

        @JsonPropertyDescription(
                "How the operator finds out whether it is there. While the probe finds it missing, it is closed by the owner"
                        + " probe; other owners may close it as well. Left out, only programs close it.")
        ResourceProbe probe) {

    /** Resources of a pool at most. */
    static final int MOST = 64;

    public PoolResource {
        initially = initially == null ? ResourceState.Available : initially;
        onLoss = onLoss == null ? ResourceLoss.Continue : onLoss;
    }
}
