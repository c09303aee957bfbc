package dev.quiver.supervisor.engine.session;

import java.util.ArrayList;
import java.util.List;

/** Which sets a call asks about when they are more than it may: each in its turn. Belongs to the engine's thread. */
final class HeartbeatRotation {

    /** The contract allows so many in one call. */
    static final int MOST_SETS = 64;

    private String lastAsked = "";

    /** The next of these sets, in their order, from behind the one that was asked about last. */
    List<String> next(List<String> sets) {
        if (sets.size() <= MOST_SETS) {
            return sets;
        }
        int from = sets.indexOf(lastAsked) + 1;
        List<String> round = new ArrayList<>(sets.subList(from, sets.size()));
        round.addAll(sets.subList(0, from));
        List<String> asked = List.copyOf(round.subList(0, MOST_SETS));
        lastAsked = asked.getLast();
        return asked;
    }
}
