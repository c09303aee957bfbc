package dev.quiver.lifecycle.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * One Lua script with its contract. The header gives names to the keys and arguments of a call. {@code -- KEYS name: …}
 * and {@code -- ARGV name: …} become {@code key_name} and {@code arg_name} in the order in which they stand. A last one
 * called {@code name...} becomes the index of the first of the rest, wherever it stands. {@code -- FLAGS} go to Redis.
 * A script with the line {@code -- DRAINS} brings work in and lets it drain: it has a {@linkplain #drain second form}
 * with {@code allow-oom}. In that, and in every script with this flag, {@code no_room} is true.
 * {@code -- USES task/queue} makes the functions of a {@linkplain ScriptModule module} known, whose header counts as
 * the script's own. Where a module reads {@code c.key_nodes}, the script has a {@linkplain ScriptContext context}
 * {@code c} with it. A script that uses {@code common/now} has the time as {@code now}. {@code -- FIELDS} becomes code
 * where it stands, which reads fields of a hash into a table (see {@link ScriptFields}). So callers pass keys by name
 * and positions cannot drift. {@code -- FOR} says who calls the script (see {@link ScriptRole}). An argument may state
 * its bounds (see {@link ScriptBounds}). {@code -- RETURNS} names the elements of the reply (see {@link ScriptReturns}).
 *
 * <p>Every supervisor reads all scripts before its first call, in a JVM that has compiled nothing yet. So a text is
 * gone through line by line, a file is read once, and the digest waits until somebody calls by it.
 */
public final class Script {

    private static final String LUA = "/dev/quiver/lifecycle/lua/";
    private static final String ALLOW_OOM = "allow-oom";
    private static final Map<String, List<String>> INCLUDES = new ConcurrentHashMap<>();

    private final String name;
    private final List<String> keys = new ArrayList<>();
    private final List<String> arguments = new ArrayList<>();
    private final String flags;
    private final Map<String, ScriptModule> modules = new LinkedHashMap<>();
    private final String body;
    private volatile String digest; // null until it is asked for
    private Optional<String> restKey = Optional.empty();
    private Optional<String> restArgument = Optional.empty();

    private final Optional<Script> drain;
    private final String roles;
    private final String returned;
    private volatile ScriptReturns returns; // null until it is asked for

    private Script(String file, List<String> own, boolean draining) {
        this.name = draining ? file + "_drain" : file;
        List<String> text = whole(own);
        String declaredFlags = draining ? ALLOW_OOM : "";
        boolean drains = false;
        String calledBy = "";
        Map<String, ScriptBounds> bounds = new HashMap<>();
        for (String line : text) {
            if (line.startsWith("-- DRAINS")) {
                drains = true;
            } else if (line.startsWith("-- FLAGS ")) {
                declaredFlags = line.substring("-- FLAGS ".length()).strip();
            } else if (line.startsWith(ScriptRole.LINE)) {
                calledBy = line.substring(ScriptRole.LINE.length()).strip();
            } else if (line.startsWith("-- KEYS ")) {
                restKey = declare(word(line), keys, restKey);
                ScriptBounds.of(line).ifPresent(its -> bounds.put("KEYS " + word(line), its));
            } else if (line.startsWith("-- ARGV ")) {
                restArgument = declare(word(line), arguments, restArgument);
                ScriptBounds.of(line).ifPresent(its -> bounds.put("ARGV " + word(line), its));
            }
        }
        this.roles = calledBy;
        this.returned = returned(text);
        this.flags = declaredFlags;
        this.drain = drains && !draining ? Optional.of(new Script(file, own, true)) : Optional.empty();
        this.body = "local no_room = " + flags.equals(ALLOW_OOM) + "\n"
                + locals("key_", "KEYS", keys, restKey)
                + locals("arg_", "ARGV", arguments, restArgument)
                + checks(bounds)
                + (modules.containsKey(ScriptContext.NOW) ? "local now = clock.now()\n" : "")
                + ScriptContext.code(name, modules.values(), keys, arguments)
                + ScriptLines.mark(file)
                + lua(own)
                + ScriptLines.unmark();
    }

    /** The line that says what it returns, with those that go on with it. */
    private static String returned(List<String> text) {
        StringBuilder declared = new StringBuilder();
        boolean within = false;
        for (String line : text) {
            if (line.startsWith(ScriptReturns.LINE)) {
                within = true;
                declared.append(line, ScriptReturns.LINE.length(), line.length());
            } else if (within && line.startsWith(ScriptFields.FURTHER_LINE)) {
                declared.append(' ').append(line, ScriptFields.FURTHER_LINE.length(), line.length());
            } else {
                within = false;
            }
        }
        return declared.toString();
    }

    /** Code that refuses a call whose arguments do not keep their bounds. */
    private String checks(Map<String, ScriptBounds> bounds) {
        StringBuilder code = new StringBuilder();
        restKey.ifPresent(rest -> Optional.ofNullable(bounds.get("KEYS " + rest + "..."))
                .ifPresent(its -> code.append(its.ofRest(name, "KEYS", rest, keys.size()))));
        for (String argument : arguments) {
            ScriptBounds its = bounds.get("ARGV " + argument);
            code.append(its == null ? ScriptBounds.ofText(name, argument) : its.ofNumber(name, argument));
        }
        restArgument.ifPresent(rest -> {
            ScriptBounds its = bounds.get("ARGV " + rest + "...");
            if (its != null) {
                code.append(its.ofRest(name, "ARGV", rest, arguments.size()));
            }
            code.append(ScriptBounds.ofBytes(name, rest, arguments.size()));
        });
        return code.toString();
    }

    /**
     * Reads {@code lua/name.lua}, for example {@code ordinals/step}. A missing file or a broken header is a bug:
     * unchecked.
     */
    public static Script of(String name) {
        return new Script(name, read(name), false);
    }

    /** The same from lines that stand in no file. */
    static Script of(String name, List<String> lines) {
        return new Script(name, lines, false);
    }

    private Optional<String> declare(String word, List<String> names, Optional<String> rest) {
        if (!word.endsWith("...")) {
            if (!names.contains(word)) { // several modules may read the same key
                names.add(word);
            }
            return rest;
        }
        if (rest.isPresent()) {
            throw new IllegalStateException(name + ": both " + rest.get() + "... and " + word);
        }
        return Optional.of(word.substring(0, word.length() - 3));
    }

    private static String word(String line) {
        return line.substring("-- KEYS ".length(), line.indexOf(':'));
    }

    /** The text, and behind it what its modules declare. */
    private List<String> whole(List<String> text) {
        List<String> all = new ArrayList<>(text);
        for (String line : text) {
            if (line.startsWith(ScriptModule.USES)) {
                ScriptModule.use(line, modules).forEach(module -> all.addAll(module.header()));
            }
        }
        return all;
    }

    /** The lines of a file that several scripts may read. */
    static List<String> file(String name) {
        return INCLUDES.computeIfAbsent(name, Script::read);
    }

    /** The text with code in place of the lines that declare fields. */
    private static String lua(List<String> text) {
        StringBuilder lua = new StringBuilder();
        for (int at = 0; at < text.size(); at++) {
            String line = text.get(at);
            if (line.startsWith(ScriptFields.LINE)) {
                StringBuilder declared = new StringBuilder(line);
                while (at + 1 < text.size() && text.get(at + 1).startsWith(ScriptFields.FURTHER_LINE)) {
                    declared.append('\n').append(text.get(++at));
                }
                // Lines stand where they stand in the file.
                line = ScriptFields.code(declared.toString())
                        + "\n".repeat(declared.toString().split("\n").length - 1);
            }
            lua.append(line).append('\n');
        }
        return lua.toString();
    }

    private static String locals(String prefix, String table, List<String> names, Optional<String> rest) {
        StringBuilder lua = new StringBuilder();
        for (int i = 0; i < names.size(); i++) {
            lua.append("local ").append(prefix + names.get(i)).append(" = ").append(table + "[" + (i + 1) + "]\n");
        }
        rest.ifPresent(last -> lua.append("local " + prefix + last + " = " + (names.size() + 1) + "\n"));
        return lua.toString();
    }

    /** Folder and file name without its ending, for example {@code ordinals/step}. */
    public String name() {
        return name;
    }

    /**
     * The roles that call it.
     *
     * @throws IllegalArgumentException where the header has no line for it, or an unknown word in it
     */
    public Set<ScriptRole> roles() {
        return ScriptRole.of(roles);
    }

    /**
     * The elements of its reply behind a code, for who describes it: {@code now}, {@code ids[]}, {@code rows...(id, place)}.
     *
     * @throws IllegalStateException for a code that it does not return
     */
    public List<String> elements(ScriptCode code) {
        return returns().of(code, Integer.MAX_VALUE).elements();
    }

    /** The forms of its reply. */
    ScriptReturns returns() {
        if (returns == null) {
            returns = ScriptReturns.of(name, returned);
        }
        return returns;
    }

    /** The form that is called where Redis refuses the script because its memory is used up. */
    Optional<Script> drain() {
        return drain;
    }

    /** Declared keys, the rest left out. */
    public List<String> keys() {
        return List.copyOf(keys);
    }

    /** Declared arguments, the rest left out. */
    public List<String> arguments() {
        return List.copyOf(arguments);
    }

    /** Name of the rest of the keys, where the script takes any number. */
    public Optional<String> restKey() {
        return restKey;
    }

    /** Name of the rest of the arguments, where the script takes any number. */
    public Optional<String> restArgument() {
        return restArgument;
    }

    /** The text for EVAL. */
    public String source() {
        return "#!lua" + (flags.isEmpty() ? "" : " flags=" + flags) + "\nlocal call = redis.call\n"
                + ScriptCode.declaration() + ScriptModule.code(modules.values()) + body;
    }

    /** The modules that it uses, each behind those that it uses itself. */
    Map<String, ScriptModule> modules() {
        return modules;
    }

    /**
     * Registers a function of that name, with this script's flags and roles: a part of a library's code, behind
     * {@link ScriptModule#LIBRARY}.
     *
     * @param callback what is called: {@link #function}, or a name of it
     */
    String registration(String functionName, String callback) {
        return "redis.register_function{function_name='" + functionName + "', description='" + roles + "', flags={"
                + (flags.isEmpty() ? "" : "'" + flags + "'") + "}, callback=" + callback.stripTrailing() + "}\n";
    }

    /** It as a function. Redis gives a library {@code redis.call} in calls alone, not while it loads. */
    String function() {
        return "function(KEYS, ARGV)\ncall = redis.call\n" + body + "end\n";
    }

    /** SHA-1 of the source, as EVALSHA wants it. */
    public String digest() {
        if (digest == null) {
            digest = sha1(source());
        }
        return digest;
    }

    /** The declared keys' names turned into keys, then the rest. */
    public String[] keys(UnaryOperator<String> byName, List<String> rest) {
        String[] all = new String[keys.size() + rest.size()];
        for (int i = 0; i < keys.size(); i++) {
            all[i] = byName.apply(keys.get(i));
        }
        for (int i = 0; i < rest.size(); i++) {
            all[keys.size() + i] = rest.get(i);
        }
        if (!rest.isEmpty() && restKey.isEmpty()) {
            throw new IllegalArgumentException(name + " takes " + keys.size() + " keys");
        }
        return all;
    }

    private static List<String> read(String name) {
        try (InputStream in = Script.class.getResourceAsStream(LUA + name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("no script " + LUA + name + ".lua");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
