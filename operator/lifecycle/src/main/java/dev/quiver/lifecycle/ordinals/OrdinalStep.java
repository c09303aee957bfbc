package dev.quiver.lifecycle.ordinals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.SentCall;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceStatus;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;

/** A step under its call number, until its outcome is known. */
final class OrdinalStep implements StepCall {

    /** An argument, so that history can be switched on where a history store exists. */
    private static final String HISTORY_OFF = "0";

    private final SessionCalls session;
    private final OrdinalScriptKeys keys;
    private final ClaimRows claims;
    private final int settlements;
    private final String[] arguments;
    private long number;
    private Optional<StepCall.Outcome> outcome = Optional.empty();

    OrdinalStep(SessionCalls session, OrdinalScriptKeys keys, ClaimRows claims, StepRequest request) {
        request.checkBounds();
        this.session = session;
        this.keys = keys;
        this.claims = claims;
        this.settlements = request.settlements().size();
        this.number = session.next();
        this.arguments = arguments(request.settlements(), request.places());
    }

    private String[] arguments(List<Settlement> settled, List<Place> places) {
        List<String> all = new ArrayList<>(7 + settled.size() * 5 + places.size());
        all.addAll(List.of(
                session.keys().session(), "", "", uid(), HISTORY_OFF, "" + MAX_CLAIM_BYTES, "" + settled.size()));
        for (Settlement settlement : settled) {
            Claim claim = settlement.claim();
            if (!claim.uid().equals(uid())) {
                throw new IllegalArgumentException("a claim of " + claim.uid() + " in a step of " + uid());
            }
            all.add(claim.id());
            all.add(Long.toString(claim.fence()));
            switch (settlement) {
                case Settlement.Passed passed -> add(all, "p", passed.runTime().toMillis(), "");
                case Settlement.Failed failed ->
                    add(all, kind(failed.retry()), failed.runTime().toMillis(), FailureSample.write(failed.failure()));
                case Settlement.Lost lost -> add(all, "l", 0, FailureSample.write(lost.failure()));
                case Settlement.Returned returned -> add(all, "r", 0, "");
                case Settlement.Moved moved -> add(all, "m", 0, moved.to().text());
            }
        }
        places.forEach(place -> all.add(place.text()));
        return all.toArray(String[]::new);
    }

    private static String kind(Retry retry) {
        return switch (retry) {
            case Retry.AtOnce atOnce -> "f";
            case Retry.Never never -> "x";
            case Retry.After after -> "d" + after.delay().toMillis();
        };
    }

    private static void add(List<String> all, String kind, long millis, String data) {
        all.add(kind);
        all.add(Long.toString(Math.max(millis, 0)));
        all.add(data);
    }

    @Override
    public String uid() {
        return keys.source().source();
    }

    @Override
    public StepCall.Outcome run() {
        return outcome.orElseGet(() -> known(ask()));
    }

    /** A stale number is a problem like any other: {@link #run} takes a fresh one. */
    @Override
    public Optional<SentCall<StepCall.Outcome>> send() {
        number(number);
        return session.store().send(OrdinalScripts.STEP, redisKeys(), arguments).map(call -> call.read(this::known));
    }

    @Override
    public Optional<SentCall<StepCall.Outcome>> sendWhereAwaited() {
        number(number);
        return session.store()
                .send(session.waiting(), OrdinalScripts.STEP, redisKeys(), arguments)
                .map(call -> call.read(this::known));
    }

    private StepCall.Outcome known(ScriptReply reply) {
        StepCall.Outcome read = read(reply);
        outcome = Optional.of(read);
        session.end(this);
        return read;
    }

    private ScriptReply ask() {
        String[] redisKeys = redisKeys();
        SessionCalls.Numbered answer = session.underNumber(number, tried -> {
            number(tried);
            return session.store().run(OrdinalScripts.STEP, redisKeys, arguments);
        });
        return answer.reply();
    }

    private String[] redisKeys() {
        return OrdinalScripts.STEP.keys(keys::key, List.of());
    }

    private void number(long tried) {
        number = tried;
        arguments[1] = session.executed().argument();
        arguments[2] = Long.toString(tried);
    }

    private StepCall.Outcome read(ScriptReply reply) {
        return switch (reply.code()) {
            case CONDEMNED -> new StepCall.Outcome.Condemned();
            case GONE -> new StepCall.Outcome.Gone();
            case OK -> done(reply);
            default -> throw reply.unexpected();
        };
    }

    private StepCall.Outcome done(ScriptReply reply) {
        List<StepCall.Verdict> verdicts = new ArrayList<>(settlements);
        session.executed().learned(reply.number(4));
        reply.text(5).chars().forEach(letter -> verdicts.add(verdict((char) letter)));
        return new StepCall.Outcome.Done(
                List.copyOf(verdicts),
                claims.read(number, reply, 6),
                status(reply.text(1)),
                reply.number(2),
                reply.number(3) == 1);
    }

    private static SourceStatus status(String word) {
        return switch (word) {
            case "running" -> SourceStatus.RUNNING;
            case "suspended" -> SourceStatus.SUSPENDED;
            case "succeeded", "failed", "cancelled" -> SourceStatus.OVER;
            default -> throw new IllegalArgumentException("no status of a source is called " + word);
        };
    }

    private static StepCall.Verdict verdict(char letter) {
        return switch (letter) {
            case 'c' -> StepCall.Verdict.COUNTED;
            case 't' -> StepCall.Verdict.RETRIED;
            case 'a' -> StepCall.Verdict.ALREADY;
            case 'v' -> StepCall.Verdict.VOID;
            default -> throw new IllegalStateException("no verdict is called " + letter);
        };
    }
}
