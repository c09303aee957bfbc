package dev.quiver.supervisor.engine.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.engine.slots.HeldBytes;
import dev.quiver.supervisor.execution.ReportedEnd;
import dev.quiver.supervisor.execution.TrialResult;

/**
 * Tasks that ended and left a report of test cases. A few at a time are read, each on a thread of its own, and are settled
 * afterwards. Until then their slots keep the reports, so a process that starts anew reads them again. Belongs to the
 * engine's thread.
 */
final class Reports {

    /** Reports at a time: this process has few processors, and its other work goes on. */
    private static final int AT_ONCE = 2;

    /** A task that ended, and what is to be done with its end once its report was read. */
    private record Waiting(ClaimedTask held, TrialResult ending, Consumer<TrialResult> then) {}

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final EngineContext context;
    private int reading;

    /** Reads for a session. */
    Reports(EngineContext context) {
        this.context = context;
    }

    /**
     * Judges the end of a task that reports.
     *
     * @param then takes the end as the report has it, at once where there is nothing to be read
     */
    void judge(ClaimedTask held, TrialResult ending, Consumer<TrialResult> then) {
        if (ReportedEnd.reads(ending)) {
            waiting.add(new Waiting(held, ending, then));
            readNext();
        } else {
            then.accept(ReportedEnd.unread(ending));
        }
    }

    /** Begins to read while there is memory; one report is read always, whatever else is held. */
    void readNext() {
        while (reading < AT_ONCE && !waiting.isEmpty()) {
            long memory =
                    HeldBytes.OF_OUTPUT * waiting.getFirst().ending().output().bytes();
            if (reading > 0 && memory > context.memory().roomForOutputs()) {
                return;
            }
            read(waiting.removeFirst(), memory);
        }
    }

    private void read(Waiting next, long memory) {
        Optional<ExecutionInput.Payload> output;
        try {
            output = next.ending().output().read();
        } catch (IllegalArgumentException refused) {
            next.then().accept(ReportedEnd.refused(next.ending(), refused.getMessage()));
            return;
        }
        if (output.isEmpty()) {
            boolean passed = next.ending().kind() == TrialResult.Kind.PASSED;
            next.then().accept(passed ? Settlements.lost("its report was lost with its slot") : next.ending());
            return;
        }
        HeldBytes.Share share = context.memory().output(memory);
        reading++;
        context.calls().aside(() -> ReportedEnd.of(next.ending(), output.get()), judged -> {
            reading--;
            share.close();
            next.then().accept(judged);
            readNext();
        });
    }

    /** All that wait for their turn, which is in vain from now on. Those that are being read come by themselves. */
    List<ClaimedTask> takeWaiting() {
        List<ClaimedTask> all = new ArrayList<>(waiting.size());
        waiting.forEach(each -> all.add(each.held()));
        waiting.clear();
        return all;
    }
}
