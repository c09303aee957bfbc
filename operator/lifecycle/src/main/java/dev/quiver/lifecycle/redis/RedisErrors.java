package dev.quiver.lifecycle.redis;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;

/** Turns what the client library throws into what it means: not done, or unknown. The error's code word decides. */
final class RedisErrors {

    /** The server has no such command, or its user no right to it; not a refusal from within a script. */
    private static final Pattern SCRIPT_COMMAND_REFUSED = Pattern.compile(
            "(NOPERM .* permissions to run the|ERR unknown command) ['`](fcall|evalsha|eval)['`]",
            Pattern.CASE_INSENSITIVE);

    /** It has no code word of its own, and passes when others hang up. */
    private static final String TOO_MANY = "ERR max number of clients reached";

    private RedisErrors() {}

    static RuntimeException of(Throwable thrown) {
        Throwable answer = thrown;
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            if (at instanceof RedisNoScriptException) {
                return new ScriptUnknownException(at);
            }
            if (at instanceof RedisCommandExecutionException) {
                answer = at;
                break;
            }
        }
        if (answer instanceof RedisCommandExecutionException) {
            String text = String.valueOf(answer.getMessage());
            if (text.startsWith("ERR Function not found")) {
                return new ScriptWayException(true, text, thrown);
            }
            if (SCRIPT_COMMAND_REFUSED.matcher(text).lookingAt()) {
                return new ScriptWayException(false, text, thrown);
            }
            return new StoreRefusedException(
                    text.startsWith(TOO_MANY) ? StoreRefusedException.Kind.PASSING : kind(text.split(" ", 2)[0]),
                    text,
                    thrown);
        }
        return new StoreUnreachableException(message(thrown), thrown);
    }

    private static StoreRefusedException.Kind kind(String code) {
        return switch (code) {
            case "TRYAGAIN", "ASK", "MOVED" -> StoreRefusedException.Kind.SLOT_MOVES;
            case "READONLY" -> StoreRefusedException.Kind.REPLICA;
            case "LOADING", "CLUSTERDOWN", "MASTERDOWN", "NOREPLICAS", "BUSY", "MISCONF", "UNBLOCKED" ->
                StoreRefusedException.Kind.PASSING;
            case "NOAUTH", "WRONGPASS", "NOPERM" -> StoreRefusedException.Kind.NO_RIGHT;
            case "OOM" -> StoreRefusedException.Kind.OUT_OF_MEMORY;
            default -> StoreRefusedException.Kind.OTHER;
        };
    }

    /** The innermost message is the one that names the reason, for example a refused connection. */
    private static String message(Throwable thrown) {
        Throwable at = thrown;
        while (at.getCause() != null
                && (at instanceof ExecutionException
                        || at instanceof CompletionException
                        || at instanceof io.lettuce.core.RedisException)) {
            at = at.getCause();
        }
        return at.getMessage() == null ? at.getClass().getSimpleName() : at.getMessage();
    }
}
