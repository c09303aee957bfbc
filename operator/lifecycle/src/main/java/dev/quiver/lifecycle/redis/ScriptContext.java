package dev.quiver.lifecycle.redis;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The table {@code c} of a script, which is new at each call: functions of {@linkplain ScriptModule modules} take it as
 * their first argument. It has the keys and arguments that the script's modules read by the names {@code c.key_nodes}
 * and {@code c.arg_session}, and where they read it {@code c.now} and {@code c.no_room}. A module's {@code open} has
 * put anything else there. A key that a module reads and no header declares is refused when the script is read, instead
 * of being nil in a call.
 */
final class ScriptContext {

    /** The module that has the time. */
    static final String NOW = "common/now";

    private static final String TABLE = "c.";

    private ScriptContext() {}

    /** The names that a module of this text reads from it. */
    static Set<String> reads(String text) {
        Set<String> names = new HashSet<>();
        for (int at = text.indexOf(TABLE); at >= 0; at = text.indexOf(TABLE, at + 1)) {
            int from = at + TABLE.length();
            int end = from;
            while (end < text.length() && isOfWord(text.charAt(end))) {
                end++;
            }
            String name = text.substring(from, end);
            if ((at == 0 || !isOfWord(text.charAt(at - 1))) && isBrought(name)) {
                names.add(name);
            }
        }
        return names;
    }

    private static boolean isBrought(String name) {
        return name.startsWith("key_") || name.startsWith("arg_") || name.equals("now") || name.equals("no_room");
    }

    private static boolean isOfWord(char letter) {
        return letter == '_'
                || letter >= 'a' && letter <= 'z'
                || letter >= 'A' && letter <= 'Z'
                || letter >= '0' && letter <= '9';
    }

    /** Code that declares it, nothing where no module wants one. */
    static String code(String script, Collection<ScriptModule> modules, List<String> keys, List<String> arguments) {
        TreeSet<String> names = new TreeSet<>();
        modules.forEach(module -> names.addAll(module.reads()));
        for (String name : names) {
            boolean declared = name.startsWith("key_")
                    ? keys.contains(name.substring("key_".length()))
                    : !name.startsWith("arg_") || arguments.contains(name.substring("arg_".length()));
            if (!declared) {
                throw new IllegalStateException(
                        script + " uses a module that reads " + name + ", and does not declare it");
            }
        }
        return names.isEmpty()
                ? ""
                : names.stream()
                        .map(name -> name + " = " + name)
                        .collect(Collectors.joining(", ", "local c = {", "}\n"));
    }
}
