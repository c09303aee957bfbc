package dev.quiver.crds.v1alpha1;

/** The reason of a condition: {@link #name()} is the word in the condition, the sentence its meaning. */
public sealed interface Reason
        permits TaskSetReason,
                TaskReason,
                TreeReason,
                MapReduceJobReason,
                WorkerPoolReason,
                StoreReason,
                HistoryReason,
                StatusReason,
                HandlerReason,
                BlockedReason {
    /** The word in the condition, PascalCase. */
    String name();

    /** The meaning of the reason, for a condition without a more precise message. */
    String sentence();
}
