package dev.quiver.lifecycle.ordinals;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The order of a matrix' combinations: the last key varies fastest. */
final class MatrixOrder {

    private MatrixOrder() {}

    static Map<String, List<String>> copy(Map<String, List<String>> keys) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("matrix must have at least one key");
        }
        Map<String, List<String>> copy = new LinkedHashMap<>();
        keys.forEach((key, values) -> {
            if (values.isEmpty()) {
                throw new IllegalArgumentException("matrix key " + key + " must have at least one value");
            }
            copy.put(key, List.copyOf(values));
        });
        return Collections.unmodifiableMap(copy);
    }

    static long size(Map<String, List<String>> keys) {
        return keys.values().stream().mapToLong(List::size).reduce(1, Math::multiplyExact);
    }

    /** The values of one combination, keys in their order. */
    static Map<String, String> at(Map<String, List<String>> keys, long ordinal) {
        long size = size(keys);
        if (ordinal < 0 || ordinal >= size) {
            throw new IllegalArgumentException("ordinal " + ordinal + " is not below " + size);
        }
        Map<String, String> chosen = new LinkedHashMap<>();
        long stride = size;
        long rest = ordinal;
        for (Map.Entry<String, List<String>> key : keys.entrySet()) {
            stride /= key.getValue().size();
            chosen.put(key.getKey(), key.getValue().get((int) (rest / stride)));
            rest %= stride;
        }
        return chosen;
    }
}
