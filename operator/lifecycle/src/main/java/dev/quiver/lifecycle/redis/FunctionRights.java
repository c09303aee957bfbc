package dev.quiver.lifecycle.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which functions each role may call, of every library of ours that a Redis has. Several lie side by side while images
 * of several releases run. A library says itself who may call its functions: each one's description is the line
 * {@code FOR} of its script. A function of an earlier release may lack such words; its roles are those of this
 * release's script of that name. Immutable.
 */
public final class FunctionRights {

    private final Map<ScriptRole, List<String>> names;

    private FunctionRights(Map<String, Set<ScriptRole>> functions) {
        Map<ScriptRole, List<String>> byRole = new EnumMap<>(ScriptRole.class);
        for (ScriptRole role : ScriptRole.values()) {
            byRole.put(
                    role,
                    functions.entrySet().stream()
                            .filter(function -> function.getValue().contains(role))
                            .map(Map.Entry::getKey)
                            .toList());
        }
        names = Map.copyOf(byRole);
    }

    /** The rights to one library alone. */
    public static FunctionRights of(ScriptLibrary library) {
        return new FunctionRights(new TreeMap<>(library.roles()));
    }

    /**
     * The rights to the libraries that a server has.
     *
     * @param own this release's library; its functions come first, since Redis looks through them in their order
     * @param listed the answer to FUNCTION LIST
     */
    public static FunctionRights of(ScriptLibrary own, Collection<Map<String, Object>> listed) {
        Map<String, Set<ScriptRole>> ofThisRelease = new TreeMap<>();
        Map<String, Set<ScriptRole>> others = new TreeMap<>();
        for (Map<String, Object> library : listed) {
            String name = String.valueOf(library.get("library_name"));
            if (name.startsWith(ScriptLibrary.PREFIX) && library.get("functions") instanceof Collection<?> its) {
                for (Object function : its) {
                    Map<String, String> fields = fields(function);
                    String called = fields.getOrDefault("name", "");
                    if (called.startsWith(name + "_")) {
                        (name.equals(own.name()) ? ofThisRelease : others)
                                .put(called, roles(own, name, called, fields.getOrDefault("description", "")));
                    }
                }
            }
        }
        Map<String, Set<ScriptRole>> functions = new LinkedHashMap<>(ofThisRelease);
        functions.putAll(others);
        return new FunctionRights(functions);
    }

    private static Set<ScriptRole> roles(ScriptLibrary own, String library, String function, String description) {
        try {
            if (!description.isEmpty()) {
                return ScriptRole.of(description);
            }
        } catch (IllegalArgumentException unknown) {
            // A newer release has a role that this one knows nothing of; its operator grants it.
            return Set.of();
        }
        return own.roles().getOrDefault(own.name() + function.substring(library.length()), Set.of());
    }

    /** A map in RESP3; names and values in turn in RESP2. */
    private static Map<String, String> fields(Object function) {
        Map<String, String> fields = new TreeMap<>();
        if (function instanceof Map<?, ?> map) {
            map.forEach((name, value) -> fields.put(String.valueOf(name), value == null ? "" : String.valueOf(value)));
        } else if (function instanceof List<?> row) {
            for (int i = 0; i + 1 < row.size(); i += 2) {
                fields.put(String.valueOf(row.get(i)), row.get(i + 1) == null ? "" : String.valueOf(row.get(i + 1)));
            }
        }
        return fields;
    }

    /** The rules that let a user call a role's functions and no others, in the words of ACL SETUSER. */
    public List<String> rules(ScriptRole role) {
        List<String> rules = new ArrayList<>();
        names.get(role).forEach(name -> rules.add("+fcall|" + name));
        return rules;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FunctionRights rights && names.equals(rights.names);
    }

    @Override
    public int hashCode() {
        return Objects.hashCode(names);
    }

    /** The functions in words, for logs and comparisons. */
    @Override
    public String toString() {
        return names.toString();
    }
}
