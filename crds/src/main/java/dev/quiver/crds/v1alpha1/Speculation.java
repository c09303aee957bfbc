package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;

/** Whether a task that takes long may run a second time beside itself. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Speculation(
        @JsonPropertyDescription(
                "WhenIdle: while no task of the run waits, a worker with a free slot begins a copy of a task that takes longer"
                        + " than usual. The one that passes first counts, and the other one is stopped. Both run at the same time,"
                        + " so they must not disturb each other. Never: a task runs once at a time.")
        @Default("Never")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        Mode mode) {

    /** When copies run. An unknown word is read as {@link #Never}. */
    public enum Mode {
        /** A task runs once at a time. */
        @JsonEnumDefaultValue
        Never,
        /** While nothing else of the run waits. */
        WhenIdle
    }

    public Speculation {
        mode = mode == null ? Mode.Never : mode;
    }
}
