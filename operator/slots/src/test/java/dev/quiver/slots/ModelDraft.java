package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quiver.slots.ProtocolModel.Handler;
import dev.quiver.slots.ProtocolModel.Message;
import dev.quiver.slots.ProtocolModel.Phase;
import dev.quiver.slots.ProtocolModel.Runner;

/** A state of the model under construction; fields as in {@link ProtocolModel}. */
final class ModelDraft {
    long s;
    boolean call;
    long u;
    long mapped;
    boolean unseen;
    boolean sent;
    boolean agentUp;
    boolean draining;
    Runner runner = Runner.UNBORN;
    int process;
    boolean orphan;
    Handler handler = Handler.NONE;
    Message toRunner = Message.NONE;
    boolean go;
    int asked;
    Phase supervisor = Phase.UNKNOWN;
    boolean supervisorUp;
    boolean gone;
    int claim;
    int settled;
    boolean cancelled;
    int crashes;
    int started;
    int passed;

    ModelDraft() {}

    ModelDraft(ProtocolModel m) {
        s = m.s();
        call = m.call();
        u = m.u();
        mapped = m.mapped();
        unseen = m.unseen();
        sent = m.sent();
        agentUp = m.agentUp();
        draining = m.draining();
        runner = m.runner();
        process = m.process();
        orphan = m.orphan();
        handler = m.handler();
        toRunner = m.toRunner();
        go = m.go();
        asked = m.asked();
        supervisor = m.supervisor();
        supervisorUp = m.supervisorUp();
        gone = m.gone();
        claim = m.claim();
        settled = m.settled();
        cancelled = m.cancelled();
        crashes = m.crashes();
        started = m.started();
        passed = m.passed();
    }

    void storeS(long generation, Op op) {
        s = Words.of(generation, op);
    }

    void storeU(long generation, Stage stage) {
        long word = Words.of(generation, stage);
        assertThat(SlotRules.mayFollow(u, word))
                .as(Words.text(s, u) + " → " + word)
                .isTrue();
        u = word;
    }

    /** The handler and its end of the pair are gone; what it did not take is lost with it. */
    void handlerEnds() {
        handler = Handler.NONE;
        toRunner = Message.NONE;
        go = false;
        asked = 0;
    }

    ProtocolModel state() {
        return new ProtocolModel(
                s,
                call,
                u,
                mapped,
                unseen,
                sent,
                agentUp,
                draining,
                runner,
                process,
                orphan,
                handler,
                toRunner,
                go,
                asked,
                supervisor,
                supervisorUp,
                gone,
                claim,
                settled,
                cancelled,
                crashes,
                started,
                passed);
    }
}
