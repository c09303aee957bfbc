package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import dev.quiver.slots.ProtocolModel.Handler;
import dev.quiver.slots.ProtocolModel.Message;
import dev.quiver.slots.ProtocolModel.Runner;
import dev.quiver.slots.ProtocolModel.Step;

/** The runner: as {@code qv_duty_of} in the agent while it has the turn; keeps the handler while it has not. */
final class ModelRunner {
    private ModelRunner() {}

    static void add(ProtocolModel m, List<Step> steps) {
        int g = m.mine();
        switch (m.runner()) {
            case UNBORN, DEAD -> {
                // The agent acts.
            }
            case IDLE -> {
                duty(m, steps);
                nurse(m, steps);
            }
            case SPAWN -> {
                if (m.calledOff()) {
                    steps.add(then(m, "runner sees the cancel", Runner.STORE_CLEANING));
                }
                assertThat(m.process()).as("a second process at once").isZero();
                steps.add(new Step("spawn", m.but(next -> {
                    next.process = g;
                    next.started |= 1 << g;
                    next.runner = Runner.ATTEND;
                })));
            }
            case ATTEND -> {
                if (m.calledOff()) {
                    steps.add(ends(m, "kill", Runner.STORE_CLEANING));
                }
                steps.add(new Step(
                        "it passes", ends(m, "", Runner.STORE_PASS).to().but(next -> next.passed |= 1 << g)));
                steps.add(ends(m, "it fails", Runner.STORE_FAIL));
            }
            case STORE_PASS -> steps.add(stores(m, Stage.COMPLETE, Runner.IDLE));
            case STORE_FAIL -> steps.add(stores(m, Stage.RETRY, Runner.IDLE));
            case STORE_CLEANING -> steps.add(stores(m, Stage.CLEANING, Runner.STORE_READY));
            case STORE_READY -> steps.add(stores(m, Stage.READY, Runner.IDLE));
            case WATCH -> {
                watch(m, steps);
                nurse(m, steps);
            }
            case KILL ->
                steps.add(new Step("kill the handler", m.but(next -> {
                    next.handlerEnds();
                    next.runner = Runner.IDLE;
                })));
        }
    }

    /** With the turn: the duty table of the agent. */
    private static void duty(ProtocolModel m, List<Step> steps) {
        int g = m.mine();
        int dispatched = m.dispatched();
        Op op = Words.op(m.s()).orElseThrow();
        Stage stage = m.stage();
        if (stage == Stage.RUNNING && !m.calledOff()) {
            steps.add(stores(m, "U = retry for who died", g, Stage.RETRY, Runner.IDLE));
        } else if (stage == Stage.CLEANING || stage == Stage.RUNNING) {
            steps.add(stores(m, "resume cleaning", g, Stage.CLEANING, Runner.STORE_READY));
        } else if (dispatched == g + 1 && op == Op.RUN) {
            begin(m, dispatched, steps);
        } else if (dispatched == g + 1 && op == Op.CANCEL) {
            steps.add(stores(m, "discard", dispatched, Stage.CLEANING, Runner.STORE_READY));
        } else if (dispatched == g && stage != Stage.READY && (op == Op.ACKNOWLEDGE || op == Op.CANCEL)) {
            steps.add(then(m, "clean", Runner.STORE_CLEANING));
        }
    }

    private static void begin(ProtocolModel m, int dispatched, List<Step> steps) {
        if (m.draining()) {
            steps.add(stores(m, "refuse: drained", dispatched, Stage.RETRY, Runner.IDLE));
        } else if (m.stage() != Stage.READY) {
            steps.add(stores(m, "clean over an ended trial", m.mine(), Stage.READY, Runner.IDLE));
            steps.add(stores(m, "refuse: not clean", dispatched, Stage.RETRY, Runner.IDLE));
        } else if (!m.call()) {
            steps.add(stores(m, "U = running", dispatched, Stage.RUNNING, Runner.SPAWN));
        } else if (m.handler() == Handler.NONE) {
            steps.add(stores(m, "the handler died three times", dispatched, Stage.RETRY, Runner.IDLE));
        }
    }

    /** Starts, hears, reaps the handler, and gives it the turn when the slot is clean. */
    private static void nurse(ProtocolModel m, List<Step> steps) {
        boolean idle = m.runner() == Runner.IDLE;
        if (m.handler() == Handler.DEAD) {
            steps.add(new Step("reap the handler", m.but(next -> {
                next.handlerEnds();
                next.runner = Runner.IDLE;
            })));
        } else if (m.toRunner() == Message.HELLO) {
            steps.add(new Step("hear HELLO", m.but(next -> next.toRunner = Message.NONE)));
        } else if (idle && m.handler() == Handler.NONE && !m.draining()) {
            steps.add(new Step("start a handler", m.but(next -> next.handler = Handler.IMPORTING)));
        } else if (idle && m.handler() == Handler.AWAITS_TURN && m.stage() == Stage.READY && !m.draining()) {
            steps.add(new Step("GO", m.but(next -> {
                next.go = true;
                next.runner = Runner.WATCH;
            })));
        } else if (idle && m.draining() && m.handler().lives()) {
            steps.add(then(m, "end the idle handler", Runner.KILL));
        }
    }

    /** Without the turn: what the handler says, and what it is asked. */
    private static void watch(ProtocolModel m, List<Step> steps) {
        boolean running = m.stage() == Stage.RUNNING;
        if (m.toRunner() == Message.COMMAND) {
            steps.add(new Step("hear COMMAND", m.but(next -> {
                next.toRunner = Message.NONE;
                next.runner = Runner.IDLE;
            })));
        }
        if (m.toRunner() == Message.REPLACE) {
            steps.add(then(m, "hear REPLACE", Runner.KILL));
        }
        if (m.calledOff() && running && m.asked() != m.mine()) {
            steps.add(new Step("CANCEL", m.but(next -> next.asked = m.mine())));
        }
        if (m.calledOff() && running && m.asked() == m.mine()) {
            steps.add(then(m, "it does not stop", Runner.KILL));
        }
        if (running) {
            steps.add(then(m, "the deadline passes", Runner.KILL));
        }
        if (!running && m.stage() != Stage.READY && (m.calledOff() || m.says(m.mine(), Op.ACKNOWLEDGE))) {
            steps.add(then(m, "it does not clean", Runner.KILL));
        }
        if (m.dispatched() == m.mine() + 1) {
            boolean calledOff = m.says(m.dispatched(), Op.CANCEL);
            steps.add(then(m, calledOff ? "it does not give the turn back" : "it does not take its task", Runner.KILL));
        }
        if (m.draining() && m.stage() == Stage.READY) {
            steps.add(then(m, "it does not leave", Runner.KILL));
        }
    }

    private static Step then(ProtocolModel m, String name, Runner runner) {
        return new Step(name, m.but(next -> next.runner = runner));
    }

    private static Step ends(ProtocolModel m, String name, Runner runner) {
        return new Step(name, m.but(next -> {
            next.process = 0;
            next.runner = runner;
        }));
    }

    private static Step stores(ProtocolModel m, Stage stage, Runner runner) {
        return stores(m, "runner: U = " + stage, m.mine(), stage, runner);
    }

    private static Step stores(ProtocolModel m, String name, int generation, Stage stage, Runner runner) {
        return new Step(name, m.but(next -> {
            next.storeU(generation, stage);
            next.runner = runner;
        }));
    }
}
