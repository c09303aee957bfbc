package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One slot with its supervisor, agent, runner, command, handler and Redis record, as a state whose successors can be
 * counted. Each step is one store, one message or one act that a crash can come before or after. The supervisor decides
 * with {@link SlotRules}, as the board does; the steps of each party are in {@link ModelRunner}, {@link ModelHandler},
 * {@link ModelSupervisor} and {@link ModelCrash}.
 *
 * @param s the supervisor's word
 * @param call whether what S dispatches is a handler's
 * @param u the executor's word in the present exec
 * @param mapped the word in the exec that the supervisor has mapped while that is not the present one; -1 for none
 * @param unseen whether the present exec was not yet shown to the supervisor
 * @param sent whether it was sent to the present supervisor
 * @param agentUp whether the agent lives
 * @param draining whether its container was told to end
 * @param runner what the runner is about to do
 * @param process generation of the command's living process, 0 for none
 * @param orphan whether the runner of what lives died
 * @param handler what the handler is about to do
 * @param toRunner the message on its way from the handler
 * @param go whether the turn is on its way to the handler
 * @param asked the generation that the handler was asked to stop, 0 for none
 * @param supervisor what the supervisor knows of the slot
 * @param supervisorUp whether it lives
 * @param gone whether the reported result's executor was replaced
 * @param claim generation that Redis has recorded for the slot, 0 for none
 * @param settled how often Redis took a pass
 * @param cancelled whether the task was called off
 * @param crashes how many there were
 * @param started generations that were begun, as bits
 * @param passed generations that passed, as bits
 */
record ProtocolModel(
        long s,
        boolean call,
        long u,
        long mapped,
        boolean unseen,
        boolean sent,
        boolean agentUp,
        boolean draining,
        Runner runner,
        int process,
        boolean orphan,
        Handler handler,
        Message toRunner,
        boolean go,
        int asked,
        Phase supervisor,
        boolean supervisorUp,
        boolean gone,
        int claim,
        int settled,
        boolean cancelled,
        int crashes,
        int started,
        int passed) {

    /** In WATCH and KILL the handler has the turn; in all others that live, the runner. */
    enum Runner {
        UNBORN,
        DEAD,
        IDLE,
        SPAWN,
        ATTEND,
        STORE_PASS,
        STORE_FAIL,
        STORE_CLEANING,
        STORE_READY,
        WATCH,
        KILL
    }

    /** From IDLE on it has the turn; WEDGED it has it and does nothing more: stopped, or its interpreter's lock is held. */
    enum Handler {
        NONE,
        DEAD,
        IMPORTING,
        AWAITS_TURN,
        IDLE,
        WEDGED,
        WORK,
        STORE_PASS,
        STORE_FAIL,
        STORE_CLEANING,
        DROP_INPUT,
        STORE_READY;

        boolean hasTurn() {
            return compareTo(IDLE) >= 0;
        }

        boolean lives() {
            return this != NONE && this != DEAD;
        }
    }

    enum Message {
        NONE,
        HELLO,
        COMMAND,
        REPLACE
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
    record Step(String name, ProtocolModel to) {}

    static ProtocolModel initial() {
        ModelDraft draft = new ModelDraft();
        draft.u = Words.of(0, Stage.READY);
        draft.mapped = -1;
        draft.unseen = true;
        draft.agentUp = true;
        draft.supervisorUp = true;
        return draft.state();
    }

    /** The state after this change. */
    ProtocolModel but(Consumer<ModelDraft> change) {
        ModelDraft draft = new ModelDraft(this);
        change.accept(draft);
        return draft.state();
    }

    /** Everything that can happen next without a crash. */
    List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        ModelAgent.add(this, steps);
        ModelRunner.add(this, steps);
        ModelHandler.add(this, steps);
        ModelSupervisor.add(this, steps);
        return steps;
    }

    /** The part that the supervisor can read: the exec that it has mapped. */
    long visibleU() {
        return unseen ? mapped : u;
    }

    int dispatched() {
        return (int) Words.generation(s);
    }

    int mine() {
        return (int) Words.generation(u);
    }

    Stage stage() {
        return Words.stage(u).orElseThrow();
    }

    boolean says(long generation, Op op) {
        return s == Words.of(generation, op);
    }

    boolean calledOff() {
        return says(mine(), Op.CANCEL);
    }

    boolean runnerHasTurn() {
        return switch (runner) {
            case UNBORN, DEAD, WATCH, KILL -> false;
            default -> true;
        };
    }

    SlotState state(long word) {
        SlotView view = SlotRules.view(s, word);
        assertThat(view).as(this.toString()).isInstanceOf(SlotView.Seen.class);
        return ((SlotView.Seen) view).state();
    }

    /** Settled or called off, and the slot free for the next task. */
    boolean isOver() {
        return (settled == 1 || cancelled)
                && supervisor == Phase.FREE
                && supervisorUp
                && agentUp
                && !unseen
                && claim == 0
                && process == 0
                && state(u) == SlotState.WAITING;
    }
}
