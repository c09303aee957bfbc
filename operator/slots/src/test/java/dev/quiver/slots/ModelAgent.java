package dev.quiver.slots;

import java.util.List;

import dev.quiver.slots.ProtocolModel.Handler;
import dev.quiver.slots.ProtocolModel.Runner;
import dev.quiver.slots.ProtocolModel.Step;

/** The agent: sends exec before anything starts, replaces runners after it has killed what theirs left, drains. */
final class ModelAgent {
    private ModelAgent() {}

    static void add(ProtocolModel m, List<Step> steps) {
        if (!m.agentUp()) {
            steps.add(new Step("agent comes back", m.but(ModelAgent::comeBack)));
        } else if (m.orphan()) {
            steps.add(new Step("agent kills the orphans", m.but(next -> {
                next.process = 0;
                next.orphan = false;
                next.handlerEnds();
            })));
        } else if (m.runner() == Runner.UNBORN && m.supervisorUp()) {
            steps.add(new Step("exec is sent, then runners start", m.but(next -> {
                next.sent = true;
                next.runner = Runner.IDLE;
            })));
        } else if (m.runner() == Runner.DEAD) {
            steps.add(new Step("runner is replaced", m.but(next -> next.runner = Runner.IDLE)));
        }
        if (m.draining() && m.process() == 0 && !m.handler().lives() && m.stage() == Stage.READY) {
            steps.add(new Step("the drained agent leaves", ModelCrash.agentEnds(m)));
        }
    }

    private static void comeBack(ModelDraft next) {
        next.u = Words.of(Words.generation(next.s), Stage.READY);
        next.unseen = true;
        next.runner = Runner.UNBORN;
        next.agentUp = true;
        next.handler = Handler.NONE;
    }
}
