package dev.quiver.sdk;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A complex task: it merges requests into a state for each key and into markers, which tasks execute. Requests are calls with a
 * {@code complexKey}. Plans and markers of one key take turns, plans first.
 *
 * <p>All that an answer changes, see {@link Done#changing}, is done in the step that records it. A change with another state
 * than it expects is none: then the function is called again, with the new state.
 *
 * <pre>{@code
 * "flags", ComplexHandler.serving(new Flags())
 * }</pre>
 */
public interface ComplexHandler {

    /** The first state of a key for which nothing is kept: fields to JSON values. The plan sees it, and it is written with the plan. */
    default Map<String, String> init(String key) throws Exception {
        return Map.of();
    }

    /**
     * Merges a request, and ends it; null changes nothing. Where {@link Task#undo} is true, the answer may leave tasks that
     * would undo it, see {@link Done#undoing}.
     */
    Done plan(Kept kept, Task task) throws Exception;

    /** Executes a marker. Its output may be a {@link Done} with changes, and without undo; null is no output. */
    Output execute(Kept kept, Task task) throws Exception;

    /** Whether {@link #wasDone} is served, for markers with a contingency. */
    default boolean hasContingency() {
        return false;
    }

    /** Says of a marker with a contingency whether it was done, see {@link ContingencyHandler#wasDone}. */
    default Optional<Done> wasDone(Kept kept, Task task) throws Exception {
        throw new UnsupportedOperationException("this complex task has no contingency");
    }

    /**
     * The handler of a complex task. It counts as two, or as three with a contingency. Its name has 1 to 116 printable
     * characters of ASCII without blanks, since requests name it: {@link Handlers#serve} refuses another one.
     */
    static Handler serving(ComplexHandler of) {
        Objects.requireNonNull(of, "of");
        Handler executing = (input, task) -> {
            Output output = of.execute(Kept.of(input, false, task.handler()), task);
            return output instanceof Done done ? served(of, done, task).ofExecution() : output;
        };
        Handler planning = new Beside(
                new ComplexFunction(executing),
                Beside.Kind.PLAN,
                (input, task) -> served(of, FirstState.plan(of, Kept.of(input, true, task.handler()), task), task)
                        .ofComplexPlan());
        return of.hasContingency()
                ? new Beside(
                        planning,
                        Beside.Kind.CONTINGENCY,
                        (input, task) -> Objects.requireNonNull(
                                        of.wasDone(Kept.of(input, false, task.handler()), task),
                                        "a contingency returned null: it returns an Optional")
                                .map(Done::ofComplexContingency)
                                .orElseGet(Effects::redo))
                : planning;
    }

    private static Done served(ComplexHandler of, Done done, Task task) {
        if (!of.hasContingency()) {
            Markers.checkWithoutContingency(done.markers(), task.handler());
        }
        return done;
    }
}
