package dev.quiver.lifecycle.wires.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.NumberedStep;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SettlementKind;
import dev.quiver.lifecycle.worker.SettlementRow;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.TrialFailureJson;

/** Arguments and answer of a step of the jobs under a pool's prefix. No I/O. */
final class QueueStep {

    private QueueStep() {}

    static List<String> arguments(String session, String source, QueueGrant grant, long lease, StepRequest request) {
        request.checkBounds();
        List<QueueGrant.Served> types = grant.served(request.served());
        List<String> all = new ArrayList<>(List.of(
                session,
                "",
                "",
                Long.toString(lease),
                Integer.toString(request.settlements().size()),
                Integer.toString(types.size()),
                grant.prefix(),
                QueueSource.pool(source)));
        for (Settlement settlement : request.settlements()) {
            Claim claim = settlement.claim();
            if (!claim.uid().equals(source)) {
                throw new IllegalArgumentException("a claim of " + claim.uid() + " in a step of " + source);
            }
            SettlementRow row = row(settlement, (QueueTask) claim.task());
            all.addAll(List.of(
                    claim.id(),
                    Long.toString(claim.fence()),
                    row.kind(),
                    Long.toString(settlement.runTime().toMillis()),
                    row.data()));
        }
        types.forEach(served -> all.addAll(
                List.of(served.type().name(), Integer.toString(served.type().retries()), served.parts())));
        request.places().forEach(place -> all.add(place.text()));
        return all;
    }

    private static SettlementRow row(Settlement settlement, QueueTask task) {
        return switch (settlement) {
            case Settlement.Passed passed ->
                SettlementRow.of(
                        SettlementKind.PASSED,
                        passed.result().map(TaskResult::json).orElse(task.brings() ? "0" : "null"));
            case Settlement.Failed failed -> failed(failed.failure(), failed.retry(), task);
            case Settlement.Pending pending -> failed(pending.failure(), Retry.AT_ONCE, task);
            case Settlement.Lost lost ->
                SettlementRow.of(SettlementKind.LOST, lost.failure().message());
            case Settlement.Returned returned -> SettlementRow.of(SettlementKind.RETURNED, "");
            case Settlement.Moved moved ->
                SettlementRow.of(SettlementKind.MOVED, moved.to().text());
        };
    }

    private static SettlementRow failed(TrialFailure failure, Retry retry, QueueTask task) {
        String error = TrialFailureJson.write(failure);
        return switch (retry) {
            case Retry.Never _, Retry.EndsSource _ -> SettlementRow.of(SettlementKind.FAILED_FOR_GOOD, error);
            case Retry.After(var delay) -> new SettlementRow(SettlementKind.FAILED_FOR_NOW.letter(delay), error);
            case Retry.AtOnce atOnce ->
                new SettlementRow(
                        SettlementKind.FAILED_FOR_NOW.letter(task.type().delay()), error);
        };
    }

    static StepCall.Outcome read(
            SessionCalls session, String source, QueueGrant grant, long number, ScriptReply reply) {
        return switch (reply.code()) {
            case FENCED -> new StepCall.Outcome.Fenced();
            case GONE -> new StepCall.Outcome.Gone();
            case OK -> {
                session.executed().learned(reply.number("executed"));
                long others = reply.number("others");
                yield new StepCall.Outcome.Done(
                        NumberedStep.verdicts(reply.text("verdicts")),
                        claims(source, grant, number, reply),
                        SourceStatus.RUNNING,
                        reply.number("claimable"),
                        reply.flag("member"),
                        others < 0 ? OptionalLong.empty() : OptionalLong.of(others),
                        false,
                        Optional.empty());
            }
            default -> throw reply.unexpected();
        };
    }

    static List<Claim> claims(String source, QueueGrant grant, long fence, ScriptReply reply) {
        List<Claim> claims = new ArrayList<>();
        for (ScriptReply.Row row : reply.rows("claims")) {
            String unit = row.text("id");
            boolean ready = Part.of(unit) != Part.REDUCE;
            String data = row.text("data");
            claims.add(new Claim(
                    source,
                    unit,
                    fence,
                    Place.parse(row.text("place")),
                    new QueueTask(
                            source,
                            unit,
                            grant.type(row.text("type")),
                            row.count("retries"),
                            ready ? Optional.of(data) : Optional.empty())));
        }
        return List.copyOf(claims);
    }
}
