package dev.quiver.lifecycle.redis;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bounds of a script's argument, as its header states them behind the name. {@code -- ARGV look: 0..1000; …} is a
 * whole number, {@code empty or 0..1000} may also be left empty. The bounds of a last argument,
 * {@code -- ARGV rows...: 0..200; …}, are how many there may be; the same holds for keys. An argument without bounds is
 * text of at most {@value #TEXT_BYTES} bytes. The loader puts the check in front of the script, so that it refuses such
 * a call before its first write.
 *
 * @param least of the numbers
 * @param most of the numbers
 * @param optional whether it may be empty
 */
record ScriptBounds(long least, long most, boolean optional) {

    /** Bytes of an argument that states no bounds, and of each one of the last. */
    static final int TEXT_BYTES = 4 << 20;

    /** Bytes of a call's last arguments together. */
    static final int REST_BYTES = 16 << 20;

    private static final Pattern STATED =
            Pattern.compile("^-- (?:ARGV|KEYS) [\\w.]+: (empty or )?(-?\\d+)\\.\\.(\\d+); ");

    /** The bounds that a line of the header states. */
    static Optional<ScriptBounds> of(String line) {
        if (line.indexOf("..", line.indexOf(": ")) < 0) { // most lines: a start-up has no time for the expression
            return Optional.empty();
        }
        Matcher stated = STATED.matcher(line);
        return stated.find()
                ? Optional.of(new ScriptBounds(
                        Long.parseLong(stated.group(2)), Long.parseLong(stated.group(3)), stated.group(1) != null))
                : Optional.empty();
    }

    /** Code that refuses the call unless a number keeps the bounds. */
    String ofNumber(String script, String name) {
        String argument = "arg_" + name;
        return "do\n  local n = tonumber(" + argument + ")\n  if not (n and n >= " + least + " and n <= " + most
                + " and n % 1 == 0)" + (optional ? " and " + argument + " ~= ''" : "") + " then\n    "
                + refusal(
                        script,
                        "'argument " + name + " is ' .. string.format('%q', string.sub(tostring(" + argument
                                + "), 1, 40)) .. '",
                        "no whole number from " + least + " to " + most)
                + "\n  end\nend\n";
    }

    /** Code that refuses the call unless a text keeps the bounds that all texts have. */
    static String ofText(String script, String name) {
        return "if not arg_" + name + " or #arg_" + name + " > " + TEXT_BYTES + " then\n  "
                + refusal(
                        script,
                        "'argument " + name + " has ' .. (arg_" + name + " and #arg_" + name + " or 'no') .. ' bytes",
                        "at most " + TEXT_BYTES + " are allowed")
                + "\nend\n";
    }

    /**
     * Code that refuses the call unless there are so many of the last arguments or keys.
     *
     * @param table ARGV or KEYS
     * @param before how many stand before them
     */
    String ofRest(String script, String table, String name, int before) {
        String count = "#" + table + (before == 0 ? "" : " - " + before);
        return "if " + count + " < " + least + " or " + count + " > " + most + " then\n  "
                + refusal(
                        script,
                        "'there are ' .. (" + count + ") .. ' of " + name,
                        "from " + least + " to " + most + " are allowed")
                + "\nend\n";
    }

    /** Code that refuses the call when its last arguments are too long together. */
    static String ofBytes(String script, String name, int before) {
        return "do\n  local bytes = 0\n  for i = " + (before + 1)
                + ", #ARGV do bytes = bytes + #ARGV[i] end\n  if bytes > "
                + REST_BYTES + " then\n    "
                + refusal(
                        script,
                        "'the " + name + " have ' .. bytes .. ' bytes",
                        "at most " + REST_BYTES + " are allowed")
                + "\n  end\nend\n";
    }

    private static String refusal(String script, String found, String allowed) {
        return "return redis.error_reply('ERR " + script + ": ' .. " + found + ", " + allowed + "')";
    }
}
