package dev.quiver.lifecycle.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A table of Lua functions, {@code include/task/queue.lua} with the line {@code -- MODULE queue}. It keeps nothing of a
 * call: a function gets all that it needs, most of it in a {@linkplain ScriptContext context}. In a library of
 * functions a module stands once, above all scripts, so its functions are made once. The text for EVAL has the modules
 * that its script uses. While Redis loads a library, only literals are there: no {@code string}, {@code table},
 * {@code unpack} or {@code redis.call} outside of functions.
 *
 * @param path of its file below {@code include}, without the ending
 * @param name of its table
 * @param header its lines about keys and arguments
 * @param text its functions
 */
record ScriptModule(String path, String name, List<String> header, String text) {

    /** Such a line names modules. */
    static final String USES = "-- USES ";

    /** The text above the modules of a library. Each call sets {@code call}. */
    static final String LIBRARY = "local call\n" + ScriptCode.declaration();

    private static final String MODULE = "-- MODULE ";

    /** Adds the modules of a line, each behind those that it uses, and answers the ones that are new. */
    static List<ScriptModule> use(String line, Map<String, ScriptModule> all) {
        List<ScriptModule> added = new ArrayList<>();
        for (String path : line.substring(USES.length()).strip().split("\\s+")) {
            if (!all.containsKey(path)) {
                List<String> lines = Script.file("include/" + path);
                lines.stream().filter(used -> used.startsWith(USES)).forEach(used -> added.addAll(use(used, all)));
                ScriptModule module = of(path, lines);
                all.put(path, module);
                added.add(module);
            }
        }
        return added;
    }

    private static ScriptModule of(String path, List<String> lines) {
        String name = lines.stream()
                .filter(line -> line.startsWith(MODULE))
                .map(line -> line.substring(MODULE.length()).strip())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(path + " is no module"));
        List<String> header = lines.stream()
                .filter(line -> line.startsWith("-- KEYS ") || line.startsWith("-- ARGV "))
                .toList();
        return new ScriptModule(path, name, header, String.join("\n", lines));
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
