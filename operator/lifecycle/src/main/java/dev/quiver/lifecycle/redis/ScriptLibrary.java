package dev.quiver.lifecycle.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Scripts as one library of Redis functions (Redis 7.0 is the oldest that has them). The library's name has a digest of
 * its code, and each function's name begins with it. The versions of several releases therefore lie in one Redis side
 * by side.
 */
public final class ScriptLibrary {

    /** Every library of ours begins so. */
    public static final String PREFIX = "quiver_";

    private static final int DIGEST_LETTERS = 16;

    private final String name;
    private final String source;
    private final List<Script> scripts;

    private ScriptLibrary(String name, String source) {
        this.name = name;
        this.source = source;
        this.scripts = List.of();
    }

    private ScriptLibrary(List<Script> listed) {
        scripts = listed.stream()
                .flatMap(script -> Stream.concat(Stream.of(script), script.drain().stream()))
                .toList();
        MessageDigest digest = sha256();
        scripts.forEach(script -> digest.update(script.source().getBytes(StandardCharsets.UTF_8)));
        this.name = PREFIX + HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_LETTERS);
        Map<String, ScriptModule> modules = new LinkedHashMap<>();
        scripts.forEach(script -> modules.putAll(script.modules()));
        StringBuilder code = new StringBuilder("#!lua name=" + name + "\n" + ScriptModule.LIBRARY);
        code.append(ScriptModule.code(modules.values()));
        scripts.forEach(script -> code.append(script.registration(function(script))));
        this.source = code.toString();
    }

    /** A library of these scripts. */
    public static ScriptLibrary of(List<Script> scripts) {
        return new ScriptLibrary(scripts);
    }

    /** One that somebody else has loaded, for who calls it and does not have its text. */
    public static ScriptLibrary loaded(String name) {
        return new ScriptLibrary(name, "");
    }

    /** The library's name: letters, digits and underscores. */
    public String name() {
        return name;
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
        return scripts.stream().collect(Collectors.toMap(this::function, Script::roles));
    }

    /** The name of a script's function. */
    String function(Script script) {
        return name + "_" + script.name().replace('/', '_');
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
