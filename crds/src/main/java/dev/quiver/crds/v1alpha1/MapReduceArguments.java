package dev.quiver.crds.v1alpha1;

import java.util.Optional;

/** The arguments of the parts of a map-reduce. Their items may be of any type, so that no rule of the schema sees them. */
final class MapReduceArguments {

    private MapReduceArguments() {}

    /** The fault in the arguments of a map-reduce node; empty for a node of another type. */
    static Optional<String> fault(TaskNode node) {
        return Optional.ofNullable(node.mapReduce()).flatMap(work -> fault("mapReduce.", work));
    }

    /**
     * The fault in the arguments of a map-reduce.
     *
     * @param prefix of its fields
     */
    static Optional<String> fault(String prefix, MapReduce work) {
        return work.stages().entrySet().stream()
                .flatMap(stage -> stageFault(prefix + stage.getKey() + ".args", stage.getValue()).stream())
                .findFirst();
    }

    private static Optional<String> stageFault(String field, MapReduceStage stage) {
        Optional<String> text =
                stage.command().isEmpty() ? Optional.empty() : TaskArguments.textFault(field, stage.args());
        return text.or(() -> stage.args().stream()
                .flatMap(argument -> ResultReference.in(argument).stream())
                .findFirst()
                .map(reference -> "its " + field + " ask for the result of " + reference.node()
                        + ", and parts of a map-reduce get no results of other nodes"));
    }
}
