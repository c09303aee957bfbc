package dev.quiver.sdk;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A complex task's state and markers for a key, as its functions get them. Texts are JSON, as they are kept.
 *
 * @param key whose state it is
 * @param state fields to their values
 * @param marker that is executed; empty for a plan
 * @param markers of a plan alone: ids to objects of what each says, {@code left} tasks of it, and {@code error} where one failed
 *     for good
 * @param args of the request, or of the marker
 */
public record Kept(
        String key,
        Map<String, String> state,
        Optional<String> marker,
        Map<String, String> markers,
        List<String> args) {

    /** Copies the lists. */
    public Kept {
        state = Map.copyOf(state);
        markers = Map.copyOf(markers);
        args = List.copyOf(args);
    }

    /**
     * The last argument of a call, which the worker has read.
     *
     * @throws InputInvalidException for a call of somebody who gave no complexKey
     */
    static Kept of(Input input, boolean plans, String handler) {
        List<String> args = input.arguments();
        Map<String, String> last =
                args.isEmpty() || !args.getLast().startsWith("{") ? Map.of() : JsonText.members(args.getLast());
        if (!last.containsKey("state") || !last.containsKey(plans ? "markers" : "marker")) {
            throw new InputInvalidException(handler + " is of a complex task: a call of it needs complexKey");
        }
        return new Kept(
                JsonValues.text(last.get("key")).orElseThrow(),
                JsonValues.members(last.get("state")),
                Optional.ofNullable(last.get("marker")).flatMap(JsonValues::text),
                plans ? JsonValues.members(last.get("markers")) : Map.of(),
                args.subList(0, args.size() - 1));
    }
}
