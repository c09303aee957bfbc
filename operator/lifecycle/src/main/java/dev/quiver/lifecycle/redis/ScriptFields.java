package dev.quiver.lifecycle.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Fields of a hash that a script reads by their names. In {@code -- FIELDS source: status, fed} the hash is
 * {@code key_source}; numbers follow after {@code numbers:}, and further lines begin with {@code -- }. One HMGET fills
 * the table {@code source}. A missing field is false, a missing number is nil. A number that is not whole, or beyond
 * what a double counts exactly, refuses the call in words. A number written by hand can therefore not cause a loop of
 * that length.
 */
final class ScriptFields {

    /** Such a line declares fields. */
    static final String LINE = "-- FIELDS ";

    /** Such a line goes on with the one before it. */
    static final String FURTHER_LINE = "--   ";

    private static final String LARGEST = "9007199254740992";

    private static final Pattern NAME = Pattern.compile("\\w+");

    private ScriptFields() {}

    /** The code for the lines of a declaration, in one line. */
    static String code(String declaration) {
        int colon = declaration.indexOf(": ");
        return code(declaration.substring(LINE.length(), colon), declaration.substring(colon + 1))
                .replaceAll("\n\\s*", " ");
    }

    private static String code(String key, String declared) {
        String[] parts = declared.split("\\bnumbers:", 2);
        List<String> numbers = parts.length == 1 ? List.of() : names(parts[1]);
        List<String> all = new ArrayList<>(names(parts[0]));
        all.addAll(numbers);
        String fields = all.stream().map(name -> name + " = " + name).collect(Collectors.joining(", "));
        String known =
                numbers.isEmpty() ? "" : "\n  local tonumber = tonumber"; // 20 numbers are read faster by a local
        return "local " + key + "\ndo" + known + "\n  local " + String.join(", ", all) + " = unpack(call('HMGET', key_"
                + key
                + all.stream().map(name -> ", '" + name + "'").collect(Collectors.joining()) + "))"
                + numbers.stream().map(name -> number(key, name)).collect(Collectors.joining())
                + "\n  " + key + " = {" + fields + "}\nend";
    }

    private static String number(String key, String name) {
        return "\n  if " + name + " then\n    local text = " + name + "\n    " + name + " = tonumber(text)\n    if not "
                + name
                + " or " + name + " % 1 ~= 0 or " + name + " > " + LARGEST + " or " + name + " < -" + LARGEST
                + " then return redis.error_reply('ERR field " + name + " of ' .. key_" + key
                + " .. ' is ' .. string.format('%q', string.sub(text, 1, 40)) .. ', no whole number') end\n  else "
                + name
                + " = nil end";
    }

    private static List<String> names(String text) {
        return NAME.matcher(text).results().map(found -> found.group()).toList();
    }
}
