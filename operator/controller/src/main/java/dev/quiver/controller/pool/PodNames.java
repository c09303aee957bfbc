package dev.quiver.controller.pool;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Names worker pods {@code <pool>-<hash>-<ordinal>} with the lowest free ordinals. A terminating pod's name is taken.
 * So two leaders, or a stale cache, choose the same name, and the API server refuses the second pod. Pure.
 */
final class PodNames {

    private PodNames() {}

    /** The next names for pods of that hash, none of them in {@code taken}. */
    static List<String> next(String pool, String hash, Set<String> taken, int count) {
        List<String> names = new ArrayList<>(count);
        for (int ordinal = 0; names.size() < count; ordinal++) {
            String name = pool + "-" + hash + "-" + ordinal;
            if (!taken.contains(name)) {
                names.add(name);
            }
        }
        return names;
    }

    /** The number at the end of a worker pod's name. */
    static OptionalInt ordinal(String podName) {
        String tail = podName.substring(podName.lastIndexOf('-') + 1);
        boolean digits = !tail.isEmpty() && tail.length() < 10 && tail.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits ? OptionalInt.of(Integer.parseInt(tail)) : OptionalInt.empty();
    }
}
