package dev.quiver.lifecycle.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A table of Lua functions, {@code include/task/queue.lua} with the line {@code -- MODULE queue}. It keeps nothing of a
 * call: a function gets all that it needs, most of it in a {@linkplain ScriptContext context}. In a library of
 * functions a module stands once, above all scripts, so its functions are made once. The text for EVAL has the modules
 * that its script uses. While Redis loads a library, only literals are there: no {@code string}, {@code table},
 * {@code unpack} or {@code redis.call} outside of functions.
 *
 * <p>Its file is read and gone through once, however many scripts use it: a supervisor does so at its start.
 *
 * @param path of its file below {@code include}, without the ending
 * @param name of its table
 * @param uses paths of the modules that it uses itself
 * @param header its lines about keys and arguments
 * @param reads names that it reads from a {@linkplain ScriptContext context}
 * @param text its functions
 */
record ScriptModule(String path, String name, List<String> uses, List<String> header, Set<String> reads, String text) {

    /** Such a line names modules. */
    static final String USES = "-- USES ";

    /** The text above the modules of a library. Each call sets {@code call}. */
    static final String LIBRARY = "local call\n" + ScriptCode.declaration();

    private static final String MODULE = "-- MODULE ";
    private static final Map<String, ScriptModule> ALL = new ConcurrentHashMap<>();

    /** Adds the modules of a line, each behind those that it uses, and answers the ones that are new. */
    static List<ScriptModule> use(String line, Map<String, ScriptModule> all) {
        List<ScriptModule> added = new ArrayList<>();
        paths(line).forEach(path -> use(path, all, added));
        return added;
    }

    private static void use(String path, Map<String, ScriptModule> all, List<ScriptModule> added) {
        if (!all.containsKey(path)) {
            ScriptModule module = ALL.computeIfAbsent(path, file -> of(file, Script.file("include/" + file)));
            module.uses.forEach(used -> use(used, all, added));
            all.put(path, module);
            added.add(module);
        }
    }

    /** From the lines of its file. */
    static ScriptModule of(String path, List<String> lines) {
        String name = null;
        List<String> uses = new ArrayList<>();
        List<String> header = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith(USES)) {
                uses.addAll(paths(line));
            } else if (line.startsWith(MODULE) && name == null) {
                name = line.substring(MODULE.length()).strip();
            } else if (line.startsWith("-- KEYS ") || line.startsWith("-- ARGV ")) {
                header.add(line);
            }
        }
        if (name == null) {
            throw new IllegalStateException(path + " is no module");
        }
        String text = String.join("\n", lines);
        return new ScriptModule(path, name, List.copyOf(uses), List.copyOf(header), ScriptContext.reads(text), text);
    }

    private static List<String> paths(String line) {
        return List.of(line.substring(USES.length()).strip().split(" "));
    }

    /** Their code, in this order. */
    static String code(Collection<ScriptModule> modules) {
        StringBuilder code = new StringBuilder();
        for (ScriptModule module : modules) {
            code.append("local " + module.name + " = {}\ndo\n")
                    .append(ScriptLines.mark("include/" + module.path))
                    .append(module.text)
                    .append("\n" + ScriptLines.unmark() + "end\n");
        }
        return code.toString();
    }
}
