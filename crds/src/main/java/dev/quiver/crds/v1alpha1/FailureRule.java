package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** A rule of a {@link FailurePolicy}: the failed trials that it is about, and what they mean. */
@ValidationRule(
        value = "has(self.onExitCodes) != has(self.onReasons)",
        message = "must have exactly one of onExitCodes and onReasons")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record FailureRule(
        @JsonPropertyDescription(
                "What the trial means. Count uses a trial of the task. FailTask fails the task at once, FailTaskSet ends the"
                        + " run as well, with reason FailurePolicy. Pending ends the task as pending: it counts as passed, and"
                        + " by itself in status.pending.")
        @Required
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        Action action,

        @JsonPropertyDescription(
                "Trials by the exit code of their program. Exactly one of onExitCodes and onReasons is set.")
        ExitCodes onExitCodes,

        @JsonPropertyDescription(
                "Trials by their reason, as status.failures has it, such as TimedOut: 1 to 16, none twice. Exactly one of"
                        + " onExitCodes and onReasons is set.")
        @Size(min = 1, max = 16)
        @ValidationRule(value = "self.all(r, self.exists_one(s, s == r))", message = "must not have a reason twice")
        @ValidationRule(
                value = "!self.exists(r, r == 'WorkerLost')",
                message = "may not have WorkerLost: a run that is lost with its worker is no failed trial")
        List<@Size(min = 1, max = 64) @Pattern("^[A-Z][A-Za-z0-9]*$") String> onReasons) {

    public FailureRule {
        action = action == null ? Action.Count : action;
        onReasons = onReasons == null ? List.of() : List.copyOf(onReasons);
    }

    /** The meaning of a failed trial. An unknown word is read as {@link #Count}. */
    public enum Action {
        /** It uses a trial of its task. */
        @JsonEnumDefaultValue
        Count,
        /** Its task fails, whatever trials are left. */
        FailTask,
        /** Its task fails, and the run ends. */
        FailTaskSet,
        /** Its task ends as pending, which is no failure. */
        Pending
    }

    /** A choice of exit codes. */
    @ValidationRule(
            value = "self.operator != 'In' || !(0 in self.values)",
            message = "may not have 0 with operator In: a program that exits with 0 has not failed by its exit code",
            fieldPath = ".values")
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    public record ExitCodes(
            @JsonPropertyDescription(
                    "In chooses the codes in values, NotIn all others but 0. A program that a signal ended has no exit code,"
                            + " and neither has a function: such a trial is never chosen.")
            @Required
            @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
            Operator operator,

            @JsonPropertyDescription("Exit codes: 1 to 64 of 0 to 255, none twice.")
            @Required
            @Size(min = 1, max = 64)
            @ValidationRule(value = "self.all(v, self.exists_one(w, w == v))", message = "must not have a code twice")
            List<@Min(0) @Max(255) Integer> values) {

        public ExitCodes {
            operator = operator == null ? Operator.In : operator;
            values = values == null ? List.of() : List.copyOf(values);
        }

        /** Whether the codes are chosen or the others. An unknown word is read as {@link #In}. */
        public enum Operator {
            /** The codes. */
            @JsonEnumDefaultValue
            In,
            /** All others. */
            NotIn
        }
    }
}
