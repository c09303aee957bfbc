package dev.quiver.slots;

import static dev.quiver.slots.SlotState.CANCELLED;
import static dev.quiver.slots.SlotState.CLEANING;
import static dev.quiver.slots.SlotState.COMPLETE;
import static dev.quiver.slots.SlotState.FAILED;
import static dev.quiver.slots.SlotState.PENDING;
import static dev.quiver.slots.SlotState.RETRY;
import static dev.quiver.slots.SlotState.RUNNING;
import static dev.quiver.slots.SlotState.WAITING;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Which state may follow which, as drawn in DESIGN.md: what the model does and what real processes are seen to do. */
final class StateTable {
    /** One store of either word. */
    static final Set<Edge> EDGES = Set.of(
            new Edge(WAITING, PENDING),
            new Edge(PENDING, RUNNING),
            new Edge(PENDING, CANCELLED),
            new Edge(PENDING, RETRY), // not begun: it could not be started, or the worker ends
            new Edge(RUNNING, COMPLETE),
            new Edge(RUNNING, RETRY),
            new Edge(RUNNING, CANCELLED),
            new Edge(COMPLETE, CANCELLED), // the result crossed the cancel
            new Edge(RETRY, CANCELLED),
            new Edge(COMPLETE, CLEANING),
            new Edge(COMPLETE, PENDING), // acknowledged by the next dispatch
            new Edge(RETRY, FAILED),
            new Edge(RETRY, PENDING),
            new Edge(FAILED, CLEANING),
            new Edge(CANCELLED, CLEANING),
            new Edge(CLEANING, WAITING));

    private static final Map<SlotState, Set<SlotState>> REACHED = closeWithinATask();

    private StateTable() {}

    record Edge(SlotState from, SlotState to) {
        @Override
        public String toString() {
            return from + " → " + to;
        }
    }

    /** Whether some steps lead from the one to the other without a dispatch in between. */
    static boolean mayFollow(SlotState from, SlotState to) {
        return from == to || REACHED.get(from).contains(to);
    }

    private static Map<SlotState, Set<SlotState>> closeWithinATask() {
        Map<SlotState, Set<SlotState>> reached = new EnumMap<>(SlotState.class);
        for (SlotState from : SlotState.values()) {
            reached.put(from, EnumSet.noneOf(SlotState.class));
        }
        List<Edge> edges = EDGES.stream().filter(edge -> edge.to() != PENDING).collect(Collectors.toList());
        boolean more = true;
        while (more) {
            more = false;
            for (Edge edge : edges) {
                Set<SlotState> beyond = EnumSet.of(edge.to());
                beyond.addAll(reached.get(edge.to()));
                more |= reached.get(edge.from()).addAll(beyond);
            }
        }
        return reached;
    }
}
