package dev.quiver.crds.v1alpha1;

import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;

/** A person's wishes for a {@link MapReduceJob}. */
@ValidationRule(value = TaskRules.IS_RESULTS_SIZE, message = TaskRules.RESULTS_SIZE, fieldPath = ".resultsSize")
@ValidationRule(
        value = "has(self.map) || has(self.split) || has(self.input)",
        message = "is needed without map and split: its elements are the chunks",
        fieldPath = ".input")
@ValidationRule(
        value = "has(self.map) || !has(self.input) || !has(self.input.base64) && !has(self.input.locator)",
        message = "may have base64 or locator only with map: without it the elements of a JSON array are the chunks",
        fieldPath = ".input")
@ValidationRule(
        value = "has(self.map) || has(self.split) || !has(self.chunks) || self.chunks.max == " + MapReduceChunks.MOST,
        message = "has a max, which needs map or split: without them the elements of input are the chunks",
        fieldPath = ".chunks")
@ValidationRule(
        value = "!has(self.split) || !has(self.map) && !has(self.input)",
        message = "must be absent with map or input: one of them makes the chunks",
        fieldPath = ".split")
@ValidationRule(
        value = "!has(self.scratch) || has(self.reduce)",
        message = "needs reduce: the files go with the job, and nobody else reads them",
        fieldPath = ".scratch")
@ValidationRule(
        value = "oldSelf.hasValue() || !has(self.notBefore) || !has(self.postponeSeconds)",
        message = "must be absent with notBefore: either a time or a wait",
        optionalOldSelf = true,
        fieldPath = ".postponeSeconds")
@ValidationRule(
        value = "oldSelf.hasValue() || !has(self.schedule) || !has(self.notBefore) && !has(self.postponeSeconds)",
        message = "must be absent with notBefore or postponeSeconds: cron alone decides when it runs",
        optionalOldSelf = true,
        fieldPath = ".schedule")
@ValidationRule(
        value = "has(self.schedule) == has(oldSelf.schedule)",
        message = TaskRules.JOB_SCHEDULE_STAYS,
        fieldPath = ".schedule")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.input) == has(oldSelf.input) && (!has(self.input) || self.input == oldSelf.input)",
        message = TaskRules.JOB_WORK_IS_FIXED,
        fieldPath = ".input")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.map) == has(oldSelf.map) && (!has(self.map) || self.map == oldSelf.map)",
        message = TaskRules.JOB_WORK_IS_FIXED,
        fieldPath = ".map")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.combine) == has(oldSelf.combine) && (!has(self.combine) || self.combine == oldSelf.combine)",
        message = TaskRules.JOB_WORK_IS_FIXED,
        fieldPath = ".combine")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.reduce) == has(oldSelf.reduce) && (!has(self.reduce) || self.reduce == oldSelf.reduce)",
        message = TaskRules.JOB_WORK_IS_FIXED,
        fieldPath = ".reduce")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.chunks) == has(oldSelf.chunks) && (!has(self.chunks) || self.chunks == oldSelf.chunks)",
        message = TaskRules.JOB_WORK_IS_FIXED,
        fieldPath = ".chunks")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.scratch) == has(oldSelf.scratch) && (!has(self.scratch) || self.scratch == oldSelf.scratch)",
        message = TaskRules.JOB_WORK_IS_FIXED,
        fieldPath = ".scratch")
@ValidationRule(
        value =
                "has(self.schedule) || has(self.split) == has(oldSelf.split) && (!has(self.split) || self.split == oldSelf.split)",
        message = TaskRules.JOB_WORK_IS_FIXED,
        fieldPath = ".split")
@ValidationRule(
        value = "has(self.schedule) || self.process == oldSelf.process",
        message = TaskRules.JOB_WORK_IS_FIXED,
        fieldPath = ".process")
@ValidationRule(
        value = "has(self.schedule) || self.failurePolicy == oldSelf.failurePolicy",
        message = TaskRules.JOB_WORK_IS_FIXED,
        fieldPath = ".failurePolicy")
@ValidationRule(
        value = "has(self.schedule) || string(self.resultsSize) == string(oldSelf.resultsSize)",
        message = TaskRules.JOB_WORK_IS_FIXED,
        fieldPath = ".resultsSize")
@ValidationRule(
        value =
                "has(self.notBefore) == has(oldSelf.notBefore) && (!has(self.notBefore) || self.notBefore == oldSelf.notBefore)",
        message = TaskRules.JOB_IS_FIXED,
        fieldPath = ".notBefore")
@ValidationRule(
        value =
                "has(self.postponeSeconds) == has(oldSelf.postponeSeconds) && (!has(self.postponeSeconds) || self.postponeSeconds == oldSelf.postponeSeconds)",
        message = TaskRules.JOB_IS_FIXED,
        fieldPath = ".postponeSeconds")
@ValidationRule(
        value = "has(self.history) == has(oldSelf.history)",
        message = TaskRules.JOB_IS_FIXED,
        fieldPath = ".history")
@ValidationRule(
        value = "self.wire != 'Queue' || !self.suspend",
        message = "must be false with wire: Queue, which cannot suspend",
        fieldPath = ".suspend")
@ValidationRule(
        value = "self.wire != 'Queue' || !has(self.relPriority) && !has(self.tags) && !has(self.resources)",
        message = "must be absent with wire: Queue, whose programs know no order but that of arrival",
        fieldPath = ".relPriority")
@ValidationRule(
        value = "self.wire != 'Queue' || !has(self.schedule)",
        message = "must be absent with wire: Queue, whose programs have schedules of their own",
        fieldPath = ".schedule")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MapReduceJobSpec(
        @JsonPropertyDescription(
                "The shared WorkerPool of the same namespace that does the work of each part that names no other. Its keyspace"
                        + " holds the state. Cannot be changed.")
        @Required
        @ValidationRule(value = "self == oldSelf", message = TaskRules.JOB_IS_FIXED)
        WorkerPoolRef workerPoolRef,

        @JsonPropertyDescription(
                "What the job is about: the last argument of map. Without map and split it is needed: the elements of an array"
                        + " are the chunks, anything else is one chunk. Cannot be changed, but with schedule: the next run takes"
                        + " it.")
        MapReduceInput input,

        @JsonPropertyDescription(
                "Makes the chunks. A handler returns them as an array, a command writes one a line of $QUIVER_OUTPUT: at most"
                        + " 100000, each at most 262144 bytes. Each batch of an Arrow stream that a handler returns is a chunk."
                        + " Cannot be changed, but with schedule.")
        MapReduceMap map,

        @JsonPropertyDescription(
                "Makes the chunks of files, in place of map: each is an object that names its part of them. Cannot be changed,"
                        + " but with schedule.")
        MapReduceSplit split,

        @JsonPropertyDescription(
                "Runs once for each chunk, which is its last argument. Cannot be changed, but with schedule.")
        @Required
        MapReducePart process,

        @JsonPropertyDescription(
                "Combines results on the workers of process. It gets an array of neighbouring results in order, and returns one"
                        + " of the same kind. It must be associative. Cannot be changed, but with schedule.")
        MapReduceCombine combine,

        @JsonPropertyDescription(
                "Gets the array of all results, in the order of the chunks; with combine that of the last combine alone. What it"
                        + " returns is the result of the job. Left out, the array is. Cannot be changed, but with schedule.")
        MapReducePart reduce,

        @JsonPropertyDescription(
                "Bounds of the chunks: how many map or split may make, and how many run at a time. Cannot be changed, but"
                        + " with schedule.")
        MapReduceChunks chunks,

        @JsonPropertyDescription(
                "What a chunk that failed for good means. Fail ends the job. SkipChunk goes on without its result. Cannot be"
                        + " changed, but with schedule.")
        @Default("Fail")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        ChunkFailurePolicy failurePolicy,

        @JsonPropertyDescription(
                "How many bytes of results are kept at a time, as JSON: a quantity from 1Ki to 1Gi. The result that passes it"
                        + " ends the job with reason ResultsTooLarge. Cannot be changed, but with schedule.")
        @Default("64Mi")
        Quantity resultsSize,

        @JsonPropertyDescription(
                "Takes Arrow results above 65536 bytes, which do not count to resultsSize then. Reduce and combine read them"
                        + " one file at a time. The files are removed when the job ends, however that is. Needs reduce. Cannot be"
                        + " changed, but with schedule.")
        MapReduceScratch scratch,

        @JsonPropertyDescription(
                "Not to start before this time: RFC 3339. At most one of notBefore and postponeSeconds is set, neither with"
                        + " schedule. Cannot be changed.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 40)
        String notBefore,

        @JsonPropertyDescription(
                "How long to wait after it was accepted, in seconds: 0 to 31536000 (a year). At most one of notBefore and"
                        + " postponeSeconds is set, neither with schedule. Cannot be changed.")
        @Min(0)
        @Max(31_536_000)
        Integer postponeSeconds,

        @JsonPropertyDescription(
                "Runs the work again and again. Each run is a tree of its own. Cannot be added or removed" + " later.")
        TaskSchedule schedule,

        @JsonPropertyDescription(
                "While true, no task runs and no run of the schedule begins. Running ones are stopped, go back to the front"
                        + " of the queue and use no trial.")
        @Default("false")
        Boolean suspend,

        @JsonPropertyDescription(
                "Ends the job for good with reason Cancelled, its schedule too, and stops its running tasks. Can be set to"
                        + " true, never back to false.")
        @Default("false")
        @ValidationRule(
                value = Rules.IS_NOT_TAKEN_BACK,
                message = "cannot be taken back: only false to true is allowed; make a new MapReduceJob instead")
        Boolean cancel,

        @JsonPropertyDescription(
                "How long it may take, in seconds from its startTime: 1 to 31536000 (a year); with schedule each run. After"
                        + " that it ends with reason DeadlineExceeded, and its running tasks are stopped. Suspending stops the"
                        + " clock; resuming starts it anew. Left out, there is no limit.")
        @Min(1)
        @Max(31_536_000)
        Long activeDeadlineSeconds,

        @JsonPropertyDescription(
                "How long the job is kept after it finished, in seconds: 0 to 31536000 (a year). Then it is deleted. Left"
                        + " out, it is kept until someone deletes it.")
        @Min(0)
        @Max(31_536_000)
        Long ttlSecondsAfterFinished,

        @JsonPropertyDescription(
                "Reaction when Redis has lost the state of the job. Fail ends it with reason StoreLost. Resubmit starts it"
                        + " again; what had succeeded runs once more. Cannot be changed.")
        @Default("Fail")
        @ValidationRule(value = "self == oldSelf", message = TaskRules.JOB_IS_FIXED)
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        StoreLossPolicy storeLossPolicy,

        @JsonPropertyDescription(
                "Layout of the state in Redis. Quiver is the own one. Queue is that of a map-reduce queue, under a prefix that the"
                        + " pool was granted, for work shared with its programs. Cannot be changed.")
        @Default("Quiver")
        @ValidationRule(value = "self == oldSelf", message = TaskRules.JOB_IS_FIXED)
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        MapReduceWire wire,

        @JsonPropertyDescription(
                "What is recorded of each run, where the installation keeps history. Left out, each trial is, with the output"
                        + " of those that did not succeed. Cannot be changed.")
        @ValidationRule(value = "self == oldSelf", message = TaskRules.JOB_IS_FIXED)
        @ValidationRule(
                value = TaskRules.HISTORY_FORGETS,
                message = TaskRules.HISTORY_CANNOT_WAIT,
                fieldPath = ".whenFull")
        RunHistory history,

        @JsonPropertyDescription(SchedulingRules.SOURCE_PRIORITY_TEXT + " Not with wire: Queue.")
        @Min(SchedulingRules.LEAST_PRIORITY)
        @Max(SchedulingRules.MOST_PRIORITY)
        Integer relPriority,

        @JsonPropertyDescription(SchedulingRules.SOURCE_TAGS_TEXT + " Not with wire: Queue.")
        @Size(max = SchedulingRules.MOST_TAGS)
        List<@Size(min = 1, max = SchedulingRules.NAME_LENGTH) @Pattern(SchedulingRules.NAME) String> tags,

        @JsonPropertyDescription(SchedulingRules.SOURCE_RESOURCES_TEXT + " Not with wire: Queue.")
        @Size(max = SchedulingRules.MOST_RESOURCES)
        List<@Size(min = 1, max = SchedulingRules.NAME_LENGTH) @Pattern(SchedulingRules.NAME) String> resources)
        implements TreeSpec {

    /** {@link #resultsSize} where nothing is said, in bytes. */
    static final long RESULTS_BYTES = 64L << 20;

    public MapReduceJobSpec {
        wire = wire == null ? MapReduceWire.Quiver : wire;
        failurePolicy = failurePolicy == null ? ChunkFailurePolicy.Fail : failurePolicy;
        resultsSize = resultsSize == null ? new Quantity("64Mi") : resultsSize;
        suspend = suspend != null && suspend;
        cancel = cancel != null && cancel;
        storeLossPolicy = storeLossPolicy == null ? StoreLossPolicy.Fail : storeLossPolicy;
        tags = tags == null ? List.of() : List.copyOf(tags);
        resources = resources == null ? List.of() : List.copyOf(resources);
    }

    /** Its parts, as a node of a Task has them. */
    public MapReduce work() {
        return new MapReduce(map, process, combine, reduce, failurePolicy, resultsSize, split, scratch);
    }

    /** The words of an argument that cannot be one of its parts; no rule of the schema sees them. */
    public Optional<String> argumentFault() {
        return MapReduceArguments.fault("spec.", work())
                .map(words -> words.startsWith("its ") ? words.substring("its ".length()) : words);
    }

    /** The words of a field that the keys of the wire cannot hold; no rule of the schema sees them. */
    public Optional<String> wireFault() {
        return wire == MapReduceWire.Queue ? QueueCheck.fault(this) : Optional.empty();
    }

    /** The type of a job on the wire of a queue: the name of its functions before the dot of their parts. */
    public String queueType() {
        String name = process.handlerName().orElse("");
        return name.endsWith(QueueCheck.PROCESS)
                ? name.substring(0, name.length() - QueueCheck.PROCESS.length())
                : name;
    }

    /** Chunks and combines that one worker runs at a time; 0: as many as it has slots. */
    public int chunksPerWorker() {
        return chunks == null ? 0 : chunks.perWorker();
    }

    /** Chunks that map may make at most. */
    public int mostChunks() {
        return chunks == null ? MapReduceChunks.MOST : chunks.max();
    }
}
