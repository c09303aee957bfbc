package dev.quiver.crds.v1alpha1;

/** The reason of a condition: its {@link #name()} is what stands in the condition, the sentence what it means. */
public sealed interface Reason permits TaskSetReason, WorkerPoolReason, StoreReason {
    /** The word in the condition, PascalCase. */
    String name();

    /** What the word means, for a message that has nothing more precise to say. */
    String sentence();
}
