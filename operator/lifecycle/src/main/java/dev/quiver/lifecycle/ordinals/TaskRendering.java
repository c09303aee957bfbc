package dev.quiver.lifecycle.ordinals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.execution.EffectiveInput;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.References;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.EnvVar;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;

/** Turns a spec, an ordinal and a payload into an invocation. Pure. */
public final class TaskRendering {

    /** The variables of the slot, which a handler's process has in its own environment. */
    private static final Set<String> SLOT_ONLY = Set.of("QUIVER_SLOT", "QUIVER_INPUT", "QUIVER_OUTPUT");

    /** Payloads of other tasks need not be read. */
    private static final String MUTED = "\"muted\"";

    private TaskRendering() {}

    /**
     * A task of a source that was read: what a picked task is where it was picked.
     *
     * @param ordinal its number there
     * @param payload of a source that is fed
     * @param item as it was read
     */
    private record Place(TaskSource source, long ordinal, Optional<String> payload, OrdinalItem item) {

        static Place of(TaskSource source, long ordinal, Optional<String> payload) {
            return source instanceof TaskSource.Picked(TaskSource of)
                    ? picked(of, required(payload, ordinal))
                    : new Place(source, ordinal, payload, TaskRendering.item(source, ordinal, payload));
        }

        private static Place picked(TaskSource of, String payload) {
            int end = payload.indexOf('\n');
            String number = end < 0 ? payload : payload.substring(0, end);
            try {
                return of(
                        of,
                        Long.parseLong(number),
                        Optional.of(payload.substring(end + 1)).filter(_ -> end >= 0));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("a picked task has no number: " + number, e);
            }
        }
    }

    /** The name of a task: its index, {@code key=value,…}, or the name in its item or line. */
    public static String name(TaskSource source, long ordinal, Optional<String> payload) {
        return Place.of(source, ordinal, payload).item().name();
    }

    /** Whether the first failure of a task ends it as pending; not of one that cannot be read. */
    public static boolean muted(TaskSource source, long ordinal, Optional<String> payload) {
        try {
            return payload.filter(text -> text.contains(MUTED)).isPresent()
                    && Place.of(source, ordinal, payload).item().muted();
        } catch (IllegalArgumentException unreadable) {
            return false;
        }
    }

    /**
     * One run of a task.
     *
     * @param payload as claimed; needed for fed sources only
     * @throws InputTooLargeException when references grow beyond the slot's input, or two inputs together beyond their
     *     bound
     * @throws IllegalArgumentException when the payload is no item of the source, the source lacks the ordinal, or a
     *     handler's task has arguments
     */
    public static TaskInvocation render(
            ExecutionSpec spec, long ordinal, Optional<String> payload, int trial, SlotFacts facts) {
        Place place = Place.of(spec.source(), ordinal, payload);
        OrdinalItem item = place.item();
        Map<String, String> own = new LinkedHashMap<>();
        References references = new References(own, facts.inputBytes());
        putEnvironment(own, references, spec, item, place.ordinal(), trial, facts);
        return switch (spec.execution()) {
            case Execution.Command run -> {
                List<String> argv = new ArrayList<>();
                run.command().forEach(word -> argv.add(references.expand("command", word)));
                run.args().forEach(word -> argv.add(references.expand("args", word)));
                item.args().forEach(word -> argv.add(references.expand("args of the item", word)));
                yield new TaskInvocation.Command(
                        item.name(), List.copyOf(argv), own, run.workingDir(), commandInput(spec, place));
            }
            case Execution.Handler(String handler) -> {
                Map<String, String> keys = inputKeys(place);
                if (keys.isEmpty() && !item.args().isEmpty()) {
                    throw new IllegalArgumentException("item \"" + item.name() + "\" has args " + item.args()
                            + ", but handler \"" + handler + "\" takes none: use input");
                }
                own.keySet().removeAll(SLOT_ONLY);
                yield new TaskInvocation.Handler(item.name(), handler, own, payload(spec, item, keys));
            }
        };
    }

    /**
     * Quiver's variables, the keys of a matrix, variables of the set and of the item. Each may refer to earlier ones.
     */
    private static void putEnvironment(
            Map<String, String> own,
            References references,
            ExecutionSpec spec,
            OrdinalItem item,
            long ordinal,
            int trial,
            SlotFacts facts) {
        own.put("QUIVER_TASK", item.name());
        own.put("QUIVER_INDEX", Long.toString(ordinal));
        own.put("QUIVER_TASKSET", spec.taskSet());
        own.put("QUIVER_TRIAL", Integer.toString(trial));
        own.put("QUIVER_SLOT", Integer.toString(facts.slot()));
        own.put("QUIVER_POD_NAME", facts.podName());
        own.put("QUIVER_INPUT", facts.inputPath());
        own.put("QUIVER_OUTPUT", facts.outputPath());
        own.putAll(item.matrix());
        for (List<EnvVar> variables : List.of(spec.env(), item.env())) {
            for (EnvVar variable : variables) {
                own.put(variable.name(), references.expand("env " + variable.name(), variable.value()));
            }
        }
    }

    /**
     * A command has its matrix or line as environment and argument. Its input contains them only if it has an input.
     */
    private static ExecutionInput.Payload commandInput(ExecutionSpec spec, Place place) {
        OrdinalItem item = place.item();
        boolean given = spec.input().isPresent() || item.input().isPresent();
        return given ? payload(spec, item, inputKeys(place)) : ExecutionInput.Payload.NONE;
    }

    private static ExecutionInput.Payload payload(ExecutionSpec spec, OrdinalItem item, Map<String, String> keys) {
        return EffectiveInput.of(spec.input(), keys, item.input());
    }

    private static Map<String, String> inputKeys(Place place) {
        return place.source() instanceof TaskSource.Lines && place.payload().isPresent()
                ? OrdinalItem.inputKeys(place.payload().get())
                : place.item().matrix();
    }

    private static OrdinalItem item(TaskSource source, long ordinal, Optional<String> payload) {
        return switch (source) {
            case TaskSource.Count count -> {
                if (ordinal < 0 || ordinal >= count.tasks()) {
                    throw new IllegalArgumentException("ordinal " + ordinal + " is not below " + count.tasks());
                }
                yield OrdinalItem.named(Long.toString(ordinal));
            }
            case TaskSource.Matrix matrix -> OrdinalItem.ofMatrix(MatrixOrder.at(matrix.keys(), ordinal));
            case TaskSource.Items items -> OrdinalItem.ofJson(required(payload, ordinal));
            case TaskSource.Lines lines -> OrdinalItem.ofLine(required(payload, ordinal));
            case TaskSource.Picked _ ->
                throw new IllegalArgumentException("tasks of a picked source are looked up there");
        };
    }

    private static String required(Optional<String> payload, long ordinal) {
        return payload.orElseThrow(() -> new IllegalArgumentException("task " + ordinal + " has no payload"));
    }
}
