package dev.quiver.lifecycle.wires.idoit;

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
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TaskFailure;
import dev.quiver.lifecycle.worker.TrialRows;

/** Arguments and answer of a step of a pool's tasks of the wire. No I/O. */
final class IdoitStep {

    private static final int FIELDS = 9;

    private IdoitStep() {}

    /** A settlement in a step: its kind and its data, as the script takes them. */
    private record Row(String kind, String data) {}

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
            Row row = row(settlement, (IdoitTask) claim.task());
            all.addAll(List.of(
                    claim.id(), Long.toString(claim.fence()), row.kind(), Long.toString(ran(settlement)), row.data()));
        }
        types.forEach(type -> all.addAll(List.of(JsJson.quoted(type.name()), Integer.toString(type.maxTrials()))));
        request.places().forEach(place -> all.add(place.text()));
        return all;
    }

    private static long ran(Settlement settlement) {
        return switch (settlement) {
            case Settlement.Passed passed -> passed.runTime().toMillis();
            case Settlement.Failed failed -> failed.runTime().toMillis();
            default -> 0;
        };
    }

    private static Row row(Settlement settlement, IdoitTask task) {
        return switch (settlement) {
            case Settlement.Passed passed
            when task.iterator() -> {
                IdoitAnswer answer = IdoitAnswer.of(
                        task, passed.result(), IdoitQueues.pool(passed.claim().uid()));
                yield new Row(answer.kind(), answer.data());
            }
            case Settlement.Passed passed ->
                new Row(
                        "p",
                        passed.result()
                                .map(TaskResult::json)
                                .map(JsJson::rewritten)
                                .orElse(""));
            case Settlement.Failed failed -> failed(failed.failure(), failed.retry(), task);
            case Settlement.Lost lost -> new Row("l", lost.failure().message());
            case Settlement.Returned returned -> new Row("r", "");
            case Settlement.Moved moved -> new Row("m", moved.to().text());
        };
    }

    private static Row failed(TaskFailure failure, Retry retry, IdoitTask task) {
        if (task.last() || retry instanceof Retry.Never) {
            return new Row("x", IdoitErrors.of(failure));
        }
        long millis = retry instanceof Retry.After(var delay)
                ? delay.toMillis()
                : task.backoff()
                        .after(task.iterator() ? task.tries() : task.retries() + 1, ThreadLocalRandom.current())
                        .toMillis();
        return new Row("d" + millis, "");
    }

    /** Runs commands of pools: those that got some, and this one if it has some that are due. */
    interface Rest {
        void run(Set<String> pools);
    }

    static StepCall.Outcome read(
            SessionCalls session, String source, Grant grant, Rest rest, long number, ScriptReply reply) {
        return switch (reply.code()) {
            case CONDEMNED -> new StepCall.Outcome.Condemned();
            case GONE -> new StepCall.Outcome.Gone();
            case OK -> {
                session.executed().learned(reply.number(3));
                long others = reply.number(5);
                session.room().learned(reply.number(7));
                Optional<Recording> recording = Recording.known(reply.text(8));
                int told = Math.toIntExact(reply.number(9));
                Set<String> pools = new LinkedHashSet<>();
                if (reply.number(6) > 0) {
                    pools.add(IdoitQueues.pool(source));
                }
                for (int i = 0; i < told; i++) {
                    pools.add(reply.text(10 + i));
                }
                yield new StepCall.Outcome.Done(
                        NumberedStep.verdicts(reply.text(4)),
                        claims(source, grant, number, reply, 10 + told, recording),
                        SourceStatus.RUNNING,
                        reply.number(1),
                        reply.number(2) == 1,
                        others < 0 ? OptionalLong.empty() : OptionalLong.of(others),
                        pools.isEmpty() ? Optional.empty() : Optional.of(() -> rest.run(pools)));
            }
            default -> throw reply.unexpected();
        };
    }

    /**
     * The claims of an answer.
     *
     * @param from where they begin
     * @param recording how tasks of the pool are recorded; absent: they are not
     */
    static List<Claim> claims(
            String source, Grant grant, long fence, ScriptReply reply, int from, Optional<Recording> recording) {
        List<Claim> claims = new ArrayList<>();
        for (int at = from; at < reply.size(); at += FIELDS) {
            claims.add(new Claim(
                    source,
                    reply.text(at),
                    fence,
                    Place.parse(reply.text(at + 1)),
                    new IdoitTask(
                            source,
                            reply.text(at),
                            reply.text(at + 2),
                            grant.type(JsJson.read(reply.text(at + 3)).asText()),
                            Math.toIntExact(reply.number(at + 4)),
                            Math.toIntExact(reply.number(at + 5)),
                            reply.text(at + 6),
                            IdoitOptions.read(reply.text(at + 7)),
                            reply.text(at + 8),
                            recording)));
        }
        return List.copyOf(claims);
    }
}
