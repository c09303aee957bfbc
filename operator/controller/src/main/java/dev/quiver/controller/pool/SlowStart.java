package dev.quiver.controller.pool;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts work into batches of 1, 2, 4, 8 …. When the API server refuses all pods for the same reason, one request shows
 * it instead of a thousand. Pure.
 */
final class SlowStart {

    private SlowStart() {}

    /** The same elements in the same order, in growing batches. */
    static <T> List<List<T>> batches(List<T> all) {
        List<List<T>> batches = new ArrayList<>();
        int size = 1;
        for (int from = 0; from < all.size(); from += size, size *= 2) {
            batches.add(all.subList(from, Math.min(all.size(), from + size)));
        }
        return batches;
    }
}
