package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** Chunks of a {@link MapReduce} that Quiver itself makes of files: each names its part of them. */
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MapReduceSplit(
        @JsonPropertyDescription(
                "The unit of size: lines or bytes of each file, files, or rowGroups of Parquet files. No chunk but those of"
                        + " files has parts of two.")
        @Required
        SplitUnit by,

        @JsonPropertyDescription(
                "How many of them a chunk has, the last one of a file maybe fewer: 1 to 1099511627776.")
        @Required
        @Min(1)
        @Max(1_099_511_627_776L)
        Long size,

        @JsonPropertyDescription(
                "Files in the workers of process: an absolute path of a file or a folder, which may have the wildcards *, ?"
                        + " and [. Of a folder all files below it count whose names do not begin with a dot.")
        @Required
        @Size(min = 2, max = 1024)
        @Pattern("^/[^\\x00-\\x1f\\x7f]+$")
        String path) {}
