package dev.quiver.controller.task;

import java.util.List;
import java.util.Optional;

import dev.quiver.controller.tree.ObservedTree;
import dev.quiver.crds.v1alpha1.TaskUndo;
import dev.quiver.crds.v1alpha1.TaskUndoState;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.task.model.LeftUndo;

/** The part of a status that says whether the Task can be undone. Pure. */
final class UndoStatus {

    /** Quotes, a comma, and what JSON escapes of a name. */
    private static final int BYTES_OF_FIELDS = 128;

    private UndoStatus() {}

    /** The part of this Task: where Redis was not asked, as it was; null while it goes on and nobody undoes it. */
    static TaskUndo of(TaskView view) {
        return view.left()
                .map(left -> of(view, left))
                .orElseGet(() -> view.before().undo());
    }

    private static TaskUndo of(TaskView view, LeftUndo left) {
        List<String> handlers =
                left.handlers().stream().limit(TaskUndo.MAX_HANDLERS).toList();
        Optional<String> by = left.taker().map(LeftUndo.Taker::name);
        if (by.isEmpty() && view.tree().filter(ObservedTree::over).isEmpty()) {
            return null;
        }
        TaskUndoState state = by.isPresent()
                ? TaskUndoState.Undone
                : left.tasks() > 0 ? TaskUndoState.Available : TaskUndoState.Nothing;
        return new TaskUndo(state, left.tasks(), handlers, by.orElse(null));
    }

    /** Bytes of it as JSON, about. */
    static int bytes(TaskUndo undo) {
        return undo == null
                ? 0
                : BYTES_OF_FIELDS
                        + undo.handlers().stream()
                                .mapToInt(name -> 2 * Utf8.length(name))
                                .sum();
    }
}
