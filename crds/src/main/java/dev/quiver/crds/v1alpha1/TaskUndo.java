package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;

/** The undo of a {@link Task} that asks for it. */
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskUndo(
        @JsonPropertyDescription(
                "Available: a Task with undoOf would run what the plans left. Nothing: they left nothing. Undone: such a Task"
                        + " has taken it.")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        TaskUndoState state,

        @JsonPropertyDescription("How many tasks the plans left.") @Min(0)
        Integer tasks,

        @JsonPropertyDescription("Functions of these tasks, each once, at most 8.") @Size(max = TaskUndo.MAX_HANDLERS)
        List<@Size(max = 128) String> handlers,

        @JsonPropertyDescription("Name of the Task that undoes it, or has undone it.") @Size(max = Task.MAX_NAME_LENGTH)
        String by) {

    /** How many functions are named at most. */
    public static final int MAX_HANDLERS = 8;

    public TaskUndo {
        handlers = handlers == null ? List.of() : List.copyOf(handlers);
    }
}
