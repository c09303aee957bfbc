package dev.quiver.lifecycle.worker;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import dev.quiver.lifecycle.execution.Effects;
import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.redis.BinaryText;

/**
 * The record of the settlements of one step, as arguments of its script.
 *
 * @param rows the encoded rows as {@link BinaryText}, empty where none is recorded
 * @param marks a letter for each settlement, see {@code history/settled}; empty where none is recorded
 * @param named the names of the tasks with rows that nothing else names, as {@link BinaryText}; empty for none
 */
public record TrialRows(String rows, String marks, String named) {

    private static final TrialRows NOTHING = new TrialRows("", "", "");
    private static final char ROW = 'r';
    private static final char LEFT_OUT = 'x';
    private static final char NO_ROW = '-';
    private static final char CANCELLED = 'k';
    private static final char NOT_RECORDED = '.';
    private static final char NO_ROW_OF_ITSELF = '+';
    private static final byte[] NO_TAIL = {};

    /** Reasons of a trial whose program could not be started, or whose result was refused. */
    private static final Set<String> ERRORS = Set.of(
            "ArgumentsTooLong",
            "BadWorkingDirectory",
            "CommandNotFound",
            "HandlerNotFound",
            "InputInvalid",
            "InputTooLarge",
            "InvalidCommand",
            "InvalidTask",
            "NotExecutable",
            "OutputInvalid",
            "OutputTooLarge",
            "PermissionDenied",
            "ReportInvalid",
            "ResultInvalid",
            "ResultTooLarge",
            "SchemaMismatch",
            "StartFailed");

    private static final String TIME_LIMIT = "TimedOut";

    /**
     * The rows of these settlements.
     *
     * @param source whose step it is: rows of another run name theirs
     * @param settlements in the order of the step
     */
    public static TrialRows of(String source, List<Settlement> settlements, HistoryRoom room) {
        boolean any = false;
        for (Settlement settlement : settlements) {
            any = any || settlement.claim().task().recorded().isPresent();
        }
        return any ? new Maker(source, room).rows(settlements) : NOTHING;
    }

    private static final class Maker {

        private final HistoryRoom room;
        private final long now = System.nanoTime();
        private final StepRows rows = new StepRows();
        private final StringBuilder marks = new StringBuilder();
        private final List<RunNames.Node> names = new ArrayList<>();
        private boolean rowed;
        private String run;

        Maker(String source, HistoryRoom room) {
            this.run = source;
            this.room = room;
        }

        TrialRows rows(List<Settlement> settlements) {
            for (Settlement settlement : settlements) {
                Optional<RecordedTask> recorded = settlement.claim().task().recorded();
                char mark = recorded.isEmpty() ? NOT_RECORDED : add(settlement, recorded.get());
                if (mark == ROW || mark == CANCELLED) {
                    rowed = true;
                } else {
                    rows.nothing();
                }
                marks.append(recorded.flatMap(RecordedTask::name).isPresent() ? ofItself(mark, recorded.get()) : mark);
            }
            String text = marks.toString();
            if (!rowed) {
                return new TrialRows("", text, "");
            }
            return new TrialRows(
                    BinaryText.marked(rows.encode()),
                    text,
                    names.isEmpty() ? "" : BinaryText.marked(new RunNames("", 0, List.of(), names).encode()));
        }

        /** The mark of a task of the source itself, whose name goes along with its row. */
        private char ofItself(char mark, RecordedTask task) {
            if (mark == ROW || mark == CANCELLED) {
                String name = task.name().orElseThrow();
                names.add(new RunNames.Node(task.task(), -1, "leaf", name, "", 0, 0));
            }
            return mark == NO_ROW ? NO_ROW_OF_ITSELF : Character.toUpperCase(mark);
        }

        private char add(Settlement settlement, RecordedTask task) {
            return switch (settlement) {
                case Settlement.Passed passed -> passed(passed, task);
                case Settlement.Failed failed ->
                    failed(
                            failed.claim(),
                            failed.facts(),
                            status(failed.failure().reason()),
                            failed.runTime().toMillis(),
                            failed.failure(),
                            task);
                case Settlement.Pending pending ->
                    failed(
                            pending.claim(),
                            pending.facts(),
                            TrialStatus.PENDING,
                            pending.runTime().toMillis(),
                            pending.failure(),
                            task);
                case Settlement.Lost lost ->
                    failed(lost.claim(), lost.facts(), TrialStatus.LOST, 0, lost.failure(), task);
                case Settlement.Returned returned ->
                    returned.stopped()
                            .map(stopped -> cancelled(returned.claim(), stopped, task))
                            .orElse(NO_ROW);
                case Settlement.Moved _ -> NO_ROW;
            };
        }

        private char passed(Settlement.Passed passed, RecordedTask task) {
            // Its other holder may have a row of the same trial: this one is later, and stands for itself.
            boolean goesOn =
                    passed.claim().task().plans() || passed.claim().task().isInDoubt();
            if (goesOn && passed.output().filter(Effects::endsTask).isEmpty()) {
                return NO_ROW;
            }
            boolean first =
                    passed.claim().trial() == 1 && !passed.claim().task().speculates();
            if (first && task.recording().keep() == Recording.Keep.FAILURES) {
                return NO_ROW;
            }
            if (!room.passes()) {
                return LEFT_OUT;
            }
            of(task.run());
            TrialFacts facts = passed.facts();
            long ran = passed.runTime().toMillis();
            if (first && facts.detail().isEmpty()) {
                rows.pass(task.task(), facts.slot(), age(facts), ran);
            } else {
                rows.trial(row(passed.claim(), facts, TrialStatus.PASSED, ran, Optional.empty(), task));
            }
            return ROW;
        }

        private char failed(
                Claim claim, TrialFacts facts, TrialStatus status, long ran, TrialFailure failure, RecordedTask task) {
            of(task.run());
            rows.trial(row(claim, facts, status, ran, Optional.of(failure), task));
            return ROW;
        }

        private char cancelled(Claim claim, Settlement.Stopped stopped, RecordedTask task) {
            of(task.run());
            TrialFailure why = TrialFailure.of(
                    claim.task().name(),
                    claim.trial(),
                    Optional.empty(),
                    Optional.empty(),
                    stopped.reason(),
                    stopped.message());
            long ran = stopped.ran().toMillis();
            rows.trial(row(claim, stopped.facts(), TrialStatus.CANCELLED, ran, Optional.of(why), task));
            return CANCELLED;
        }

        private void of(String its) {
            if (!its.equals(run)) {
                rows.run(its);
                run = its;
            }
        }

        private long age(TrialFacts facts) {
            return facts.endedNanos() == 0 ? 0 : Math.max(0, TimeUnit.NANOSECONDS.toMillis(now - facts.endedNanos()));
        }

        private TrialRow row(
                Claim claim,
                TrialFacts facts,
                TrialStatus status,
                long ran,
                Optional<TrialFailure> failure,
                RecordedTask task) {
            Optional<TrialFacts.Detail> detail = facts.detail();
            byte[] stdout = detail.map(TrialFacts.Detail::stdout).orElse(NO_TAIL);
            byte[] stderr = detail.map(TrialFacts.Detail::stderr).orElse(NO_TAIL);
            boolean cut = !room.tails() && stdout.length + stderr.length > 0;
            return new TrialRow(
                    task.task(),
                    Math.min(claim.trial(), HistoryBounds.TRIAL),
                    claim.copy() ? 1 : 0,
                    facts.slot(),
                    status,
                    age(facts),
                    Math.max(0, ran),
                    failure.flatMap(TrialFailure::exitCode),
                    failure.flatMap(TrialFailure::signal),
                    failure.map(TrialFailure::reason),
                    failure.map(TrialFailure::message).map(TrialRows::clean),
                    detail.flatMap(TrialFacts.Detail::resources),
                    detail.flatMap(TrialFacts.Detail::counts),
                    detail.map(TrialFacts.Detail::cases).orElse(List.of()),
                    detail.map(TrialFacts.Detail::outputBytes).orElse(0L),
                    cut ? NO_TAIL : stdout,
                    cut ? NO_TAIL : stderr,
                    detail.flatMap(TrialFacts.Detail::result),
                    detail.map(TrialFacts.Detail::resultBytes).orElse(0L),
                    detail.flatMap(TrialFacts.Detail::pack),
                    detail.map(TrialFacts.Detail::streams).orElse(TrialRow.Streams.NONE),
                    claim.task()
                            .estimate()
                            .map(estimate -> estimate.usual().toMillis())
                            .orElse(0L),
                    cut);
        }
    }

    /** Half of a surrogate pair is no character: UTF-8 has a question mark for it. */
    private static String clean(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static TrialStatus status(String reason) {
        if (reason.equals(TIME_LIMIT)) {
            return TrialStatus.TIMEOUT;
        }
        return ERRORS.contains(reason) ? TrialStatus.ERROR : TrialStatus.FAILED;
    }
}
