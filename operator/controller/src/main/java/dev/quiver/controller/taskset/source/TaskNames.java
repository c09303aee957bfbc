package dev.quiver.controller.taskset.source;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The names of a run's tasks while its source is read, with the position of each. Only distinct names are kept, and the
 * API server accepts a ConfigMap of at most 1 MiB. That is room for about 260,000 names, some 15 MB here.
 */
final class TaskNames {

    private final Map<String, Integer> positions = new HashMap<>();

    /**
     * Notes a name.
     *
     * @param position of the name in its source
     * @return position of the same name before; then it is not noted again
     */
    OptionalInt add(String name, int position) {
        Integer earlier = positions.putIfAbsent(name, position);
        return earlier == null ? OptionalInt.empty() : OptionalInt.of(earlier);
    }
}
