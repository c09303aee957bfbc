package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import dev.quiver.slots.ProtocolModel.Handler;
import dev.quiver.slots.ProtocolModel.Message;
import dev.quiver.slots.ProtocolModel.Step;

/**
 * The handler process: as libquiver does. It may also never answer, at work as well as between two tasks; the runner's
 * kill makes up for that.
 */
final class ModelHandler {
    private ModelHandler() {}

    static void add(ProtocolModel m, List<Step> steps) {
        int g = m.mine();
        switch (m.handler()) {
            case NONE, DEAD, WEDGED -> {
                // The runner acts.
            }
            case IMPORTING ->
                steps.add(new Step("HELLO", m.but(next -> {
                    next.toRunner = Message.HELLO;
                    next.handler = Handler.AWAITS_TURN;
                })));
            case AWAITS_TURN -> {
                if (m.go()) {
                    steps.add(new Step("take the turn", m.but(next -> {
                        next.go = false;
                        next.handler = Handler.IDLE;
                    })));
                }
            }
            case IDLE -> idle(m, steps);
            case WORK -> {
                steps.add(new Step("it returns", m.but(next -> {
                    next.passed |= 1 << g;
                    next.handler = Handler.STORE_PASS;
                })));
                steps.add(then(m, "it raises", Handler.STORE_FAIL));
                if (m.asked() == g) {
                    steps.add(then(m, "it stops", Handler.STORE_CLEANING));
                }
            }
            case STORE_PASS -> steps.add(stores(m, g, Stage.COMPLETE, Handler.IDLE));
            case STORE_FAIL -> steps.add(stores(m, g, Stage.RETRY, Handler.IDLE));
            case STORE_CLEANING -> steps.add(stores(m, g, Stage.CLEANING, Handler.DROP_INPUT));
            case DROP_INPUT -> {
                steps.add(then(m, "the input is dropped", Handler.STORE_READY));
                steps.add(yields(m, Message.REPLACE));
            }
            case STORE_READY -> steps.add(stores(m, g, Stage.READY, Handler.IDLE));
        }
    }

    private static void idle(ProtocolModel m, List<Step> steps) {
        int g = m.mine();
        int dispatched = m.dispatched();
        Op op = Words.op(m.s()).orElseThrow();
        Stage stage = m.stage();
        assertThat(stage).as("the turn was given in the middle").isNotIn(Stage.RUNNING, Stage.CLEANING);
        if (dispatched == g + 1 && op == Op.RUN && m.call()) {
            ProtocolModel begun =
                    stores(m, dispatched, Stage.RUNNING, Handler.WORK).to();
            steps.add(new Step("begin", begun.but(next -> next.started |= 1 << dispatched)));
        } else if (dispatched == g + 1 && op == Op.RUN) {
            steps.add(yields(m, Message.COMMAND));
        } else if (dispatched == g + 1 && op == Op.CANCEL) {
            steps.add(stores(m, dispatched, Stage.CLEANING, Handler.STORE_READY));
        } else if (dispatched == g && stage != Stage.READY && (op == Op.ACKNOWLEDGE || op == Op.CANCEL)) {
            steps.add(then(m, "handler cleans", Handler.STORE_CLEANING));
        }
        if (dispatched == g + 1 && stage != Stage.READY) {
            steps.add(yields(m, Message.REPLACE));
        }
        if (m.draining() && (stage == Stage.READY || dispatched == g + 1)) {
            steps.add(then(m, "handler sees STOP", Handler.DEAD));
        }
    }

    private static Step then(ProtocolModel m, String name, Handler handler) {
        return new Step(name, m.but(next -> next.handler = handler));
    }

    private static Step yields(ProtocolModel m, Message message) {
        return new Step(message.name(), m.but(next -> {
            next.toRunner = message;
            next.handler = Handler.AWAITS_TURN;
        }));
    }

    private static Step stores(ProtocolModel m, int generation, Stage stage, Handler handler) {
        return new Step("handler: U = " + stage, m.but(next -> {
            next.storeU(generation, stage);
            next.handler = handler;
        }));
    }
}
