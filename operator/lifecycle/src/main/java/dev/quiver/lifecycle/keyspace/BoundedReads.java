package dev.quiver.lifecycle.keyspace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * Reads data that a tenant may have written. Its size is measured in Redis before the data is copied. Senseless data is
 * read as absent, or refused with a message. Data that is too large throws {@link StoreRefusedException} with the key
 * and its size.
 */
public record BoundedReads(RedisStore store) {

    /** The most that short fields may have together. */
    public static final int NAME_BYTES = 4096;

    private static final Pattern POOL = Pattern.compile("[a-z0-9.-]{1,253}");
    private static final Pattern SESSION = Pattern.compile("[0-9a-f]{1,64}");

    /** Short fields of a hash, in the order of their names. */
    List<Optional<String>> fields(String hash, String... names) {
        return fields(hash, NAME_BYTES, names);
    }

    /**
     * Fields of a hash, in the order of their names; absent where there is none.
     *
     * @param mostBytes of all values together; larger values are refused
     */
    public List<Optional<String>> fields(String hash, int mostBytes, String... names) {
        List<String> arguments = new ArrayList<>(List.of(Integer.toString(mostBytes)));
        arguments.addAll(List.of(names));
        ScriptReply reply = store.run(KeyspaceScripts.FIELDS, new String[] {hash}, arguments.toArray(String[]::new));
        return reply.texts("values").stream().map(Optional::ofNullable).toList();
    }

    /**
     * The entries of a hash.
     *
     * @param most entries; a hash with more is refused
     * @param mostBytes that the key may take in Redis; a larger one is refused
     */
    public Map<String, String> entries(String hash, int most, int mostBytes) {
        ScriptReply reply = store.run(
                KeyspaceScripts.ENTRIES, new String[] {hash}, Integer.toString(most), Integer.toString(mostBytes));
        Map<String, String> entries = new LinkedHashMap<>();
        reply.rows("entries").forEach(row -> entries.put(row.text("name"), row.text("value")));
        return entries;
    }

    /** The pool that a set or session names; absent where there is none, or where the name is no name of a pool. */
    public Optional<String> pool(String hash) {
        return fields(hash, "pool").getFirst().filter(name -> POOL.matcher(name).matches());
    }

    public static boolean isSession(String text) {
        return SESSION.matcher(text).matches();
    }

    /** Reads values that others wrote. Senseless values are a fault of that keyspace, not a bug here. */
    public static <T> T understood(String what, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException
                | IllegalStateException
                | ArithmeticException
                | IndexOutOfBoundsException
                | NullPointerException
                | ClassCastException e) {
            throw new StoreRefusedException(
                    StoreRefusedException.Kind.OTHER, what + " makes no sense: " + e.getMessage(), e);
        }
    }
}
