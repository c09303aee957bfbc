package dev.quiver.lifecycle.taskset;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import dev.quiver.lifecycle.RedisStore;
import dev.quiver.lifecycle.ScriptCode;
import dev.quiver.lifecycle.ScriptReply;

/** A step under its call number, until its outcome is known. */
final class OwnStepCall implements StepCall {

    /** Written as an argument so that it can be switched on where a history store exists. */
    private static final String HISTORY_OFF = "0";

    private final RedisStore store;
    private final ScriptKeys keys;
    private final int settlements;
    private final AtomicLong callNumbers;
    private final Map<String, OwnStepCall> inFlight;
    private final String[] arguments;
    private long number;
    private Optional<StepOutcome> outcome = Optional.empty();

    OwnStepCall(
            RedisStore store,
            ScriptKeys keys,
            List<Settlement> settlements,
            List<Place> places,
            AtomicLong callNumbers,
            Map<String, OwnStepCall> inFlight) {
        if (settlements.size() > MAX_SETTLEMENTS || places.size() > MAX_CLAIMS) {
            throw new IllegalArgumentException(settlements.size() + " settlements and " + places.size()
                    + " places, at most " + MAX_SETTLEMENTS + " and " + MAX_CLAIMS);
        }
        long failures = settlements.stream().filter(StepCall::hasFailure).count();
        if (failures > MAX_FAILURES) {
            throw new IllegalArgumentException(failures + " failures in one step, at most " + MAX_FAILURES);
        }
        this.store = store;
        this.keys = keys;
        this.settlements = settlements.size();
        this.callNumbers = callNumbers;
        this.inFlight = inFlight;
        this.number = callNumbers.incrementAndGet();
        this.arguments = arguments(settlements, places);
    }

    private String[] arguments(List<Settlement> settled, List<Place> places) {
        List<String> all = new ArrayList<>(6 + settled.size() * 5 + places.size());
        all.addAll(List.of(keys.session(), "", keys.uid(), HISTORY_OFF, "" + MAX_CLAIM_BYTES, "" + settled.size()));
        for (Settlement settlement : settled) {
            Claim claim = settlement.claim();
            if (!claim.uid().equals(keys.uid())) {
                throw new IllegalArgumentException("a claim of " + claim.uid() + " in a step of " + keys.uid());
            }
            all.add(Long.toString(claim.id()));
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
        return keys.uid();
    }

    @Override
    public StepOutcome run() {
        if (outcome.isEmpty()) {
            outcome = Optional.of(read(send()));
            inFlight.remove(keys.uid(), this);
        }
        return outcome.get();
    }

    /** A stale number was not and will not be done: a fresh one is taken. */
    private ScriptReply send() {
        String[] redisKeys = TaskSetScripts.STEP.keys(keys::key, List.of());
        while (true) {
            arguments[1] = Long.toString(number);
            ScriptReply reply = store.run(TaskSetScripts.STEP, redisKeys, arguments);
            if (reply.code() != ScriptCode.STALE) {
                return reply;
            }
            number = callNumbers.incrementAndGet();
        }
    }

    private StepOutcome read(ScriptReply reply) {
        return switch (reply.code()) {
            case CONDEMNED -> new StepOutcome.Condemned();
            case GONE -> new StepOutcome.Gone();
            case OK -> done(reply);
            default -> throw reply.unexpected();
        };
    }

    private StepOutcome done(ScriptReply reply) {
        List<Verdict> verdicts = new ArrayList<>(settlements);
        reply.text(4).chars().forEach(letter -> verdicts.add(verdict((char) letter)));
        return new StepOutcome.Done(
                List.copyOf(verdicts),
                ClaimRows.read(keys.uid(), number, reply, 5),
                OwnTaskSetControl.status(reply.text(1)),
                reply.number(2),
                reply.number(3) == 1);
    }

    private static Verdict verdict(char letter) {
        return switch (letter) {
            case 'c' -> Verdict.COUNTED;
            case 't' -> Verdict.RETRIED;
            case 'a' -> Verdict.ALREADY;
            case 'v' -> Verdict.VOID;
            default -> throw new IllegalStateException("no verdict is called " + letter);
        };
    }
}
