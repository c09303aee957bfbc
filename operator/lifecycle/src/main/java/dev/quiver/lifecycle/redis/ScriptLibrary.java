package dev.quiver.lifecycle.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Scripts as one library of Redis functions (Redis 7.0 is the oldest that has them). The library's name has a digest of
 * its code, and each function's name begins with it. The versions of several releases therefore lie in one Redis side
 * by side. Programs of earlier releases call entry points of their own version, see {@link EntryPoints}.
 */
public final class ScriptLibrary {

    /** Every library of ours begins so. */
    public static final String PREFIX = "quiver_";

    private static final int DIGEST_LETTERS = 16;

    /** The name that an adapter calls: the function of this release. */
    private static final String CURRENT = "current";

    private final String name;
    private final String source;
    private final String ending;
    private final Map<String, Set<ScriptRole>> roles;

    private ScriptLibrary(String name, String ending) {
        this.name = name;
        this.source = "";
        this.ending = ending;
        this.roles = Map.of();
    }

    private ScriptLibrary(List<Script> listed, EntryPoints entries) {
        List<Script> scripts = withDrains(listed);
        Map<String, Script> adapters =
                withDrains(entries.adapters()).stream().collect(Collectors.toMap(Script::name, script -> script));
        List<Script> all =
                Stream.concat(scripts.stream(), adapters.values().stream()).toList();
        Map<String, ScriptModule> modules = new LinkedHashMap<>();
        all.forEach(script -> modules.putAll(script.modules()));
        String shared = ScriptModule.LIBRARY + ScriptModule.code(modules.values());
        MessageDigest digest = sha256();
        digest.update(shared.getBytes(StandardCharsets.UTF_8));
        // Without its modules, which a text for EVAL has: the digest of all texts took an eighth of a start.
        all.forEach(script -> digest.update(
                script.registration(script.name(), script.function()).getBytes(StandardCharsets.UTF_8)));
        digest.update((entries.oldest() + ".." + entries.version()).getBytes(StandardCharsets.UTF_8));
        this.name = PREFIX + HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_LETTERS);
        this.ending = "";
        this.roles = new TreeMap<>();
        StringBuilder code = new StringBuilder("#!lua name=" + name + "\n" + shared);
        for (Script script : scripts) {
            if (entries.hasEarlier() && script.roles().contains(ScriptRole.CLIENT)) {
                code.append("do\nlocal " + CURRENT + " = " + script.function());
                code.append(registered(function(script), script, CURRENT));
                for (int version = entries.oldest(); version < entries.version(); version++) {
                    Script adapter = adapters.remove(EntryPoints.adapter(version, script.name()));
                    code.append(registered(
                            function(script) + EntryPoints.ending(version),
                            adapter == null ? script : adapter,
                            adapter == null ? CURRENT : adapter.function()));
                }
                code.append("end\n");
            } else {
                code.append(registered(function(script), script, script.function()));
            }
        }
        if (!adapters.isEmpty()) {
            throw new IllegalStateException("no program's script is adapted by " + adapters.keySet());
        }
        this.source = code.toString();
    }

    private String registered(String function, Script script, String callback) {
        roles.put(function, script.roles());
        return script.registration(function, callback);
    }

    private static List<Script> withDrains(List<Script> listed) {
        return listed.stream()
                .flatMap(script -> Stream.concat(Stream.of(script), script.drain().stream()))
                .toList();
    }

    /** A library of these scripts, which programs of this release alone call. */
    public static ScriptLibrary of(List<Script> scripts) {
        return new ScriptLibrary(scripts, EntryPoints.of(1));
    }

    /** A library of these scripts, with the entry points for programs of earlier releases. */
    public static ScriptLibrary of(List<Script> scripts, EntryPoints entries) {
        return new ScriptLibrary(scripts, entries);
    }

    /** One that somebody else has loaded, for who calls it and does not have its text. */
    public static ScriptLibrary loaded(String name) {
        return new ScriptLibrary(name, "");
    }

    /** The same, whose entry points of an earlier version are called. */
    public static ScriptLibrary loaded(String name, int version) {
        return new ScriptLibrary(name, EntryPoints.ending(version));
    }

    /** The library's name: letters, digits and underscores. */
    public String name() {
        return name;
    }

    /** Whether the same functions are called through either. */
    public boolean isCalledAs(ScriptLibrary other) {
        return name.equals(other.name) && ending.equals(other.ending);
    }

    /** The text for FUNCTION LOAD; empty for one that was {@linkplain #loaded loaded} by somebody else. */
    public String source() {
        return source;
    }

    /**
     * The roles that may call each function, by its name; empty if the library was {@linkplain #loaded loaded} by
     * another program.
     */
    Map<String, Set<ScriptRole>> roles() {
        return roles;
    }

    /** The name of a script's function. */
    String function(Script script) {
        return name + "_" + script.name().replace('/', '_') + ending;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
