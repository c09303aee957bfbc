package dev.quiver.lifecycle.wires.idoit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

import dev.quiver.lifecycle.execution.Recording;
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
import dev.quiver.lifecycle.worker.TrialRows;

/** Arguments and answer of a step of a pool's tasks of the wire. No I/O. */
final class IdoitStep {

    private IdoitStep() {}

    static List<String> arguments(
            SessionCalls session, String source, Grant grant, long leaseMillis, StepRequest request) {
        request.checkBounds();
        TrialRows record = TrialRows.of(source, request.settlements(), session.room());
        List<IdoitType> types = grant.served(request.served());
        List<String> all = new ArrayList<>(List.of(
                session.keys().session(),
                "",
                "",
                Long.toString(leaseMillis),
                Integer.toString(request.settlements().size()),
                Integer.toString(types.size()),
                record.named(),
                grant.prefix(),
                IdoitSalt.fresh(),
                IdoitQueues.pool(source),
                record.rows(),
                record.marks(),
                ""));
        for (Settlement settlement : request.settlements()) {
            Claim claim = settlement.claim();
            if (!claim.uid().equals(source)) {
                throw new IllegalArgumentException("a claim of " + claim.uid() + " in a step of " + source);
            }
            SettlementRow row = row(settlement, (IdoitTask) claim.task());
            all.addAll(List.of(
                    claim.id(),
                    Long.toString(claim.fence()),
                    row.kind(),
                    Long.toString(settlement.runTime().toMillis()),
                    row.data()));
        }
        types.forEach(type -> all.addAll(List.of(JsJson.quoted(type.name()), Integer.toString(type.maxTrials()))));
        request.places().forEach(place -> all.add(place.text()));
        return all;
    }

    private static SettlementRow row(Settlement settlement, IdoitTask task) {
        return switch (settlement) {
            case Settlement.Passed passed
            when task.iterator() -> {
                IdoitAnswer answer = IdoitAnswer.of(
                        task, passed.result(), IdoitQueues.pool(passed.claim().uid()));
                yield new SettlementRow(answer.kind().letter(), answer.data());
            }
            case Settlement.Passed passed ->
                SettlementRow.of(
                        SettlementKind.PASSED,
                        passed.result()
                                .map(TaskResult::json)
                                .map(JsJson::rewritten)
                                .orElse(""));
            case Settlement.Failed failed -> failed(failed.failure(), failed.retry(), task);
            case Settlement.Pending pending -> failed(pending.failure(), Retry.AT_ONCE, task);
            case Settlement.Lost lost ->
                SettlementRow.of(SettlementKind.LOST, lost.failure().message());
            case Settlement.Returned returned -> SettlementRow.of(SettlementKind.RETURNED, "");
            case Settlement.Moved moved ->
                SettlementRow.of(SettlementKind.MOVED, moved.to().text());
        };
    }

    private static SettlementRow failed(TrialFailure failure, Retry retry, IdoitTask task) {
        if (task.last() || retry instanceof Retry.Never || retry instanceof Retry.EndsSource) {
            return SettlementRow.of(SettlementKind.FAILED_FOR_GOOD, IdoitErrors.of(failure));
        }
        long millis = retry instanceof Retry.After(var delay)
                ? delay.toMillis()
                : task.backoff()
                        .after(task.iterator() ? task.tries() : task.retries() + 1, ThreadLocalRandom.current())
                        .toMillis();
        return new SettlementRow(SettlementKind.FAILED_FOR_NOW.letter(Duration.ofMillis(millis)), "");
    }

    /** Runs commands of pools: those that got some, and this one if it has some that are due. */
    interface Rest {
        void run(Set<String> pools);
    }

    static StepCall.Outcome read(
            SessionCalls session, String source, Grant grant, Rest rest, long number, ScriptReply reply) {
        return switch (reply.code()) {
            case FENCED -> new StepCall.Outcome.Fenced();
            case GONE -> new StepCall.Outcome.Gone();
            case OK -> {
                session.executed().learned(reply.number("executed"));
                long others = reply.number("others");
                session.room().learned(reply.number("level"));
                Set<String> pools = new LinkedHashSet<>();
                if (reply.number("due") > 0) {
                    pools.add(IdoitQueues.pool(source));
                }
                pools.addAll(reply.texts("pools"));
                yield new StepCall.Outcome.Done(
                        NumberedStep.verdicts(reply.text("verdicts")),
                        claims(source, grant, number, reply),
                        SourceStatus.RUNNING,
                        reply.number("claimable"),
                        reply.flag("member"),
                        others < 0 ? OptionalLong.empty() : OptionalLong.of(others),
                        false,
                        pools.isEmpty() ? Optional.empty() : Optional.of(() -> rest.run(pools)));
            }
            default -> throw reply.unexpected();
        };
    }

    /** The claims of an answer of step or adopt. */
    static List<Claim> claims(String source, Grant grant, long fence, ScriptReply reply) {
        Optional<Recording> recording = Recording.known(reply.text("recording"));
        List<Claim> claims = new ArrayList<>();
        for (ScriptReply.Row row : reply.rows("claims")) {
            claims.add(new Claim(
                    source,
                    row.text("id"),
                    fence,
                    Place.parse(row.text("place")),
                    new IdoitTask(
                            source,
                            row.text("id"),
                            row.text("uid"),
                            grant.type(JsJson.read(row.text("name")).asText()),
                            row.count("tries"),
                            row.count("retries"),
                            row.text("args"),
                            IdoitOptions.read(row.text("options")),
                            row.text("progress"),
                            recording)));
        }
        return List.copyOf(claims);
    }
}
