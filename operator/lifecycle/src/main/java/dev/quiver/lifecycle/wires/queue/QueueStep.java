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
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TaskFailureJson;

/** Arguments and answer of a step of the jobs under a pool's prefix. No I/O. */
final class QueueStep {

    private static final int FIELDS = 5;

    private QueueStep() {}

    /** A settlement in a step: its kind and its data, as the script takes them. */
    private record Row(String kind, String data) {}

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
            Row row = row(settlement, (QueueTask) claim.task());
            all.addAll(List.of(claim.id(), Long.toString(claim.fence()), row.kind(), "0", row.data()));
        }
        types.forEach(served -> all.addAll(
                List.of(served.type().name(), Integer.toString(served.type().retries()), served.parts())));
        request.places().forEach(place -> all.add(place.text()));
        return all;
    }

    private static Row row(Settlement settlement, QueueTask task) {
        return switch (settlement) {
            case Settlement.Passed passed ->
                new Row("p", passed.result().map(TaskResult::json).orElse(task.brings() ? "0" : "null"));
            case Settlement.Failed failed -> failed(failed, task);
            case Settlement.Lost lost -> new Row("l", lost.failure().message());
            case Settlement.Returned returned -> new Row("r", "");
            case Settlement.Moved moved -> new Row("m", moved.to().text());
        };
    }

    private static Row failed(Settlement.Failed failed, QueueTask task) {
        String error = TaskFailureJson.write(failed.failure());
        return switch (failed.retry()) {
            case Retry.Never never -> new Row("x", error);
            case Retry.After(var delay) -> new Row("d" + delay.toMillis(), error);
            case Retry.AtOnce atOnce -> new Row("d" + task.type().delay().toMillis(), error);
        };
    }

    static StepCall.Outcome read(
            SessionCalls session, String source, QueueGrant grant, long number, ScriptReply reply) {
        return switch (reply.code()) {
            case CONDEMNED -> new StepCall.Outcome.Condemned();
            case GONE -> new StepCall.Outcome.Gone();
            case OK -> {
                session.executed().learned(reply.number(3));
                long others = reply.number(5);
                yield new StepCall.Outcome.Done(
                        NumberedStep.verdicts(reply.text(4)),
                        claims(source, grant, number, reply, 6),
                        SourceStatus.RUNNING,
                        reply.number(1),
                        reply.number(2) == 1,
                        others < 0 ? OptionalLong.empty() : OptionalLong.of(others),
                        Optional.empty());
            }
            default -> throw reply.unexpected();
        };
    }

    static List<Claim> claims(String source, QueueGrant grant, long fence, ScriptReply reply, int from) {
        List<Claim> claims = new ArrayList<>();
        for (int at = from; at < reply.size(); at += FIELDS) {
            String unit = reply.text(at);
            boolean ready = Part.of(unit) != Part.REDUCE;
            String data = reply.text(at + 4);
            claims.add(new Claim(
                    source,
                    unit,
                    fence,
                    Place.parse(reply.text(at + 1)),
                    new QueueTask(
                            source,
                            unit,
                            grant.type(reply.text(at + 2)),
                            Math.toIntExact(reply.number(at + 3)),
                            ready ? Optional.of(data) : Optional.empty())));
        }
        return List.copyOf(claims);
    }
}
