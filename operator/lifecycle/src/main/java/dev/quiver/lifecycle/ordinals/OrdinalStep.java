package dev.quiver.lifecycle.ordinals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.NumberedStep;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SettlementRows;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialRows;

/** The step of a source of numbered tasks. */
record OrdinalStep(SessionCalls session, OrdinalScriptKeys keys, OrdinalKind kind, ClaimRows claims) {

    /** The step of this request. */
    StepCall of(StepRequest request) {
        request.checkBounds();
        TrialRows record = TrialRows.of(source(), request.settlements(), session.room());
        List<String> all = new ArrayList<>(
                9 + request.settlements().size() * 5 + request.places().size());
        all.addAll(List.of(
                session.keys().session(),
                "",
                "",
                source(),
                "" + StepCall.MAX_CLAIM_BYTES,
                "" + request.settlements().size(),
                record.rows(),
                record.marks(),
                ""));
        for (Settlement settlement : request.settlements()) {
            SettlementRows.add(all, source(), claims.tasks().sent(settlement), claims.tasks()::passed);
        }
        request.places().forEach(place -> all.add(place.text()));
        return new NumberedStep(
                session,
                source(),
                OrdinalScripts.STEP,
                OrdinalScripts.STEP.keys(keys::key, List.of()),
                all,
                this::read);
    }

    private String source() {
        return keys.source().source();
    }

    private StepCall.Outcome read(long number, ScriptReply reply) {
        return switch (reply.code()) {
            case CONDEMNED -> new StepCall.Outcome.Condemned();
            case GONE -> new StepCall.Outcome.Gone();
            case OK -> done(number, reply);
            default -> throw reply.unexpected();
        };
    }

    private StepCall.Outcome done(long number, ScriptReply reply) {
        session.executed().learned(reply.number(4));
        session.room().learned(reply.number(7));
        return new StepCall.Outcome.Done(
                NumberedStep.verdicts(reply.text(5)),
                claims.read(number, reply, 9),
                status(reply.text(1)),
                reply.number(2),
                reply.number(3) == 1,
                reply.number(8) < 0 ? OptionalLong.empty() : OptionalLong.of(reply.number(8)),
                reply.text(6).isEmpty() ? Optional.empty() : Optional.of(() -> kind.run(reply.text(6))));
    }

    private static SourceStatus status(String word) {
        return switch (word) {
            case "running" -> SourceStatus.RUNNING;
            case "suspended" -> SourceStatus.SUSPENDED;
            case "succeeded", "failed", "cancelled" -> SourceStatus.OVER;
            default -> throw new IllegalArgumentException("no status of a source is called " + word);
        };
    }
}
