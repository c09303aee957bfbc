package dev.quiver.lifecycle.task.commands;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TaskScriptKeys;
import dev.quiver.lifecycle.task.keys.TaskScripts;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * Runs the commands that give sources of numbered tasks their places in a pool. The command names the source's hash,
 * since the script that leaves it cannot declare that key.
 */
public record PlaceCommands(RedisStore store, Keyspace keyspace) {

    private static final String KIND = "place";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9:.-]{1,128}");

    /** The key of a hash behind the keyspace's prefix, then the tag or the resource that led to it, if one did. */
    private static final Pattern DATA =
            Pattern.compile("([a-z]{1,16}:[A-Za-z0-9.-]{1,128}) ([!-~]{0,128})(?: ([!-~]{1,128}))?");

    /** Whether a command is one of these. */
    static boolean is(String command) {
        return command.startsWith(KIND + "\t");
    }

    /**
     * Runs a command.
     *
     * @return the commands that may run now; absent where it was not run
     */
    Optional<List<String>> run(String command, CallBudget budget) {
        String[] fields = command.split("\t", -1);
        Matcher data = DATA.matcher(fields.length > 2 ? fields[2] : "");
        if (fields.length < 4
                || !NAME.matcher(fields[1]).matches()
                || !data.matches()
                || !TaskKeys.isPool(fields[3])
                || !budget.take(1)) {
            return Optional.empty();
        }
        List<String> arguments = List.of(
                "",
                command,
                fields[1],
                data.group(1),
                data.group(2),
                Optional.ofNullable(data.group(3)).orElse(""),
                "");
        ScriptReply reply = store.run(
                TaskScripts.PLACE,
                TaskScripts.PLACE.keys(
                        name -> key(keyspace, data.group(1), name), new TaskKeys(keyspace).queue(fields[3])),
                arguments.toArray(String[]::new));
        return switch (reply.code()) {
            case ScriptCode.OK -> reply.flag("taken") ? Optional.of(List.of()) : Optional.empty();
            default -> throw reply.unexpected();
        };
    }

    /**
     * A key of the script by its name there.
     *
     * @param source the key of the source's hash behind the keyspace's prefix
     */
    public static String key(Keyspace keyspace, String source, String name) {
        return switch (name) {
            case "source" -> keyspace.prefix() + source;
            case "source_sessions" -> keyspace.prefix() + source + ":sessions";
            default -> TaskScriptKeys.of(keyspace, "").key(name);
        };
    }
}
