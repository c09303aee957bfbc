package dev.quiver.slots;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** Every state that can be reached from a first one, and which of them can still come to an end. */
final class StateSpace<S> {
    private final Map<S, Integer> numbers = new HashMap<>();
    private final List<S> states = new ArrayList<>();
    private int[] from = new int[1 << 16]; // edges that count for coming to an end
    private int[] to = new int[1 << 16];
    private int edges;

    /**
     * Searches it whole.
     *
     * @param steps what leads towards an end
     * @param mishaps what happens, but nobody may count on
     * @param check called once with each state
     */
    StateSpace(S first, Function<S, List<S>> steps, Function<S, List<S>> mishaps, Consumer<S> check) {
        number(first);
        for (int i = 0; i < states.size(); i++) {
            S state = states.get(i);
            check.accept(state);
            mishaps.apply(state).forEach(this::number);
            for (S next : steps.apply(state)) {
                edge(i, number(next));
            }
        }
    }

    private int number(S state) {
        Integer known = numbers.putIfAbsent(state, states.size());
        if (known == null) {
            states.add(state);
            return states.size() - 1;
        }
        return known;
    }

    private void edge(int source, int target) {
        if (edges == from.length) {
            from = Arrays.copyOf(from, 2 * edges);
            to = Arrays.copyOf(to, 2 * edges);
        }
        from[edges] = source;
        to[edges++] = target;
    }

    int size() {
        return states.size();
    }

    /** A state from which no steps lead to an end, if there is one. */
    Optional<S> stuck(Predicate<S> isEnd) {
        int[][] before = before();
        boolean[] ending = new boolean[states.size()];
        int[] open = new int[states.size()];
        int count = 0;
        for (int i = 0; i < ending.length; i++) {
            if (isEnd.test(states.get(i))) {
                ending[i] = true;
                open[count++] = i;
            }
        }
        while (count > 0) {
            for (int i : before[open[--count]]) {
                if (!ending[i]) {
                    ending[i] = true;
                    open[count++] = i;
                }
            }
        }
        for (int i = 0; i < ending.length; i++) {
            if (!ending[i]) {
                return Optional.of(states.get(i));
            }
        }
        return Optional.empty();
    }

    private int[][] before() {
        int[] counts = new int[states.size()];
        for (int e = 0; e < edges; e++) {
            counts[to[e]]++;
        }
        int[][] before = new int[states.size()][];
        Arrays.setAll(before, i -> new int[counts[i]]);
        for (int e = 0; e < edges; e++) {
            before[to[e]][--counts[to[e]]] = from[e];
        }
        return before;
    }
}
