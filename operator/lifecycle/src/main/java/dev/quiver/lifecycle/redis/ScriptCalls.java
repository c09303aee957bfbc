package dev.quiver.lifecycle.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls scripts the way this user of this Redis may. These are functions, which only the operator loads, or digest and
 * text if the server has no functions. No setting names the way: a way that is refused is left for the other, and a
 * refusal changed nothing. Thread-safe.
 */
final class ScriptCalls {

    private static final Logger LOG = LoggerFactory.getLogger(ScriptCalls.class);

    private final RedisLink link;
    private final Duration patience;
    private volatile Optional<ScriptLibrary> library;
    private volatile boolean functions = true;
    private volatile Runnable onMissing = () -> {};

    /**
     * Calls by text alone where no library is given.
     *
     * @param patience how long the answer of a call may take for which no thread waits
     */
    ScriptCalls(RedisLink link, Duration patience, Optional<ScriptLibrary> library) {
        this.link = link;
        this.patience = patience;
        this.library = library;
    }

    /** Told of each call whose function the server did not have. */
    void onMissing(Runnable listener) {
        onMissing = listener;
    }

    /** Calls the functions of another library from now on. */
    void follow(ScriptLibrary other) {
        library = Optional.of(other);
        functions = true;
    }

    /** Tries functions first from now on. */
    void preferFunctions() {
        functions = true;
    }

    /** A refusal for want of memory changed nothing, so a script that also lets work drain is called in that form. */
    ScriptReply run(Script script, String[] keys, String[] arguments) {
        try {
            return runFirst(ReplyCodec.INSTANCE, script, keys, arguments);
        } catch (StoreRefusedException refused) {
            if (refused.kind() != StoreRefusedException.Kind.OUT_OF_MEMORY
                    || script.drain().isEmpty()) {
                throw refused;
            }
            return runFirst(ReplyCodec.INSTANCE, script.drain().get(), keys, arguments);
        }
    }

    /** A reply whose texts are bytes. */
    ScriptReply runForBytes(Script script, String[] keys, String[] arguments) {
        return runFirst(ByteArrayCodec.INSTANCE, script, keys, arguments);
    }

    private ScriptReply runFirst(RedisCodec<?, ?> texts, Script script, String[] keys, String[] arguments) {
        if (library.isEmpty()) {
            return byText(texts, script, keys, arguments);
        }
        boolean first = functions;
        try {
            return run(texts, first, script, keys, arguments);
        } catch (ScriptWayException closed) {
            try {
                ScriptReply reply = run(texts, !first, script, keys, arguments);
                functions = !first;
                LOG.info("scripts are called {}: {}", first ? "by their text" : "as functions", closed.getMessage());
                return reply;
            } catch (ScriptWayException both) {
                throw refusal(closed, both);
            }
        }
    }

    /** As {@link #run} does first, without waiting; a refusal of that way leaves the other to {@code run}. */
    Optional<SentCall<ScriptReply>> send(Script script, String[] keys, String[] arguments) {
        return send(link, script, keys, arguments);
    }

    /** The same over another connection to this Redis. */
    Optional<SentCall<ScriptReply>> send(RedisLink over, Script script, String[] keys, String[] arguments) {
        Optional<ScriptLibrary> called = functions ? library : Optional.empty();
        var question = called.isPresent()
                ? call(ReplyCodec.INSTANCE, CommandType.FCALL, called.get().function(script), keys, arguments)
                : call(ReplyCodec.INSTANCE, CommandType.EVALSHA, script.digest(), keys, arguments);
        Supplier<String> source = () -> called.map(ScriptLibrary::source).orElseGet(script::source);
        Optional<SentCall<List<Object>>> sent = over.send(question, patience);
        return sent.map(call -> call.read(values -> new ScriptReply(script.returns(), values))
                .explained(problem -> ScriptLines.explained(problem, source)));
    }

    private static Function<RedisClusterAsyncCommands<String, String>, CompletionStage<List<Object>>> call(
            RedisCodec<?, ?> texts, CommandType command, String script, String[] keys, String[] arguments) {
        ScriptArguments encoded = new ScriptArguments(script, keys, arguments);
        return redis -> redis.dispatch(command, output(texts), encoded);
    }

    /** The codec of the output alone decides how texts of the reply are read; keys and arguments are encoded already. */
    @SuppressWarnings("unchecked")
    private static CommandOutput<String, String, List<Object>> output(RedisCodec<?, ?> texts) {
        return (CommandOutput<String, String, List<Object>>) (CommandOutput<?, ?, ?>) new NestedMultiOutput<>(texts);
    }

    /**
     * A function that is missing will be loaded. The right to a function comes with the function itself, so a user that has
     * none waits for it as well.
     */
    private static StoreRefusedException refusal(ScriptWayException one, ScriptWayException other) {
        ScriptWayException missing = one.functionMissing() || !other.functionMissing() ? one : other;
        return new StoreRefusedException(
                StoreRefusedException.Kind.PASSING,
                missing.getMessage()
                        + ": the operator loads the functions of this release, and gives the right to them,"
                        + " when it comes by",
                missing);
    }

    private ScriptReply run(
            RedisCodec<?, ?> texts, boolean asFunction, Script script, String[] keys, String[] arguments) {
        return asFunction ? byFunction(texts, script, keys, arguments) : byText(texts, script, keys, arguments);
    }

    private ScriptReply byFunction(RedisCodec<?, ?> texts, Script script, String[] keys, String[] arguments) {
        ScriptLibrary called = library.orElseThrow();
        try {
            return ask(
                    script, called::source, call(texts, CommandType.FCALL, called.function(script), keys, arguments));
        } catch (ScriptWayException e) {
            if (e.functionMissing()) {
                onMissing.run();
            }
            throw e;
        }
    }

    private ScriptReply byText(RedisCodec<?, ?> texts, Script script, String[] keys, String[] arguments) {
        try {
            return ask(script, script::source, call(texts, CommandType.EVALSHA, script.digest(), keys, arguments));
        } catch (ScriptUnknownException e) {
            return ask(script, script::source, call(texts, CommandType.EVAL, script.source(), keys, arguments));
        }
    }

    /** An error names the file and its line, see {@link ScriptLines}. */
    private ScriptReply ask(
            Script script,
            Supplier<String> source,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<List<Object>>> question) {
        try {
            return new ScriptReply(script.returns(), link.ask(question));
        } catch (StoreRefusedException refused) {
            throw ScriptLines.explained(refused, source);
        }
    }
}
