package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every order of steps of one slot's protocol, with crashes of supervisor, agent and runner before every step. */
class ProtocolModelTest {
    private static final Map<ProtocolModel, List<ProtocolModel>> BEFORE = new HashMap<>();
    private static final Set<SlotState> STATES = new HashSet<>();

    /** The model's own assertions hold in every state that is met here. */
    @BeforeAll
    static void searchEverything() {
        Deque<ProtocolModel> open = new ArrayDeque<>(List.of(ProtocolModel.initial()));
        BEFORE.put(ProtocolModel.initial(), new ArrayList<>());
        while (!open.isEmpty()) {
            ProtocolModel state = open.pop();
            check(state);
            for (ProtocolModel.Step step : state.deaths()) {
                reach(step.to(), open);
            }
            for (ProtocolModel.Step step : state.steps()) {
                reach(step.to(), open);
                BEFORE.get(step.to()).add(state); // only crash-free steps lead to an end
            }
        }
    }

    private static void reach(ProtocolModel next, Deque<ProtocolModel> open) {
        if (!BEFORE.containsKey(next)) {
            BEFORE.put(next, new ArrayList<>());
            open.push(next);
        }
    }

    private static void check(ProtocolModel state) {
        STATES.add(state.state(state.u()));
        if (state.mapped() >= 0) {
            state.state(state.mapped());
        }
        assertThat(state.settled()).as("counted once").isLessThanOrEqualTo(1);
        if (state.process() != 0 && !state.orphan()) {
            assertThat(state.u())
                    .as("a process runs only under its own word")
                    .isEqualTo(Words.of(state.process(), Stage.RUNNING));
        }
    }

    @Test
    void meetsEachOfTheEightStatesAndNoImpossiblePair() {
        assertThat(STATES).containsExactlyInAnyOrder(SlotState.values());
        assertThat(BEFORE).hasSizeGreaterThan(10_000);
    }

    @Test
    void comesToAnEndFromEveryStateWithoutFurtherCrashes() {
        Set<ProtocolModel> ending = new HashSet<>();
        Deque<ProtocolModel> open = new ArrayDeque<>();
        BEFORE.keySet().stream().filter(ProtocolModelTest::ends).forEach(state -> {
            ending.add(state);
            open.add(state);
        });
        while (!open.isEmpty()) {
            for (ProtocolModel before : BEFORE.get(open.pop())) {
                if (ending.add(before)) {
                    open.push(before);
                }
            }
        }
        assertThat(BEFORE.keySet().stream()
                        .filter(state -> !ending.contains(state))
                        .findAny())
                .isEmpty();
    }

    /** Over; or free and out of the generations that the search allows. */
    private static boolean ends(ProtocolModel state) {
        return state.isOver()
                || (Words.generation(state.s()) == ProtocolModel.MOST_GENERATIONS
                        && state.supervisor() == ProtocolModel.Phase.FREE);
    }
}
