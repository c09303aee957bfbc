package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import dev.quiver.slots.ProtocolModel.Phase;
import dev.quiver.slots.ProtocolModel.Step;

/** The supervisor with what Redis has recorded: claims, settles, adopts what it finds if Redis still gives it to it. */
final class ModelSupervisor {
    static final int MOST_GENERATIONS = 3;

    private ModelSupervisor() {}

    static void add(ProtocolModel m, List<Step> steps) {
        if (!m.cancelled() && m.settled() == 0) {
            steps.add(new Step("user cancels", m.but(next -> next.cancelled = true)));
        }
        if (!m.supervisorUp()) {
            away(m, steps);
            return;
        }
        boolean runnersStarted = m.agentUp() && m.runner() != ProtocolModel.Runner.UNBORN;
        if (m.unseen() && runnersStarted && !m.sent()) {
            steps.add(new Step("exec is sent again", m.but(next -> next.sent = true)));
        } else if (m.unseen() && m.agentUp() && m.sent()) {
            steps.add(new Step("exec arrives", arrive(m)));
        }
        decide(m, steps);
        if (m.visibleU() >= 0 && m.supervisor() != Phase.UNKNOWN) {
            look(m, steps);
        }
    }

    private static void away(ProtocolModel m, List<Step> steps) {
        steps.add(new Step("supervisor comes back", m.but(next -> {
            next.sent = false;
            next.mapped = -1;
            next.unseen = true;
            next.supervisorUp = true;
        })));
        if (m.claim() != 0) {
            // The lease ran out: Redis gives the task to another worker, which may pass it meanwhile.
            steps.add(new Step("Redis takes the lease back", m.but(next -> next.claim = 0)));
            if (m.settled() == 0 && !m.cancelled()) {
                steps.add(new Step("another worker passes it", m.but(next -> {
                    next.claim = 0;
                    next.settled++;
                })));
            }
        }
    }

    private static void decide(ProtocolModel m, List<Step> steps) {
        int g = m.dispatched();
        boolean wanted = m.settled() == 0 && !m.cancelled();
        switch (m.supervisor()) {
            case FREE -> {
                if (m.claim() == 0 && wanted && g < MOST_GENERATIONS) {
                    steps.add(new Step("Redis records the claim", m.but(next -> next.claim = g + 1)));
                }
                if (m.claim() == g + 1) {
                    steps.add(dispatch(m, false));
                    steps.add(dispatch(m, true));
                }
            }
            case HELD -> {
                boolean notOurs = m.cancelled() || m.claim() != g;
                if (notOurs && m.says(g, Op.RUN)) {
                    steps.add(new Step("S = cancel", m.but(next -> next.storeS(g, Op.CANCEL))));
                }
            }
            case REPORTED -> steps.add(settle(m, g));
            case SETTLED -> {
                boolean retry = !m.gone() && Words.stage(m.visibleU()).orElseThrow() == Stage.RETRY;
                steps.add(retry && m.says(g, Op.RUN) ? answers(m, Op.FAIL, Phase.FAIL_STORED) : acknowledges(m));
                if (retry && m.says(g, Op.RUN)) {
                    nextTrial(m, g, wanted, steps);
                } else if (!m.gone() && m.says(g, Op.RUN)) {
                    nextTask(m, g, wanted, steps);
                }
            }
            case FAIL_STORED -> steps.add(acknowledges(m));
            case UNKNOWN, LEAVING -> {
                // Waits for an executor's word.
            }
        }
    }

    /** The edge from retry to pending. The board has no such call; executors take the pair, and that is searched, too. */
    private static void nextTrial(ProtocolModel m, int g, boolean wanted, List<Step> steps) {
        if (m.claim() == 0 && wanted && g < MOST_GENERATIONS) {
            steps.add(new Step("Redis gives the next trial to the same slot", m.but(next -> next.claim = g + 1)));
        }
        if (m.claim() == g + 1) {
            steps.add(dispatch(m, m.call()));
        }
    }

    /**
     * Succession: the dispatch acknowledges a pass. The next task is another one, unless Redis refused this one's pass;
     * the search goes on with that one's claims and passes.
     */
    private static void nextTask(ProtocolModel m, int g, boolean wanted, List<Step> steps) {
        boolean over = m.settled() == 1 && !m.cancelled();
        if (m.claim() == 0 && (wanted || over) && g < MOST_GENERATIONS) {
            steps.add(new Step("Redis gives the next task to the same slot", m.but(next -> {
                next.claim = g + 1;
                next.settled = 0;
            })));
        }
        if (m.claim() == g + 1) {
            steps.add(dispatch(m, false));
            steps.add(dispatch(m, true));
        }
    }

    private static Step dispatch(ProtocolModel m, boolean call) {
        return new Step(call ? "S = run a handler" : "S = run a command", m.but(next -> {
            next.call = call;
            next.storeS(m.dispatched() + 1, Op.RUN);
            next.supervisor = Phase.HELD;
            next.gone = false;
        }));
    }

    private static Step acknowledges(ProtocolModel m) {
        return answers(m, Op.ACKNOWLEDGE, Phase.LEAVING);
    }

    private static Step answers(ProtocolModel m, Op op, Phase phase) {
        return new Step("S = " + op, m.but(next -> {
            next.storeS(m.dispatched(), op);
            next.supervisor = phase;
        }));
    }

    private static Step settle(ProtocolModel m, int g) {
        boolean pass = Words.stage(m.visibleU()).orElseThrow() == Stage.COMPLETE;
        boolean taken = m.claim() == g && !m.cancelled();
        if (taken && pass && !m.gone()) {
            assertThat(m.passed() & 1 << g).as("a pass of what did not pass").isNotZero();
        }
        return new Step(taken ? "Redis settles" : "Redis refuses", m.but(next -> {
            next.settled += taken && pass && !m.gone() ? 1 : 0;
            next.claim = m.claim() == g ? 0 : m.claim();
            next.supervisor = Phase.SETTLED;
        }));
    }

    private static void look(ProtocolModel m, List<Step> steps) {
        int g = m.dispatched();
        SlotState state = m.state(m.visibleU());
        if (m.supervisor() == Phase.HELD && (state == SlotState.COMPLETE || state == SlotState.RETRY)) {
            steps.add(new Step("report", m.but(next -> next.supervisor = Phase.REPORTED)));
        }
        if (state == SlotState.WAITING && (m.supervisor() == Phase.HELD || m.supervisor() == Phase.LEAVING)) {
            if (m.supervisor() == Phase.HELD) {
                assertThat(m.s()).as("the executor dropped its task").isEqualTo(Words.of(g, Op.CANCEL));
            }
            steps.add(new Step("ready", m.but(next -> becomeFree(next, g))));
        }
    }

    private static void becomeFree(ModelDraft next, int g) {
        next.claim = next.claim == g ? 0 : next.claim;
        next.supervisor = Phase.FREE;
    }

    /** An exec that the supervisor has not mapped yet: another agent's, or the first that this supervisor sees. */
    static ProtocolModel arrive(ProtocolModel m) {
        int g = m.dispatched();
        Optional<Long> old = m.mapped() < 0 ? Optional.empty() : Optional.of(m.mapped());
        return m.but(next -> {
            next.mapped = -1;
            next.unseen = false;
            switch (m.supervisor()) {
                case UNKNOWN -> find(m, g, next);
                case FREE, LEAVING -> {
                    if (m.state(m.u()) == SlotState.WAITING) {
                        becomeFree(next, g);
                    }
                }
                case REPORTED, SETTLED, FAIL_STORED -> next.gone = true;
                case HELD -> inherit(m, g, old, next);
            }
        });
    }

    private static void inherit(ProtocolModel m, int g, Optional<Long> old, ModelDraft next) {
        SlotRules.Inheritance inheritance = SlotRules.afterAgentReturned(m.s(), old, m.u());
        assertThat(inheritance).as("held, and nothing was under way").isNotEqualTo(SlotRules.Inheritance.NOTHING);
        if (inheritance == SlotRules.Inheritance.LOST_UNSTARTED) {
            assertThat(m.started() & 1 << g)
                    .as("no trial used, and yet it was started")
                    .isZero();
        }
        if (inheritance != SlotRules.Inheritance.CARRIED_ON) {
            becomeFree(next, g);
        }
    }

    /**
     * A supervisor that came back has only Redis and its own word. A task that Redis gives to another generation is
     * released. One that Redis still gives to this one is adopted. Everything else that is found is called off (see HELD).
     */
    private static void find(ProtocolModel m, int g, ModelDraft next) {
        next.claim = m.claim() == g ? g : 0;
        switch (m.state(m.u())) {
            case WAITING -> {
                next.claim = 0;
                next.supervisor = Phase.FREE;
            }
            case PENDING, RUNNING, COMPLETE, RETRY -> next.supervisor = Phase.HELD;
            case CANCELLED -> {
                next.storeS(g, Op.CANCEL);
                next.supervisor = Phase.HELD;
            }
            case FAILED -> next.supervisor = Phase.FAIL_STORED;
            case CLEANING -> next.supervisor = Phase.LEAVING;
        }
    }
}
