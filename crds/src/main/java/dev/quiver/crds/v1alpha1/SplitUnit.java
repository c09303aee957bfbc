package dev.quiver.crds.v1alpha1;

/** The unit in which a {@link MapReduceSplit} counts. The constants are the words of the resource. */
public enum SplitUnit {
    /** Lines of text files. */
    lines,
    /** Bytes of files, whatever they have. */
    bytes,
    /** Whole files. */
    files,
    /** Row groups of Parquet files. */
    rowGroups
}
