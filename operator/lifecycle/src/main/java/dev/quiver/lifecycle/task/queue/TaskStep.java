package dev.quiver.lifecycle.task.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

import dev.quiver.lifecycle.execution.Effects;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.chunks.BringingStep;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.rows.StoredResult;
import dev.quiver.lifecycle.task.work.EffectsAnswer;
import dev.quiver.lifecycle.task.work.IteratorAnswer;
import dev.quiver.lifecycle.task.work.Relocation;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.BackedOff;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.NumberedStep;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SettlementKind;
import dev.quiver.lifecycle.worker.SettlementRow;
import dev.quiver.lifecycle.worker.SettlementRows;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.TrialFailureJson;
import dev.quiver.lifecycle.worker.TrialRows;

/** Arguments and answer of a step of a pool's Tasks. No I/O. */
final class TaskStep {

    /** The reason of a failure in the plan of a task. */
    private static final String PLAN_FAILED = "PlanFailed";

    /** The result of a task with a plan that returned none: it takes the place of the arguments that its plan gave. */
    private static final TaskResult NOTHING = TaskResult.of("null");

    private TaskStep() {}

    static List<String> arguments(SessionCalls session, String source, StepRequest request) {
        request.checkBounds();
        List<Judged> judged =
                request.settlements().stream().map(TaskStep::judged).toList();
        TrialRows record =
                TrialRows.of(source, judged.stream().map(Judged::settlement).toList(), session.room());
        List<String> all = new ArrayList<>(List.of(
                session.keys().session(),
                "",
                "",
                Integer.toString(request.settlements().size()),
                Integer.toString(request.served().size()),
                record.named(),
                record.rows(),
                record.marks(),
                ""));
        for (Judged one : judged) {
            Settlement settlement = backedOff(one.settlement());
            Doubt.row(one.settlement(), settlement)
                    .ifPresentOrElse(
                            row -> SettlementRows.add(all, source, settlement, row),
                            () -> SettlementRows.add(
                                    all, source, settlement, passed -> one.row().orElseGet(() -> passed(passed))));
        }
        all.addAll(request.served());
        request.places().forEach(place -> all.add(place.text()));
        return all;
    }

    /** A settlement with its row, where that was made before it is recorded: what makes no sense is recorded as a failure. */
    private record Judged(Settlement settlement, Optional<SettlementRow> row) {}

    private static Judged judged(Settlement settlement) {
        if (!(settlement instanceof Settlement.Passed passed)
                || !(passed.claim().task() instanceof TaskLeaf leaf)
                || !leaf.plans()
                        && !leaf.isInDoubt()
                        && (!leaf.takesEffects() || passed.output().isEmpty())) {
            return new Judged(settlement, Optional.empty());
        }
        try {
            Effects.Of of =
                    leaf.plans() ? Effects.Of.PLAN : leaf.isInDoubt() ? Effects.Of.CONTINGENCY : Effects.Of.FUNCTION;
            Effects answer = Effects.of(passed.output()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "handler " + leaf.handler().orElse("") + " answered " + of.made())));
            boolean goesOn = of != Effects.Of.FUNCTION && !answer.isDone();
            return new Judged(
                    settlement,
                    Optional.of(SettlementRow.of(
                            goesOn ? SettlementKind.PLANNED : SettlementKind.EFFECTS,
                            EffectsAnswer.of(answer, leaf, of))));
        } catch (InputTooLargeException large) {
            return failed(passed, "ResultTooLarge", large.getMessage(), Retry.NEVER);
        } catch (IllegalArgumentException senseless) {
            return failed(passed, "ResultInvalid", senseless.getMessage(), Retry.AT_ONCE);
        }
    }

    private static Judged failed(Settlement.Passed passed, String reason, String message, Retry retry) {
        return new Judged(BringingStep.failed(passed, reason, message, retry), Optional.empty());
    }

    private static Settlement backedOff(Settlement settlement) {
        return settlement.claim().task() instanceof TaskLeaf leaf
                ? BackedOff.of(ofPlan(leaf, settlement), leaf.backoff(), leaf.failed() + 1)
                : settlement;
    }

    /** A plan that fails says so: people look for the fault there and not in what is executed. */
    private static Settlement ofPlan(TaskLeaf leaf, Settlement settlement) {
        if (!leaf.plans() || !(settlement instanceof Settlement.Failed failed)) {
            return settlement;
        }
        TrialFailure why = failed.failure();
        TrialFailure named = TrialFailure.of(
                why.task(),
                why.trial(),
                why.exitCode(),
                why.signal(),
                PLAN_FAILED,
                why.reason() + ": " + why.message());
        return new Settlement.Failed(failed.claim(), failed.runTime(), named, failed.retry(), failed.facts());
    }

    private static SettlementRow passed(Settlement.Passed passed) {
        TaskLeaf leaf = (TaskLeaf) passed.claim().task();
        if (leaf.iterator() && leaf.brings()) {
            return SettlementRow.of(
                    SettlementKind.ITERATED,
                    passed.result().map(TaskResult::json).orElse("{}"));
        }
        if (leaf.iterator()) {
            return iterated(leaf, passed.result());
        }
        return passed.result()
                .or(() -> leaf.hasPlan() ? Optional.of(NOTHING) : Optional.empty())
                .map(result -> SettlementRow.of(SettlementKind.PASSED, StoredResult.text(result)))
                .orElse(SettlementRow.PASSED);
    }

    /** An answer that makes no sense is a failed trial; none is the answer null. */
    private static SettlementRow iterated(TaskLeaf leaf, Optional<TaskResult> result) {
        try {
            TaskResult answer = result.orElseGet(() -> TaskResult.of("null"));
            return SettlementRow.of(
                    SettlementKind.ITERATED,
                    IteratorAnswer.of(
                            answer, leaf.pool(), leaf.room(), leaf.body().flatMap(TaskBody::recording)));
        } catch (IllegalArgumentException senseless) {
            TrialFailure failure = TrialFailure.of(
                    leaf.name(),
                    leaf.trial(),
                    Optional.empty(),
                    Optional.empty(),
                    "AnswerInvalid",
                    senseless.getMessage());
            return SettlementRow.of(SettlementKind.FAILED, TrialFailureJson.write(failure));
        }
    }

    static StepCall.Outcome read(
            SessionCalls session, String source, Consumer<List<String>> commands, long number, ScriptReply reply) {
        return switch (reply.code()) {
            case FENCED -> new StepCall.Outcome.Fenced();
            case OK -> {
                session.executed().learned(reply.number("executed"));
                long others = reply.number("others");
                session.room().learned(reply.number("level"));
                List<String> left = List.copyOf(reply.texts("commands"));
                yield new StepCall.Outcome.Done(
                        NumberedStep.verdicts(reply.text("verdicts")),
                        claims(source, number, reply),
                        SourceStatus.RUNNING,
                        reply.number("claimable"),
                        reply.flag("member"),
                        others < 0 ? OptionalLong.empty() : OptionalLong.of(others),
                        reply.flag("outranked"),
                        left.isEmpty() ? Optional.empty() : Optional.of(() -> commands.accept(left)));
            }
            default -> throw reply.unexpected();
        };
    }

    /** The claims of an answer of step or adopt. */
    static List<Claim> claims(String source, long fence, ScriptReply reply) {
        Optional<Recording> ofQueue = Recording.known(reply.text("recording"));
        List<Claim> claims = new ArrayList<>();
        for (ScriptReply.Row row : reply.rows("claims")) {
            claims.add(new Claim(
                    source,
                    row.text("id"),
                    fence,
                    Place.parse(row.text("place")),
                    TaskLeaf.of(
                                    source,
                                    row.text("id"),
                                    row.count("trial"),
                                    row.count("max_trials"),
                                    row.count("failed"),
                                    row.text("body"),
                                    row.text("from"),
                                    row.text("given"),
                                    row.text("progress"),
                                    Relocation.parse(row.text("relocation")),
                                    row.text("tokens"))
                            .ofQueue(ofQueue)));
        }
        return List.copyOf(claims);
    }
}
