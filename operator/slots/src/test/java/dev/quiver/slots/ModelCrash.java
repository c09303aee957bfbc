package dev.quiver.slots;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.slots.ProtocolModel.Handler;
import dev.quiver.slots.ProtocolModel.Phase;
import dev.quiver.slots.ProtocolModel.Runner;
import dev.quiver.slots.ProtocolModel.Step;

/** The processes that can die, at any time; and the order to drain, which may come as badly. */
final class ModelCrash {
    static final int MOST = 2;

    private ModelCrash() {}

    static List<Step> of(ProtocolModel m) {
        List<Step> steps = new ArrayList<>();
        if (m.crashes() == MOST) {
            return steps;
        }
        if (m.supervisorUp()) {
            steps.add(crash("supervisor dies", m.but(next -> {
                next.supervisor = Phase.UNKNOWN;
                next.supervisorUp = false;
            })));
        }
        if (!m.agentUp()) {
            return steps;
        }
        steps.add(crash("agent dies", agentEnds(m)));
        if (m.runner() != Runner.DEAD && m.runner() != Runner.UNBORN) {
            steps.add(crash("runner dies", m.but(next -> {
                next.runner = Runner.DEAD;
                next.orphan = m.process() != 0 || m.handler() != Handler.NONE;
            })));
        }
        if (m.handler().lives()) {
            steps.add(crash("handler dies", m.but(next -> next.handler = Handler.DEAD)));
        }
        if (m.handler() == Handler.IDLE || (m.handler() == Handler.AWAITS_TURN && m.go())) {
            steps.add(crash("handler wedges", m.but(next -> {
                next.go = false;
                next.handler = Handler.WEDGED;
            })));
        }
        if (!m.draining()) {
            steps.add(crash("drain", m.but(next -> next.draining = true)));
        }
        return steps;
    }

    /** And with it its runners and every process: the kernel ends the container. */
    static ProtocolModel agentEnds(ProtocolModel m) {
        // An exec that was sent is read before the next one: as well at once as later.
        ProtocolModel last = m.unseen() && m.sent() && m.supervisorUp() ? ModelSupervisor.arrive(m) : m;
        return last.but(next -> {
            next.mapped = last.visibleU();
            next.unseen = true;
            next.sent = false;
            next.process = 0;
            next.orphan = false;
            next.handlerEnds();
            next.runner = Runner.DEAD;
            next.agentUp = false;
            next.draining = false;
        });
    }

    private static Step crash(String name, ProtocolModel to) {
        return new Step(name, to.but(next -> next.crashes++));
    }
}
