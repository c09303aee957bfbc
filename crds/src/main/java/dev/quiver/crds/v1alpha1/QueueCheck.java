package dev.quiver.crds.v1alpha1;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Refuses job specifications that the wire of a map-reduce queue cannot carry. The keys of a job hold a type and data
 * alone. The programs under the prefix have their own bounds for each type, and go on without a chunk that failed.
 */
final class QueueCheck {

    static final String PROCESS = ".process";

    private QueueCheck() {}

    /** The fault, with the field it is about; empty for a job that the wire can carry. */
    static Optional<String> fault(MapReduceJobSpec spec) {
        return absent(whole(spec)).or(() -> policy(spec)).or(() -> parts(spec));
    }

    private static Map<String, Boolean> whole(MapReduceJobSpec spec) {
        Map<String, Boolean> there = new LinkedHashMap<>();
        there.put("combine", spec.combine() != null);
        there.put("scratch", spec.scratch() != null);
        there.put("split", spec.split() != null);
        there.put("chunks", spec.chunksPerWorker() != 0 || spec.mostChunks() != MapReduceChunks.MOST);
        there.put("resultsSize", spec.work().resultsBytes() != MapReduceJobSpec.RESULTS_BYTES);
        there.put("activeDeadlineSeconds", spec.activeDeadlineSeconds() != null);
        there.put("suspend", spec.suspend());
        there.put("schedule", spec.schedule() != null);
        return there;
    }

    private static Optional<String> absent(Map<String, Boolean> there) {
        return there.entrySet().stream()
                .filter(Map.Entry::getValue)
                .findFirst()
                .map(field -> "spec." + field.getKey() + " cannot be set with wire: Queue, whose keys do not hold it");
    }

    private static Optional<String> policy(MapReduceJobSpec spec) {
        return Optional.of(
                        "spec.failurePolicy must be SkipChunk with wire: Queue, whose programs go on without a chunk that"
                                + " failed")
                .filter(is -> spec.failurePolicy() != ChunkFailurePolicy.SkipChunk);
    }

    private static Optional<String> parts(MapReduceJobSpec spec) {
        String process = spec.process().handlerName().orElse("");
        if (!process.endsWith(PROCESS) || process.length() == PROCESS.length()) {
            return Optional.of("spec.process.handler must end with .process with wire: Queue: what is before it is the"
                    + " type of the job");
        }
        return Stream.of(
                        part("map", Optional.ofNullable(spec.map()), spec),
                        part("process", Optional.of(spec.process()), spec),
                        part("reduce", Optional.ofNullable(spec.reduce()), spec))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> part(
            String field, Optional<? extends MapReduceWorker> given, MapReduceJobSpec spec) {
        String handler = spec.queueType() + "." + field;
        return given.flatMap(MapReduceStage::handlerName)
                        .filter(handler::equals)
                        .isEmpty()
                ? Optional.of("spec." + field + ".handler must be " + handler + " with wire: Queue, by the type of"
                        + " spec.process.handler")
                : given.flatMap(it -> bounds("spec." + field + ".", it));
    }

    private static Optional<String> bounds(String of, MapReduceWorker part) {
        List<String> there = Stream.of(
                        part.args().isEmpty() ? "" : "args",
                        part.maxTrials() == null ? "" : "maxTrials",
                        part.backoff() == null ? "" : "backoff",
                        part.activeDeadlineSeconds() == null ? "" : "activeDeadlineSeconds",
                        part.workerPoolRef() == null ? "" : "workerPoolRef",
                        part instanceof MapReduceMap map && map.paged() ? "paged" : "")
                .filter(name -> !name.isEmpty())
                .toList();
        return there.stream()
                .findFirst()
                .map(name -> of + name
                        + " cannot be set with wire: Queue: spec.grantedPrefix.types of the pool has the bounds"
                        + " of a type");
    }
}
