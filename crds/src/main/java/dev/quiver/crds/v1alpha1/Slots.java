package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;

/** How many tasks a pod runs at a time, and how many bytes of memory each of them has for its input and output. */
@ValidationRule(
        value =
                "isQuantity(string(self.inputSize)) && quantity(string(self.inputSize)).isInteger() && quantity(string(self.inputSize)).compareTo(quantity('4Ki')) >= 0 && quantity(string(self.inputSize)).compareTo(quantity('16Gi')) <= 0",
        message = Rules.SLOT_SIZE,
        fieldPath = ".inputSize")
@ValidationRule(
        value =
                "isQuantity(string(self.outputSize)) && quantity(string(self.outputSize)).isInteger() && quantity(string(self.outputSize)).compareTo(quantity('4Ki')) >= 0 && quantity(string(self.outputSize)).compareTo(quantity('16Gi')) <= 0",
        message = Rules.SLOT_SIZE,
        fieldPath = ".outputSize")
@ValidationRule(
        value =
                "!isQuantity(string(self.inputSize)) || !isQuantity(string(self.outputSize)) || !quantity(string(self.inputSize)).isInteger() || !quantity(string(self.outputSize)).isInteger() || quantity(string(self.inputSize)).compareTo(quantity('16Gi')) > 0 || quantity(string(self.outputSize)).compareTo(quantity('16Gi')) > 0 || self.count * ((quantity(string(self.inputSize)).asInteger() + 4095) / 4096 + (quantity(string(self.outputSize)).asInteger() + 4095) / 4096) <= 4194304",
        message =
                "count x (inputSize + outputSize) must be at most 16Gi in whole pages of 4Ki: the memory of all slots of a pod")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Slots(
        @JsonPropertyDescription(
                "How many tasks a worker pod runs at the same time, each in a slot of its own: 1 to 64. One slot"
                        + " isolates tasks fully: an out-of-memory kill of the container then hits a single task.")
        @Default("4")
        @Min(1)
        @Max(64)
        Integer count,

        @JsonPropertyDescription(
                "Memory for the input of one slot (its command, arguments, environment and payload), in bytes:"
                        + " a quantity from 4Ki to 16Gi. Counted into the memory request of the pod, once for each slot.")
        @Default("1Mi")
        Quantity inputSize,

        @JsonPropertyDescription(
                "Memory for the output file of one slot, in bytes: a quantity from 4Ki to 16Gi. Charged to the"
                        + " worker container, once for each slot. A task that writes more fails with reason OutputTooLarge.")
        @Default("1Mi")
        Quantity outputSize) {
    /** The geometry of a pool that names none: 4 slots of 1 MiB in and 1 MiB out. */
    public static final Slots DEFAULT = new Slots(null, null, null);

    public Slots {
        count = count == null ? 4 : count;
        inputSize = inputSize == null ? new Quantity("1Mi") : inputSize;
        outputSize = outputSize == null ? new Quantity("1Mi") : outputSize;
    }

    /** The input memory of one slot in bytes. */
    public long inputBytes() {
        return Quantity.getAmountInBytes(inputSize).longValueExact();
    }

    /** The output memory of one slot in bytes. */
    public long outputBytes() {
        return Quantity.getAmountInBytes(outputSize).longValueExact();
    }
}
