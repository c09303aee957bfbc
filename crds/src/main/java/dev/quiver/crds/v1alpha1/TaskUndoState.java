package dev.quiver.crds.v1alpha1;

/** Whether a {@link Task} can be undone. An unknown word is read as none. */
public enum TaskUndoState {
    /** Tasks are kept that would undo it. */
    Available,
    /** Its plans left none. */
    Nothing,
    /** Another Task undoes it, or has done so. */
    Undone
}
