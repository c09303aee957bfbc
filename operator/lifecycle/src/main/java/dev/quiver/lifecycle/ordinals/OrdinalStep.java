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
        List<Settlement> settlements =
                request.settlements().stream().map(claims.tasks()::sent).toList();
        TrialRows record = TrialRows.of(source(), settlements, session.room());
        List<String> all =
                new ArrayList<>(10 + settlements.size() * 5 + request.places().size());
        all.addAll(List.of(
                session.keys().session(),
                "",
                "",
                source(),
                "" + StepCall.MAX_CLAIM_BYTES,
                "" + settlements.size(),
                "" + request.pace().packed(),
                record.rows(),
                record.marks(),
                ""));
        for (Settlement settlement : settlements) {
            SettlementRows.add(all, source(), settlement, claims.tasks()::passed);
        }
        request.places().forEach(place -> all.add(place.text()));
        int slowness = request.pace().slowness();
        return new NumberedStep(
                session,
                source(),
                OrdinalScripts.STEP,
                OrdinalScripts.STEP.keys(keys::key, List.of()),
                all,
                (number, reply) -> read(number, reply, slowness));
    }

    private String source() {
        return keys.source().source();
    }

    private StepCall.Outcome read(long number, ScriptReply reply, int slowness) {
        return switch (reply.code()) {
            case FENCED -> new StepCall.Outcome.Fenced();
            case GONE -> new StepCall.Outcome.Gone();
            case OK -> done(number, reply, slowness);
            default -> throw reply.unexpected();
        };
    }

    private StepCall.Outcome done(long number, ScriptReply reply, int slowness) {
        session.executed().learned(reply.number("executed"));
        session.room().learned(reply.number("level"));
        long others = reply.number("others");
        String command = reply.text("command");
        return new StepCall.Outcome.Done(
                NumberedStep.verdicts(reply.text("verdicts")),
                claims.read(number, reply, slowness),
                status(reply.text("status")),
                reply.number("claimable"),
                reply.flag("member"),
                others < 0 ? OptionalLong.empty() : OptionalLong.of(others),
                reply.flag("outranked"),
                command.isEmpty() ? Optional.empty() : Optional.of(() -> kind.run(command)));
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
