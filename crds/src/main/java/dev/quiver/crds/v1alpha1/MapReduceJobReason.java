package dev.quiver.crds.v1alpha1;

/** Why a condition of a {@link MapReduceJob} has its status, beside {@link TreeReason}. */
public enum MapReduceJobReason implements Reason {
    // Finished=False, Succeeded=Unknown
    /** The ConfigMap of the input or its key does not exist. */
    InputNotFound("The ConfigMap of spec.input, or its key, does not exist."),
    /** With {@code wire: Queue}: the pool has no granted prefix of a queue; the message has what is missing. */
    PrefixNotGranted("The WorkerPool has no granted prefix of a queue."),

    // Finished=True with Succeeded=True
    /** Reduce succeeded, or the last chunk or combine of a job without it. */
    JobSucceeded("The job succeeded."),

    // Finished=True with Succeeded=False
    /** Map failed in all its trials, or what it returned are no chunks. */
    MapFailed("Map failed in all its trials."),
    /** A chunk failed for good and {@code spec.failurePolicy} is Fail. */
    ChunksFailed("A chunk failed in all its trials."),
    /** A combine failed in all its trials. */
    CombineFailed("A combine failed in all its trials."),
    /** Reduce failed in all its trials. */
    ReduceFailed("Reduce failed in all its trials."),
    /** The results of chunks take more than {@code spec.resultsSize}. */
    ResultsTooLarge("The results of the chunks take more than spec.resultsSize."),
    /** Only for a run of a schedule: one of its parts failed. */
    JobFailed("A part of the job failed."),
    /** A field of the spec has a value that no rule of the API server could see; the message names it. */
    SpecInvalid("A field of the spec has a value that cannot be run.");

    private final String sentence;

    MapReduceJobReason(String sentence) {
        this.sentence = sentence;
    }

    @Override
    public String sentence() {
        return sentence;
    }
}
