package dev.quiver.bench.scheduling;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Times of one kind, in a unit of the caller's. Not thread-safe. */
final class Times {

    private final List<Double> all = new ArrayList<>();

    void add(double time) {
        all.add(time);
    }

    int count() {
        return all.size();
    }

    double mean() {
        return all.stream().mapToDouble(time -> time).average().orElseThrow();
    }

    /** Among 100 times one that so many are not above. */
    double percentile(double percent) {
        List<Double> sorted = new ArrayList<>(all);
        Collections.sort(sorted);
        return sorted.get((int) Math.min(sorted.size() - 1L, (long) (sorted.size() * percent / 100)));
    }
}
