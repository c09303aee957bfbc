package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One slot with its supervisor, agent, runner, process and Redis record, as a state whose successors can be counted.
 * Each step is one store or one act that a crash can come before or after. The supervisor decides with {@link
 * SlotRules}, as the board does; the runner as {@code qv_duty_of} in the agent.
 *
 * @param s the supervisor's word
 * @param u the executor's word in the present exec
 * @param mapped the word in the exec that the supervisor has mapped while that is not the present one; -1 for none
 * @param unseen whether the present exec was not yet shown to the supervisor
 * @param sent whether it was sent to the present supervisor
 * @param process generation of the living process, 0 for none
 * @param orphan whether its runner died
 * @param runner what the runner is about to do
 * @param agentUp whether the agent lives
 * @param supervisor what the supervisor knows of the slot
 * @param supervisorUp whether it lives
 * @param gone whether the reported result's executor was replaced
 * @param claim generation that Redis has recorded for the slot, 0 for none
 * @param settled how often Redis took a pass
 * @param cancelled whether the task was called off
 * @param crashes how many there were
 * @param started generations whose process was started, as bits
 * @param passed generations whose process passed, as bits
 */
record ProtocolModel(
        long s,
        long u,
        long mapped,
        boolean unseen,
        boolean sent,
        int process,
        boolean orphan,
        Runner runner,
        boolean agentUp,
        Phase supervisor,
        boolean supervisorUp,
        boolean gone,
        int claim,
        int settled,
        boolean cancelled,
        int crashes,
        int started,
        int passed) {

    static final int MOST_CRASHES = 3;
    static final int MOST_GENERATIONS = 4;

    enum Runner {
        UNBORN,
        DEAD,
        IDLE,
        SPAWN,
        ATTEND,
        STORE_PASS,
        STORE_FAIL,
        STORE_CLEANING,
        STORE_READY
    }

    enum Phase {
        UNKNOWN,
        FREE,
        HELD,
        REPORTED,
        SETTLED,
        FAIL_STORED,
        LEAVING
    }

    /** A named step to another state. */
    record Step(String name, ProtocolModel to) {
        Step(String name, Changes to) {
            this(name, to.get());
        }
    }

    static ProtocolModel initial() {
        return new ProtocolModel(
                0,
                Words.of(0, Stage.READY),
                -1,
                true,
                false,
                0,
                false,
                Runner.UNBORN,
                true,
                Phase.UNKNOWN,
                true,
                false,
                0,
                0,
                false,
                0,
                0,
                0);
    }

    /** What the supervisor can read: the exec that it has mapped. */
    long visibleU() {
        return unseen ? mapped : u;
    }

    boolean isOver() {
        return (settled == 1 || cancelled)
                && supervisor == Phase.FREE
                && supervisorUp
                && agentUp
                && !unseen
                && claim == 0
                && process == 0
                && SlotRules.view(s, u).equals(new SlotView.Seen(SlotState.WAITING));
    }

    List<Step> deaths() {
        List<Step> steps = new ArrayList<>();
        if (crashes < MOST_CRASHES) {
            if (supervisorUp) {
                steps.add(new Step(
                        "supervisor dies",
                        but().supervisor(Phase.UNKNOWN).supervisorUp(false).crash()));
            }
            if (agentUp) { // and with it its runners and every process: the kernel ends the container
                // An exec that was sent is read before the next one: as well at once as later.
                ProtocolModel last = unseen && sent && supervisorUp ? arrive() : this;
                steps.add(new Step("agent dies", last.but().agentDies().crash()));
            }
            if (agentUp && runner != Runner.DEAD && runner != Runner.UNBORN) {
                steps.add(new Step(
                        "runner dies",
                        but().runner(Runner.DEAD).orphan(process != 0).crash()));
            }
        }
        return steps;
    }

    List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        if (!agentUp) {
            steps.add(new Step("agent comes back", but().agentReturns()));
        } else if (orphan) {
            steps.add(new Step("agent kills the orphan", but().process(0).orphan(false)));
        } else if (runner == Runner.UNBORN && supervisorUp) {
            steps.add(new Step(
                    "exec is sent, then runners start", but().sent(true).runner(Runner.IDLE)));
        } else if (runner == Runner.DEAD) {
            steps.add(new Step("runner is replaced", but().runner(Runner.IDLE)));
        } else if (runner != Runner.UNBORN) {
            runnerSteps(steps);
        }
        if (!cancelled && settled == 0) {
            steps.add(new Step("user cancels", but().cancelled()));
        }
        if (!supervisorUp) {
            steps.add(new Step("supervisor comes back", but().supervisorReturns()));
        } else if (unseen && agentUp && !sent && runner != Runner.UNBORN) {
            steps.add(new Step("exec is sent again", but().sent(true)));
        } else if (unseen && agentUp && sent) {
            steps.add(new Step("exec arrives", arrive()));
        }
        if (supervisorUp) {
            supervisorSteps(steps);
        }
        return steps;
    }

    // ---- the runner ----

    private void runnerSteps(List<Step> steps) {
        int g = (int) Words.generation(u);
        boolean calledOff = s == Words.of(g, Op.CANCEL);
        switch (runner) {
            case IDLE -> idle(steps);
            case SPAWN -> {
                if (calledOff) {
                    steps.add(new Step("runner sees the cancel", but().runner(Runner.STORE_CLEANING)));
                }
                assertThat(process).as("a second process at once").isZero();
                steps.add(new Step("spawn", but().process(g).started(g).runner(Runner.ATTEND)));
            }
            case ATTEND -> {
                if (calledOff) {
                    steps.add(new Step("kill", but().process(0).runner(Runner.STORE_CLEANING)));
                }
                steps.add(new Step("it passes", but().process(0).passed(g).runner(Runner.STORE_PASS)));
                steps.add(new Step("it fails", but().process(0).runner(Runner.STORE_FAIL)));
            }
            case STORE_PASS ->
                steps.add(new Step("U = complete", but().u(g, Stage.COMPLETE).runner(Runner.IDLE)));
            case STORE_FAIL ->
                steps.add(new Step("U = retry", but().u(g, Stage.RETRY).runner(Runner.IDLE)));
            case STORE_CLEANING ->
                steps.add(new Step("U = cleaning", but().u(g, Stage.CLEANING).runner(Runner.STORE_READY)));
            case STORE_READY ->
                steps.add(new Step("U = ready", but().u(g, Stage.READY).runner(Runner.IDLE)));
            case UNBORN, DEAD -> throw new AssertionError();
        }
    }

    /** The duty table of the agent. */
    private void idle(List<Step> steps) {
        long handed = Words.generation(s);
        long mine = Words.generation(u);
        Op op = Words.op(s).orElseThrow();
        Stage stage = Words.stage(u).orElseThrow();
        if (stage == Stage.RUNNING && s != Words.of(mine, Op.CANCEL)) {
            steps.add(new Step("U = retry for a dead runner", but().u(mine, Stage.RETRY)));
        } else if (stage == Stage.CLEANING || stage == Stage.RUNNING) {
            steps.add(new Step("resume cleaning", but().u(mine, Stage.CLEANING).runner(Runner.STORE_READY)));
        } else if (handed == mine + 1 && op == Op.RUN) {
            steps.add(new Step("U = running", but().u(handed, Stage.RUNNING).runner(Runner.SPAWN)));
        } else if (handed == mine + 1 && op == Op.CANCEL) {
            steps.add(new Step("discard", but().u(handed, Stage.CLEANING).runner(Runner.STORE_READY)));
        } else if (handed == mine && stage != Stage.READY && (op == Op.ACKNOWLEDGE || op == Op.CANCEL)) {
            steps.add(new Step("clean", but().runner(Runner.STORE_CLEANING)));
        }
    }

    // ---- the supervisor ----

    private void supervisorSteps(List<Step> steps) {
        int g = (int) Words.generation(s);
        boolean wanted = settled == 0 && !cancelled;
        if (supervisor == Phase.FREE && claim == 0 && wanted && g < MOST_GENERATIONS) {
            steps.add(new Step("Redis records the claim", but().claim(g + 1)));
        }
        if (supervisor == Phase.FREE && claim == g + 1) {
            steps.add(new Step(
                    "S = run", but().s(g + 1, Op.RUN).supervisor(Phase.HELD).gone(false)));
        }
        if (supervisor == Phase.HELD && cancelled && s == Words.of(g, Op.RUN)) {
            steps.add(new Step("S = cancel", but().s(g, Op.CANCEL)));
        }
        if (supervisor == Phase.REPORTED) {
            steps.add(settle(g));
        }
        if (supervisor == Phase.SETTLED) {
            boolean retry = !gone && Words.stage(visibleU()).orElseThrow() == Stage.RETRY;
            steps.add(
                    retry && s == Words.of(g, Op.RUN)
                            ? new Step("S = fail", but().s(g, Op.FAIL).supervisor(Phase.FAIL_STORED))
                            : new Step(
                                    "S = acknowledge",
                                    but().s(g, Op.ACKNOWLEDGE).supervisor(Phase.LEAVING)));
        }
        if (supervisor == Phase.FAIL_STORED) {
            steps.add(new Step("S = acknowledge", but().s(g, Op.ACKNOWLEDGE).supervisor(Phase.LEAVING)));
        }
        if (visibleU() >= 0 && supervisor != Phase.UNKNOWN) {
            look(steps, g);
        }
    }

    private Step settle(int g) {
        boolean pass = Words.stage(visibleU()).orElseThrow() == Stage.COMPLETE;
        if (claim != g || cancelled) {
            return new Step("Redis refuses", but().claim(0).supervisor(Phase.SETTLED));
        }
        if (pass && !gone) {
            assertThat(passed & 1 << g).as("a pass of what did not pass").isNotZero();
            return new Step("Redis counts the pass", but().claim(0).settled().supervisor(Phase.SETTLED));
        }
        return new Step("Redis counts the trial", but().claim(0).supervisor(Phase.SETTLED));
    }

    private void look(List<Step> steps, int g) {
        SlotState state = state(visibleU());
        if (supervisor == Phase.HELD && (state == SlotState.COMPLETE || state == SlotState.RETRY)) {
            steps.add(new Step("report", but().supervisor(Phase.REPORTED)));
        }
        if (state == SlotState.WAITING && (supervisor == Phase.HELD || supervisor == Phase.LEAVING)) {
            if (supervisor == Phase.HELD) {
                assertThat(s).as("the executor dropped its task").isEqualTo(Words.of(g, Op.CANCEL));
            }
            steps.add(new Step("ready", but().claim(claim == g ? 0 : claim).supervisor(Phase.FREE)));
        }
    }

    SlotState state(long word) {
        SlotView view = SlotRules.view(s, word);
        assertThat(view).as(this.toString()).isInstanceOf(SlotView.Seen.class);
        return ((SlotView.Seen) view).state();
    }

    /** An exec that the supervisor has not mapped yet: another agent's, or the first that this supervisor sees. */
    private ProtocolModel arrive() {
        int g = (int) Words.generation(s);
        Optional<Long> old = mapped < 0 ? Optional.empty() : Optional.of(mapped);
        Changes next = but().seen();
        if (supervisor == Phase.UNKNOWN) {
            return found(g, next);
        }
        if (supervisor == Phase.FREE || supervisor == Phase.LEAVING) {
            boolean free = state(u) == SlotState.WAITING;
            return next.claim(free && claim == g ? 0 : claim)
                    .supervisor(free ? Phase.FREE : supervisor)
                    .get();
        }
        if (supervisor != Phase.HELD) {
            return next.gone(true).get();
        }
        return switch (SlotRules.afterAgentReturned(s, old, u)) {
            case CARRIED_ON -> next.get();
            case LOST_UNSTARTED -> {
                assertThat(started & 1 << g)
                        .as("no trial used, and yet it was started")
                        .isZero();
                yield next.claim(0).supervisor(Phase.FREE).get();
            }
            case LOST, CANCELLED -> next.claim(0).supervisor(Phase.FREE).get();
            case NOTHING -> throw new AssertionError("held, and nothing was under way");
        };
    }

    /** A supervisor that came back has only Redis and its own word. */
    private ProtocolModel found(int g, Changes next) {
        Changes released = claim != 0 && claim != g ? next.claim(0) : next;
        return switch (state(u)) {
            case WAITING -> released.claim(0).supervisor(Phase.FREE).get();
            case PENDING, RUNNING, COMPLETE, RETRY ->
                released.supervisor(Phase.HELD).get();
            case CANCELLED -> released.s(g, Op.CANCEL).supervisor(Phase.HELD).get();
            case FAILED -> released.supervisor(Phase.FAIL_STORED).get();
            case CLEANING -> released.supervisor(Phase.LEAVING).get();
        };
    }

    // ---- copies with changes ----

    private Changes but() {
        return new Changes(this);
    }

    /** A copy under construction. */
    private static final class Changes {
        private ProtocolModel m;

        Changes(ProtocolModel m) {
            this.m = m;
        }

        private Changes set(
                long s,
                long u,
                long mapped,
                boolean unseen,
                int process,
                boolean orphan,
                Runner runner,
                boolean agentUp) {
            m = new ProtocolModel(
                    s,
                    u,
                    mapped,
                    unseen,
                    m.sent,
                    process,
                    orphan,
                    runner,
                    agentUp,
                    m.supervisor,
                    m.supervisorUp,
                    m.gone,
                    m.claim,
                    m.settled,
                    m.cancelled,
                    m.crashes,
                    m.started,
                    m.passed);
            return this;
        }

        private Changes know(
                Phase phase,
                boolean up,
                boolean gone,
                int claim,
                int settled,
                boolean cancelled,
                int crashes,
                int started,
                int passed) {
            m = new ProtocolModel(
                    m.s, m.u, m.mapped, m.unseen, m.sent, m.process, m.orphan, m.runner, m.agentUp, phase, up, gone,
                    claim, settled, cancelled, crashes, started, passed);
            return this;
        }

        Changes s(long g, Op op) {
            return set(Words.of(g, op), m.u, m.mapped, m.unseen, m.process, m.orphan, m.runner, m.agentUp);
        }

        Changes u(long g, Stage stage) {
            long word = Words.of(g, stage);
            assertThat(SlotRules.mayFollow(m.u, word))
                    .as(Words.text(m.s, m.u) + " → " + word)
                    .isTrue();
            return set(m.s, word, m.mapped, m.unseen, m.process, m.orphan, m.runner, m.agentUp);
        }

        Changes process(int g) {
            return set(m.s, m.u, m.mapped, m.unseen, g, m.orphan, m.runner, m.agentUp);
        }

        Changes orphan(boolean orphan) {
            return set(m.s, m.u, m.mapped, m.unseen, m.process, orphan, m.runner, m.agentUp);
        }

        Changes runner(Runner runner) {
            return set(m.s, m.u, m.mapped, m.unseen, m.process, m.orphan, runner, m.agentUp);
        }

        Changes sent(boolean sent) {
            m = new ProtocolModel(
                    m.s,
                    m.u,
                    m.mapped,
                    m.unseen,
                    sent,
                    m.process,
                    m.orphan,
                    m.runner,
                    m.agentUp,
                    m.supervisor,
                    m.supervisorUp,
                    m.gone,
                    m.claim,
                    m.settled,
                    m.cancelled,
                    m.crashes,
                    m.started,
                    m.passed);
            return this;
        }

        Changes agentDies() {
            long seen = m.unseen ? m.mapped : m.u;
            sent(false);
            return set(m.s, m.u, seen, true, 0, false, Runner.DEAD, false);
        }

        Changes agentReturns() {
            long ready = Words.of(Words.generation(m.s), Stage.READY);
            return set(m.s, ready, m.mapped, true, 0, false, Runner.UNBORN, true);
        }

        Changes seen() {
            return set(m.s, m.u, -1, false, m.process, m.orphan, m.runner, m.agentUp);
        }

        Changes supervisorReturns() {
            sent(false);
            set(m.s, m.u, -1, true, m.process, m.orphan, m.runner, m.agentUp);
            return supervisorUp(true);
        }

        Changes supervisor(Phase phase) {
            return know(phase, m.supervisorUp, m.gone, m.claim, m.settled, m.cancelled, m.crashes, m.started, m.passed);
        }

        Changes supervisorUp(boolean up) {
            return know(m.supervisor, up, m.gone, m.claim, m.settled, m.cancelled, m.crashes, m.started, m.passed);
        }

        Changes gone(boolean gone) {
            return know(
                    m.supervisor,
                    m.supervisorUp,
                    gone,
                    m.claim,
                    m.settled,
                    m.cancelled,
                    m.crashes,
                    m.started,
                    m.passed);
        }

        Changes claim(int g) {
            return know(
                    m.supervisor, m.supervisorUp, m.gone, g, m.settled, m.cancelled, m.crashes, m.started, m.passed);
        }

        Changes settled() {
            return know(
                    m.supervisor,
                    m.supervisorUp,
                    m.gone,
                    m.claim,
                    m.settled + 1,
                    m.cancelled,
                    m.crashes,
                    m.started,
                    m.passed);
        }

        Changes cancelled() {
            return know(m.supervisor, m.supervisorUp, m.gone, m.claim, m.settled, true, m.crashes, m.started, m.passed);
        }

        Changes crash() {
            return know(
                    m.supervisor,
                    m.supervisorUp,
                    m.gone,
                    m.claim,
                    m.settled,
                    m.cancelled,
                    m.crashes + 1,
                    m.started,
                    m.passed);
        }

        Changes started(int g) {
            return know(
                    m.supervisor,
                    m.supervisorUp,
                    m.gone,
                    m.claim,
                    m.settled,
                    m.cancelled,
                    m.crashes,
                    m.started | 1 << g,
                    m.passed);
        }

        Changes passed(int g) {
            return know(
                    m.supervisor,
                    m.supervisorUp,
                    m.gone,
                    m.claim,
                    m.settled,
                    m.cancelled,
                    m.crashes,
                    m.started,
                    m.passed | 1 << g);
        }

        ProtocolModel get() {
            return m;
        }
    }
}
