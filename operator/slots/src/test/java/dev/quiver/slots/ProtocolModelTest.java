package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import dev.quiver.slots.ProtocolModel.Handler;
import dev.quiver.slots.ProtocolModel.Runner;

/**
 * Every order of steps of one slot's protocol, for commands and handlers, with crashes of supervisor, agent, runner and
 * handler before every step. The model's own assertions hold in every state that is met here.
 */
class ProtocolModelTest {
    private static final Set<SlotState> STATES = EnumSet.noneOf(SlotState.class);
    private static final Set<String> STEPS = new TreeSet<>();
    private static final Set<StateTable.Edge> MOVES = new HashSet<>();
    private static StateSpace<ProtocolModel> space;

    @BeforeAll
    static void searchEverything() {
        space = new StateSpace<>(
                ProtocolModel.initial(),
                state -> named(state, state.steps()),
                state -> named(state, ModelCrash.of(state)),
                ProtocolModelTest::check);
    }

    private static List<ProtocolModel> named(ProtocolModel from, List<ProtocolModel.Step> steps) {
        for (ProtocolModel.Step step : steps) {
            STEPS.add(step.name());
            SlotState before = from.state(from.u());
            SlotState after = step.to().state(step.to().u());
            if (before != after
                    && !step.name().equals("agent comes back")) { // another exec: no move of this one's word
                MOVES.add(new StateTable.Edge(before, after));
            }
        }
        return steps.stream().map(ProtocolModel.Step::to).toList();
    }

    private static void check(ProtocolModel state) {
        STATES.add(state.state(state.u()));
        if (state.mapped() >= 0) {
            state.state(state.mapped());
        }
        boolean handlersTurn = state.handler().hasTurn() || state.go();
        if (state.settled() > 1) {
            throw new AssertionError("counted twice: " + state);
        }
        if (handlersTurn && state.runnerHasTurn()) {
            throw new AssertionError("U has two writers: " + state);
        }
        if (handlersTurn && state.process() != 0) {
            throw new AssertionError("a command runs in the handler's turn: " + state);
        }
        if (state.process() != 0 && !state.orphan() && state.u() != Words.of(state.process(), Stage.RUNNING)) {
            throw new AssertionError("a command runs under another word: " + state);
        }
        if (state.handler() == Handler.WORK && state.stage() != Stage.RUNNING) {
            throw new AssertionError("a handler works under another word: " + state);
        }
        boolean somebody = state.runner() == Runner.IDLE || state.runner() == Runner.SPAWN;
        if (somebody && state.orphan()) {
            throw new AssertionError("a new runner beside what the old one left: " + state);
        }
    }

    @Test
    void meetsEachOfTheEightStatesAndNoImpossiblePair() {
        assertThat(STATES).containsExactlyInAnyOrder(SlotState.values());
        assertThat(space.size()).isGreaterThan(100_000);
    }

    @Test
    void takesEveryEdgeOfTheTableAndNoOther() {
        assertThat(MOVES).containsExactlyInAnyOrderElementsOf(StateTable.EDGES);
    }

    @Test
    void takesEveryStepOfEveryParty() {
        assertThat(STEPS)
                .contains(
                        "take the turn",
                        "COMMAND",
                        "REPLACE",
                        "CANCEL",
                        "hear COMMAND",
                        "hear REPLACE",
                        "it does not stop",
                        "it does not clean",
                        "handler wedges",
                        "it does not take its task",
                        "it does not give the turn back",
                        "it does not leave",
                        "Redis gives the next trial to the same slot",
                        "Redis gives the next task to the same slot",
                        "clean over an ended trial",
                        "refuse: not clean",
                        "it stops",
                        "the deadline passes",
                        "the handler died three times",
                        "reap the handler",
                        "handler dies",
                        "handler sees STOP",
                        "refuse: drained",
                        "the drained agent leaves",
                        "another worker passes it",
                        "agent kills the orphans",
                        "Redis refuses");
    }

    @Test
    void comesToAnEndFromEveryStateWithoutFurtherCrashes() {
        assertThat(space.stuck(ProtocolModelTest::ends)).isEmpty();
    }

    /** Over; or free and out of the generations that the search allows. */
    private static boolean ends(ProtocolModel state) {
        return state.isOver()
                || (state.dispatched() == ModelSupervisor.MOST_GENERATIONS
                        && state.supervisor() == ProtocolModel.Phase.FREE);
    }
}
