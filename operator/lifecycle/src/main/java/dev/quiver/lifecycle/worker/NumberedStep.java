package dev.quiver.lifecycle.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.SentCall;

/**
 * A step under its call number, until its outcome is known. Each kind of work has a script with the arguments {@code
 * executed}, {@code call} and, where it records, {@code age}, which are filled in here.
 */
public final class NumberedStep implements StepCall {

    private static final List<Verdict> VERDICTS = List.of(Verdict.values());

    private final SessionCalls session;
    private final String source;
    private final Script script;
    private final String[] keys;
    private final String[] arguments;
    private final int executedAt;
    private final int callAt;
    private final int ageAt;
    private final long madeNanos = System.nanoTime();
    private final Reader reader;
    private long number;
    private Optional<Outcome> outcome = Optional.empty();

    /** Reads the answer of the script. */
    public interface Reader {

        /**
         * The outcome in an answer.
         *
         * @param number of the call, which its claims carry as their fence
         */
        Outcome read(long number, ScriptReply reply);
    }

    /** A step that is begun, and not sent. */
    public NumberedStep(
            SessionCalls session, String source, Script script, String[] keys, List<String> arguments, Reader reader) {
        this.session = session;
        this.source = source;
        this.script = script;
        this.keys = keys;
        this.arguments = arguments.toArray(String[]::new);
        this.executedAt = script.arguments().indexOf("executed");
        this.callAt = script.arguments().indexOf("call");
        this.ageAt = script.arguments().indexOf("age");
        this.reader = reader;
        this.number = session.next();
    }

    @Override
    public String uid() {
        return source;
    }

    @Override
    public Outcome run() {
        return outcome.orElseGet(() -> known(ask()));
    }

    /** A stale number is a problem like any other: {@link #run} takes a fresh one. */
    @Override
    public Optional<SentCall<Outcome>> send() {
        number(number);
        return session.store().send(script, keys, arguments).map(call -> call.read(this::known));
    }

    @Override
    public Optional<SentCall<Outcome>> sendWhereAwaited() {
        number(number);
        return session.store().send(session.waiting(), script, keys, arguments).map(call -> call.read(this::known));
    }

    private Outcome known(ScriptReply reply) {
        Outcome read = reader.read(number, reply);
        outcome = Optional.of(read);
        session.end(this);
        return read;
    }

    private ScriptReply ask() {
        return session.underNumber(number, tried -> {
                    number(tried);
                    return session.store().run(script, keys, arguments);
                })
                .reply();
    }

    private void number(long tried) {
        number = tried;
        arguments[executedAt] = session.executed().argument();
        arguments[callAt] = Long.toString(tried);
        if (ageAt >= 0) {
            arguments[ageAt] = Long.toString(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - madeNanos));
        }
    }

    /** The verdicts of an answer, one letter for each settlement. */
    public static List<Verdict> verdicts(String letters) {
        List<Verdict> verdicts = new ArrayList<>(letters.length());
        letters.chars().forEach(letter -> verdicts.add(verdict((char) letter)));
        return List.copyOf(verdicts);
    }

    private static Verdict verdict(char letter) {
        for (Verdict verdict : VERDICTS) {
            if (verdict.letter() == letter) {
                return verdict;
            }
        }
        throw new IllegalStateException("no verdict is called " + letter);
    }
}
